/** Links of a page to files of this repository, read with a Markdown parser. */
import { posix } from "node:path"
import { parse } from "@textlint/markdown-to-ast"
import GithubSlugger from "github-slugger"
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

/** Yields the links and images of a Markdown page that do not lead to another host. */
export const ofPage = ({ path, text }: TextFile): ReadonlyArray<Link> =>
  nodesOf(parse(text)).flatMap((node) =>
    urlsOf(node)
      .filter((url) => !/^[a-z]+:/.test(url))
      .map((url) => to(path, node.loc.start.line, url))
  )

/** Yields the anchors of a page: those that GitHub makes of its headings, and the ids of its HTML elements. */
export const anchors = (text: string): ReadonlySet<string> => {
  const slugger = new GithubSlugger()
  return new Set(
    nodesOf(parse(text)).flatMap((node) => {
      if (node.type === "Header") return [slugger.slug(textOf(node))]
      return node.type === "Html" ? [...(node.value ?? "").matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id) : []
    })
  )
}

/** Whether a module declares a name at its top level. */
export const declares = (module: string, name: string): boolean =>
  new RegExp(`^(?:export )?(?:const|class|interface|type|function\\*?) ${name}\\b`, "mu").test(module)

/** The fields of a node of the parser's tree that the check reads. */
interface Node {
  readonly type: string
  readonly loc: { readonly start: { readonly line: number } }
  readonly url?: string
  readonly value?: string
  readonly children?: ReadonlyArray<Node>
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.children ?? []).flatMap(nodesOf)]

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join("")

const urlsOf = ({ type, url, value = "" }: Node): ReadonlyArray<string> =>
  type === "Html" ? [...value.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, each = ""]) => each) : url ? [url] : []

const to = (path: string, line: number, link: string): Link => {
  const [file = "", anchor = ""] = link.split("#")
  const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), decodeURIComponent(file)))
  return { path, line, target, anchor }
}
