/**
 * The files of the server, made without a container daemon by the steps of the `Dockerfile`: what its first stage runs, and
 * what its second stage copies.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Dockerfile from "./Dockerfile.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** Makes the tree of the commit that is checked out, and fills the cache with each package of the lock file on the way. */
export const make = (): void => {
  const { copied, steps } = Dockerfile.parse(readFileSync(join(Workspace.root, "Dockerfile"), "utf8"))
  const clone = join(mkdtempSync(join(tmpdir(), "lazaret-release-")), "lazaret")
  Shell.run("git", ["clone", "--quiet", "--depth=1", `file://${Workspace.root}`, clone])
  rmSync(Plan.workshop, { recursive: true, force: true })
  mkdirSync(Plan.workshop, { recursive: true })
  const env = { ...process.env, npm_config_cache: Plan.cache }
  for (const step of steps) Shell.run("sh", ["-c", step], { cwd: clone, env })
  mkdirSync(Plan.tree)
  for (const name of copied) {
    cpSync(join(clone, name), join(Plan.tree, name), { recursive: true, verbatimSymlinks: true })
  }
  rmSync(join(clone, ".."), { recursive: true })
}

/**
 * The tree next to the Node of the lock file, and a command that starts it, as an archive. The Node is that of the clone, so
 * the archive is for the platform of this process.
 */
export const bundle = (): void => {
  const parent = join(Plan.workshop, "bundle")
  const name = `lazaret-server-${Plan.version}`
  const folder = join(parent, name)
  cpSync(Plan.tree, folder, { recursive: true, verbatimSymlinks: true })
  mkdirSync(join(folder, "bin"))
  cpSync(process.execPath, join(folder, "bin/node"))
  writeFileSync(join(folder, "bin/lazaret"), command)
  chmodSync(join(folder, "bin/lazaret"), 0o755)
  Shell.archive(Plan.pathOf("server"), parent, name)
  rmSync(parent, { recursive: true })
}

/** Less space for young objects: `docs/decisions/0016-uploads.md`. */
const command = `#!/bin/sh
# The command lazaret, with the Node next to it.
here=$(dirname "$(readlink -f "$0")")
exec "$here/node" --max-semi-space-size=16 "$here/../packages/server/bin/lazaret.js" "$@"
`
