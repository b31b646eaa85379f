/**
 * The `prepack` script of every package: npm runs it in the folder of a package before it packs or publishes the package. It
 * compiles the package, builds its other files, and copies the licence next to its manifest.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "./Workspace.ts"

const folder = process.cwd()

/** npm puts the programs of the workspace into the PATH of its scripts. Output goes to stderr: stdout of `npm pack` is data. */
const must = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ["ignore", 2, 2] })
  if (status !== 0) process.exit(1)
}

must("tsc", "-b")
if (existsSync(join(folder, "build.ts"))) must(process.execPath, "build.ts")
copyFileSync(join(Workspace.root, "LICENSE"), join(folder, "LICENSE"))
