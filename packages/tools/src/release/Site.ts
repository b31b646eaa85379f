/** The documentation as a static site. */
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** Builds the site, whose generator has a lock file of its own, and packs it. */
export const make = (): void => {
  const generator = join(Workspace.root, "packages/tools/site")
  Shell.run("npm", ["ci", "--silent"], { cwd: generator })
  Shell.run("npm", ["run", "--silent", "build"], { cwd: generator })
  const parent = join(Plan.workshop, "site")
  const name = `lazaret-docs-${Plan.version}`
  mkdirSync(parent, { recursive: true })
  cpSync(join(generator, "dist"), join(parent, name), { recursive: true })
  Shell.archive(Plan.pathOf("site"), parent, name)
  rmSync(parent, { recursive: true })
}
