/** The pieces that CI systems load by name: the action for GitHub and the component for GitLab, each with its tests. */
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** Packs both, each as the content of a repository of its own. */
export const make = (): void => {
  pack("action", "github-action")
  pack("component", "gitlab")
}

const pack = (file: "action" | "component", folder: string): void => {
  const parent = join(Plan.workshop, "pieces")
  const name = Plan.files[file].replace(/\.tar\.gz$/, "")
  mkdirSync(parent, { recursive: true })
  cpSync(join(Workspace.root, "packages/integrations", folder), join(parent, name), { recursive: true })
  cpSync(join(Workspace.root, "LICENSE"), join(parent, name, "LICENSE"))
  Shell.archive(Plan.pathOf(file), parent, name)
  rmSync(parent, { recursive: true })
}
