/**
 * A consumer of the published packages: the examples, in a folder where the packages stand as npm would unpack them.
 *
 * **Details**
 *
 * The folder is below the workspace, so that Node finds the libraries of others there. Our packages are found in it first,
 * without their sources being preferred: what runs is what is published.
 */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import * as ManifestRule from "../boundaries/ManifestRule.ts"
import * as ModuleImport from "../boundaries/ModuleImport.ts"
import * as Workspace from "../Workspace.ts"

/** The outcome of one check: `problem` is null when it passed. */
export interface Check {
  readonly problem: string | null
}

const folder = join(Workspace.root, ".cache/consumer")

/** Packs every public package, unpacks it for the consumer, copies the examples next to it, and yields their names. */
export const prepare = (): ReadonlyArray<string> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, "packed"), { recursive: true })
  const published = Workspace.packages().filter(({ manifest }) => manifest.private !== true)
  const workspaces = published.map(({ manifest }) => `--workspace=${manifest.name}`)
  must("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", join(folder, "packed"), ...workspaces])
  for (const { manifest } of published) unpack(manifest.name)
  cpSync(join(Workspace.root, "examples"), join(folder, "examples"), { recursive: true })
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(compilation))
  return globSync("examples/*/main.ts", { cwd: folder })
    .map((path) => path.split(/[\\/]/)[1] ?? "")
    .sort()
}

const unpack = (name: string): void => {
  const target = join(folder, "node_modules", name)
  mkdirSync(target, { recursive: true })
  const [file = ""] = globSync(`packed/${name.replace("@", "").replace("/", "-")}-*.tgz`, { cwd: folder })
  must("tar", ["-xzf", join(folder, "packed", basename(file)), "-C", target, "--strip-components=1"])
}

const must = (command: string, args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(command, args, { cwd: Workspace.root, stdio: ["ignore", "ignore", "inherit"] })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`)
}

/** The compiler settings of a strict project, without any setting of this repository. */
const compilation = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    // Skip the type check of third-party libraries.
    skipLibCheck: true,
    types: ["node"]
  },
  include: ["examples"]
}

/** Whether all examples have the types that the packed packages promise. */
export const types = (): Check => {
  const { status, stdout } = spawnSync("tsc", ["-p", "tsconfig.json"], { cwd: folder, encoding: "utf8" })
  return { problem: status === 0 ? null : `the types of the examples:\n${stdout}` }
}

/** Whether an example's manifest declares the packages that its code imports. */
export const declared = (name: string): Check => {
  const manifest = Workspace.manifest(`examples/${name}`)
  const imports = Workspace.files([`examples/${name}/**/*.ts`]).flatMap(ModuleImport.ofFile)
  const names = new Set(imports.flatMap(({ specifier }) => (specifier && ModuleImport.packageOf(specifier)) || []))
  const problems = [...ManifestRule.undeclared(manifest, names), ...superfluous(name, manifest, names)]
  return { problem: problems.length === 0 ? null : `examples/${name}/package.json ${problems.join("; ")}` }
}

/** The server is started by its command, not imported. */
const superfluous = (name: string, manifest: Workspace.Manifest, names: ReadonlySet<string>): ReadonlyArray<string> =>
  name === "run-the-server" ? [] : ManifestRule.unused(manifest, names)

/** Whether an example prints what it says it prints. */
export const run = (name: string): Check => {
  const place = join(folder, "examples", name)
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--no-warnings", "main.ts"], {
    cwd: place,
    encoding: "utf8",
    timeout: 300_000
  })
  const expected = readFileSync(join(place, "output.txt"), "utf8")
  if (status === 0 && stdout === expected) return { problem: null }
  return { problem: `examples/${name} ended with ${status}\n${stderr}--- expected\n${expected}--- printed\n${stdout}` }
}
