/** The bill of materials: every package that a release contains, in CycloneDX, as `npm sbom` writes it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"
import * as Lock from "./Lock.ts"
import * as Plan from "./Plan.ts"
import * as Shell from "./Shell.ts"

/** A part of a bill; its address is such as `pkg:npm/%40effect/sql-pg@4.0.5`. */
export interface Component {
  readonly purl?: string
  readonly type?: string
  readonly name?: string
  readonly version?: string
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
  const full = Shell.read("npm", ["sbom", "--sbom-format=cyclonedx", "--package-lock-only"], { cwd: clone })
  const installed = [...Lock.installed(Lock.read())].map(([place, locked]) => Lock.identityOf(place, locked))
  const included = new Set([...installed, ...bundled(), ...own()])
  // What npm prints in this format.
  writeFileSync(Plan.pathOf("bill"), JSON.stringify(part(JSON.parse(full) as Bill, included), null, 2))
  rmSync(join(clone, ".."), { recursive: true })
}

/**
 * The part of a bill that has some packages, such as `@effect/sql-pg@4.0.5`, and the Node of the programs. (`npm sbom --omit=dev`
 * leaves out what one package of a workspace needs to run when another has it for development.)
 */
export const part = (full: Bill, included: ReadonlySet<string>): Bill => {
  const node = { type: "application", name: "node", version: process.versions.node }
  return { ...full, components: [...full.components.filter((each) => included.has(identityOf(each))), node] }
}

/** The package that a component is, as `name@version`. */
export const identityOf = ({ purl = "" }: Component): string => decodeURIComponent(purl.replace(/^pkg:npm\//, ""))

const own = (): ReadonlyArray<string> =>
  Workspace.packages()
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ manifest }) => `${manifest.name}@${Plan.version}`)

/** The libraries that the dashboard imports; its build compiles them into its files. */
const bundled = (): ReadonlyArray<string> => {
  const app = Workspace.files(["packages/web/app/**/*.{ts,tsx}"])
  return Object.entries(Workspace.manifest("packages/web").devDependencies ?? {})
    .filter(([name]) => !name.startsWith("@lazaret/") && app.some(({ text }) => text.includes(`"${name}`)))
    .map(([name, version]) => `${name}@${version}`)
}
