/** Whether the pages of a static site lead to each other. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The links of all pages of a folder that lead to no file of it, as `page: link`. */
export const broken = (folder: string): ReadonlyArray<string> =>
  globSync("**/*.html", { cwd: folder }).flatMap((page) =>
    targets(readFileSync(join(folder, page), "utf8"))
      .filter((href) => !existsSync(placeOf(folder, page, href)))
      .map((href) => `${page}: ${href}`)
  )

/** The addresses within the site that a page names. */
const targets = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)]
    .map(([, href = ""]) => decodeURI(href.replace(/[?#].*$/, "")))
    .filter((href) => href !== "" && !/^(?:[a-z]+:|\/\/)/i.test(href))

const placeOf = (folder: string, page: string, href: string): string => {
  const path = href.startsWith("/") ? join(folder, href) : join(folder, dirname(page), href)
  return path.endsWith("/") ? join(path, "index.html") : path
}
