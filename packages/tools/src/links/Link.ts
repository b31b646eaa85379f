/** Links of a page to files of this repository. */
import { posix } from "node:path"
import type { TextFile } from "../Workspace.ts"

/**
 * A link: where it stands, the path it leads to from the root of the workspace, and the heading there; `anchor` is empty
 * when it names none.
 */
export interface Link {
  readonly path: string
  readonly line: number
  readonly target: string
  readonly anchor: string
}

/** The links of a Markdown page that do not lead to another host; code holds none. */
export const ofPage = ({ path, text }: TextFile): ReadonlyArray<Link> =>
  withoutCode(text)
    .split("\n")
    .flatMap((content, index) =>
      [...content.matchAll(/\]\(([^()\s]+)\)|src="([^"]+)"/g)]
        .map(([, inText, inHtml]) => inText ?? inHtml ?? "")
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => to(path, index + 1, link))
    )

/** The anchors of a page's headings, as hosting platforms make them. */
export const anchors = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutCode(text, "blocks").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-")
    )
  )

const to = (path: string, line: number, link: string): Link => {
  const [file = "", anchor = ""] = link.split("#")
  const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), decodeURIComponent(file)))
  return { path, line, target, anchor }
}

/** The text with code blanked, so that lines keep their numbers. */
const withoutCode = (text: string, what: "all" | "blocks" = "all"): string => {
  const blocks = text.replace(/^(\s*`{3,})[\s\S]*?^\1`*\s*$/gm, (block) => block.replace(/[^\n]/g, " "))
  return what === "blocks" ? blocks : blocks.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length))
}
