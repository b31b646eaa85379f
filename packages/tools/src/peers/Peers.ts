/** Projects outside of the workspace that install the packed packages next to one version of Effect. */
import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"

/** A packed package: its name, the range of its peer `effect`, and its file. */
export interface Tarball {
  readonly name: string
  readonly range: string
  readonly file: string
}

/** The outcome for one version of Effect. */
export interface Check {
  readonly isWell: boolean
  readonly lines: ReadonlyArray<string>
}

const npm = (args: ReadonlyArray<string>, cwd: string) =>
  spawnSync("npm", [...args, "--fetch-retries=1"], { cwd, encoding: "utf8", maxBuffer: 2 ** 26 })

/** The newest version of Effect 4 in the registry; null when no registry answers. */
export const highest = (): string | null => {
  const { status, stdout } = npm(["view", "effect@^4.0.0", "version", "--json"], Workspace.root)
  if (status !== 0) return null
  // One version is a string, several are a list in their order.
  const versions = JSON.parse(stdout) as string | ReadonlyArray<string>
  return typeof versions === "string" ? versions : (versions.at(-1) ?? null)
}

/** Packs the packages with the peer `effect`. */
export const pack = (): ReadonlyArray<Tarball> => {
  const folder = join(Workspace.root, ".cache/peers")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const manifests = Workspace.packages()
    .map(({ manifest }) => manifest)
    .filter(({ private: isPrivate }) => isPrivate !== true)
  const workspaces = manifests.map(({ name }) => `--workspace=${name}`)
  const { status, stderr } = npm(["pack", "--silent", "--pack-destination", folder, ...workspaces], Workspace.root)
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  return manifests.map(({ name, peerDependencies }) => {
    const [file = ""] = globSync(`${name.replace("@", "").replace("/", "-")}-[0-9]*.tgz`, { cwd: folder })
    return { name, range: peerDependencies?.["effect"] ?? "*", file: join(folder, file) }
  })
}

/** The versions to try: the lower bound of each range, and the highest that exists. */
export const versions = (tarballs: ReadonlyArray<Tarball>, newest: string): ReadonlyArray<string> => [
  ...new Set([...tarballs.map(({ range }) => lowerBound(range)).filter((each) => each !== null), newest])
]

const lowerBound = (range: string): string | null => /^\^(\d+\.\d+\.\d+)$/.exec(range)?.[1] ?? null

/** Installs the packages that allow a version of Effect next to it, and runs the examples that need no other package. */
export const check = (tarballs: ReadonlyArray<Tarball>, version: string): Check => {
  const allowed = tarballs.filter(({ range }) => isAllowed(range, version))
  const folder = mkdtempSync(join(tmpdir(), "lazaret-peers-"))
  try {
    const problem = install(folder, version, allowed) ?? examplesOf(folder, allowed)
    const title = `effect ${version} with ${allowed.length} packages`
    return problem === null
      ? { isWell: true, lines: [`${title}: installed, one copy of Effect, examples have their types and run`] }
      : { isWell: false, lines: [`${title}: ${problem}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether a caret range has a version of the same major version. */
const isAllowed = (range: string, version: string): boolean => {
  const lowest = lowerBound(range)
  return lowest === null || (major(lowest) === major(version) && compare(lowest, version) <= 0)
}

const numbers = (version: string) => version.split(".").map(Number)
const major = (version: string) => numbers(version)[0]
const compare = (a: string, b: string): number => {
  const right = numbers(b)
  return (
    numbers(a)
      .map((each, index) => each - (right[index] ?? 0))
      .find((each) => each !== 0) ?? 0
  )
}

/** The sentence of the fault, or null. */
const install = (folder: string, version: string, allowed: ReadonlyArray<Tarball>): string | null => {
  const files = allowed.map(({ file }) => file)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
  const { status, stderr } = npm(["install", "--no-audit", "--no-fund", `effect@${version}`, ...files], folder)
  if (status !== 0) return `npm install failed: ${stderr.slice(-2000)}`
  const copies = globSync("node_modules/**/effect/package.json", { cwd: folder })
  return copies.length === 1 ? null : `${copies.length} copies of Effect: ${copies.join(", ")}`
}

const examplesOf = (folder: string, allowed: ReadonlyArray<Tarball>): string | null => {
  const installed = new Set([...allowed.map(({ name }) => name), "effect"])
  const examples = globSync("examples/*/package.json", { cwd: Workspace.root })
    .map((path) => path.split(/[\\/]/)[1] ?? "")
    .filter((name) =>
      Object.keys(Workspace.manifest(`examples/${name}`).dependencies ?? {}).every((each) => installed.has(each))
    )
  for (const name of examples) cpSync(join(Workspace.root, "examples", name), join(folder, name), { recursive: true })
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(compilation))
  const types = spawnSync("tsc", ["-p", "tsconfig.json", "--typeRoots", join(Workspace.root, "node_modules/@types")], {
    cwd: folder,
    encoding: "utf8"
  })
  if (types.status !== 0) return `the types of the examples: ${types.stdout}`
  const failed = examples.filter((name) => !runs(join(folder, name)))
  if (examples.length === 0) return "no example runs with these packages"
  return failed.length === 0 ? null : `these examples fail: ${failed.join(", ")}`
}

const runs = (folder: string): boolean => {
  const { status, stdout } = spawnSync(process.execPath, ["--no-warnings", "main.ts"], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000
  })
  const { text = "" } = Workspace.files([`examples/${folder.slice(folder.lastIndexOf("/") + 1)}/output.txt`])[0] ?? {}
  return status === 0 && stdout === text
}

/** A strict project that checks the declarations of the packages, too. */
const compilation = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"]
  }
}
