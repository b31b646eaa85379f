/**
 * The pages of `docs/` as a static site. `npm run release -- prepare` builds it; `npm run build --prefix packages/tools/site`
 * does so alone, after `npm ci --prefix packages/tools/site`.
 *
 * A link to a file outside of `docs/` leads to that file in the repository. Any other link that leads nowhere fails the build.
 */
import { cpSync, globSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join, posix } from "node:path"
import { defineConfig } from "vitepress"

const root = join(import.meta.dirname, "../../../..")
const docs = join(root, "docs")
const { repository, version } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8"))
const address = String(repository.url)
  .replace(/^git\+/, "")
  .replace(/\.git$/, "")

// Modules of a page are resolved from its own folder upwards, so the pages are copied to a folder that sees them.
const pages = join(import.meta.dirname, "../pages")
rmSync(pages, { recursive: true, force: true })
cpSync(docs, pages, { recursive: true })
for (const path of globSync("**/README.md", { cwd: pages })) {
  renameSync(join(pages, path), join(pages, dirname(path), "index.md"))
}

const titleOf = (path: string): string =>
  /^# (.+)$/m.exec(readFileSync(join(docs, path), "utf8"))?.[1]?.replaceAll("`", "") ?? basename(path, ".md")

/** The rooms of the documentation in the order in which a reader needs them. */
const rooms = [
  ["tutorial", "Tutorial"],
  ["how-to", "How to"],
  ["explanation", "Explanation"],
  ["reference", "Reference"],
  ["measurements", "Measurements"],
  ["decisions", "Decisions"]
] as const

/** The pages in the order in which the first page names them; what it does not name comes last. */
const named = [...readFileSync(join(docs, "README.md"), "utf8").matchAll(/\]\(([\w./-]+\.md)/g)].map(([, path]) => path)
const rank = (path: string): number => (named.includes(path) ? named.indexOf(path) : named.length)

const sidebar = rooms.map(([folder, text]) => ({
  text,
  collapsed: folder === "decisions" || folder === "measurements",
  items: globSync(`${folder}/*.md`, { cwd: docs })
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((path) => ({ text: titleOf(path), link: `/${path.replace(/README\.md$/, "").replace(/\.md$/, "")}` }))
}))

/** Where a link of a page leads: in the repository, when it leaves `docs/`, else to a page of the site. */
const targetOf = (page: string, href: string): string => {
  if (/^[a-z]+:|^[/#]/i.test(href)) return href
  const path = posix.join("docs", dirname(page), href)
  return path.startsWith("docs/")
    ? href.replace(/README\.md(?=#|$)/, "index.md")
    : `${address}/blob/v${version}/${path}`
}

export default defineConfig({
  title: "Lazaret",
  description: "Which tests can be trusted, and whose failure a failure is.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: ".cache",
  base: process.env["SITE_BASE"] ?? "/",
  cleanUrls: false,
  lastUpdated: false,
  // The compiler settings of the repository are newer than what Vite 5 knows.
  vite: { esbuild: { tsconfigRaw: { compilerOptions: { target: "es2022" } } } },
  markdown: {
    html: false,
    config: (md) => {
      md.core.ruler.push("links", (state) => {
        for (const token of state.tokens.flatMap((each) => each.children ?? [])) {
          // Code is text, and not a template of the page.
          if (token.type === "code_inline") token.attrSet("v-pre", "")
          const href = token.type === "link_open" ? token.attrGet("href") : null
          if (href !== null) token.attrSet("href", targetOf(state.env.relativePath, href))
        }
      })
    }
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: address }],
    footer: { message: `Version ${version}. Licence: Apache 2.0.` }
  }
})
