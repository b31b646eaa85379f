/** The checksums of the files of a release, in the form that `sha256sum --check` reads. */
import { createHash } from "node:crypto"
import { globSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** The lines for every file below a folder but the one that holds the lines, in the order of their names. */
export const of = (folder: string, own: string): string =>
  globSync("**", { cwd: folder })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path !== own && statSync(join(folder, path)).isFile())
    .sort()
    .map((path) => `${digest(join(folder, path))}  ${path}\n`)
    .join("")

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")
