/** The bill of materials: every package that a release contains, in CycloneDX, as `npm sbom` writes it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** A part of a bill. */
export interface Component {
  readonly name: string
  readonly version: string
  readonly "bom-ref"?: string
}

/** The fields of a bill that are read here. */
export interface Bill {
  readonly components: ReadonlyArray<Component>
}

/** Writes the bill of the commit that is checked out. */
export const make = (): void => {
  const clone = join(mkdtempSync(join(tmpdir(), "lazaret-bill-")), "lazaret")
  Shell.run("git", ["clone", "--quiet", "--depth=1", `file://${Workspace.root}`, clone])
  // The manifest at the top is never published and has no version, but npm wants one.
  Shell.run("npm", ["pkg", "set", `version=${Plan.version}`], { cwd: clone })
  const installed = sbom(clone, "--omit=dev")
  writeFileSync(Plan.pathOf("bill"), JSON.stringify(complete(installed, sbom(clone), bundled()), null, 2))
  rmSync(join(clone, ".."), { recursive: true })
}

/**
 * The bill of the packages that are installed, with those that are compiled into files, of which the full bill knows more,
 * and the Node of the programs.
 */
export const complete = (installed: Bill, full: Bill, names: ReadonlyArray<string>): Bill => {
  const added = full.components.filter(({ name }) => names.includes(name))
  const node = { type: "application", name: "node", version: process.versions.node, "bom-ref": "node" }
  return { ...installed, components: [...installed.components, ...added, node] }
}

const sbom = (cwd: string, ...options: ReadonlyArray<string>): Bill =>
  // What npm prints in this format.
  JSON.parse(Shell.read("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", ...options], { cwd })) as Bill

/** The libraries that the dashboard imports; its build compiles them into its files. */
const bundled = (): ReadonlyArray<string> => {
  const names = Object.keys(Workspace.manifest("packages/web").devDependencies ?? {})
  const app = Workspace.files(["packages/web/app/**/*.{ts,tsx}"])
  return names.filter((name) => !name.startsWith("@lazaret/") && app.some(({ text }) => text.includes(`"${name}`)))
}
