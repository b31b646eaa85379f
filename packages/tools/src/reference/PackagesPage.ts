/** The page that lists the published packages. */
import type { Package } from "../Workspace.ts"
import * as Markdown from "./Markdown.ts"

/** Builds the page: one row per package, with a link to its source. Modules document themselves in the source. */
export const make = (packages: ReadonlyArray<Package>): string =>
  Markdown.page([
    "# Packages",
    Markdown.generated,
    Markdown.table(
      ["Package", "Holds"],
      packages.map(({ folder, manifest }) => [
        `[\`${manifest.name}\`](../../packages/${folder}/src/index.ts)`,
        manifest.description ?? ""
      ])
    )
  ])
