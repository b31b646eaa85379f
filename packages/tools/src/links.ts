/**
 * `npm run links`: refuses a link in a page that leads to no file, to no heading of it, or to no declaration of a module.
 * Links to other hosts are left alone: a check must not need the network.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Link from "./links/Link.ts"
import * as Workspace from "./Workspace.ts"

const pages = Workspace.files(["*.md", "{docs,examples}/**/*.md", "packages/*/README.md"])
const headings = new Map(pages.map(({ path, text }) => [path, Link.anchors(text)]))
const links = pages.flatMap(Link.ofPage)

const isBroken = ({ anchor, target }: Link.Link): boolean => {
  if (anchor !== "" && headings.has(target)) return headings.get(target)?.has(anchor) !== true
  const file = join(Workspace.root, target)
  if (!existsSync(file)) return true
  return anchor !== "" && target.endsWith(".ts") && !Link.declares(readFileSync(file, "utf8"), anchor)
}

const broken = links.filter(isBroken)
for (const { anchor, line, path, target } of broken) {
  console.error(`${path}:${line} leads to ${target}${anchor === "" ? "" : `#${anchor}`}, which does not exist`)
}
console.log(`${links.length} links in ${pages.length} pages, ${broken.length} broken`)
process.exitCode = broken.length === 0 ? 0 : 1
