/** The checks of a finished release, without a network. */
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Workspace from "../../Workspace.ts"
import * as Bill from "../Bill.ts"
import * as Checksums from "../Checksums.ts"
import * as Lock from "../Lock.ts"
import * as Plan from "../Plan.ts"
import * as Program from "./Program.ts"
import * as Registry from "./Registry.ts"
import * as Running from "./Running.ts"
import * as Site from "./Site.ts"

/** A check: what it shows, and the problems that it finds. */
export interface Check {
  readonly title: string
  readonly problems: () => Promise<ReadonlyArray<string>> | ReadonlyArray<string>
}

const inFolder = async <A>(use: (folder: string) => Promise<A> | A): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-check-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Unpacks an archive of the release, and yields the folder that it holds. */
const unpacked = async (name: "action" | "component" | "server" | "site", into: string): Promise<string> => {
  await Program.run({ command: "tar", args: ["-xzf", Plan.pathOf(name)], cwd: into, env: process.env })
  const [folder = ""] = globSync("lazaret-*", { cwd: into })
  return join(into, folder)
}

const unless = (isWell: boolean, problem: string): ReadonlyArray<string> => (isWell ? [] : [problem])

/** The packages, in a project of a stranger that installs them from files and all else from a registry. */
const stranger = (): Promise<ReadonlyArray<string>> =>
  inFolder(async (folder) => {
    const registry = await Registry.start(Lock.read(), Plan.cache)
    const tarballs = globSync("*.tgz", { cwd: join(Plan.folder, Plan.files.packages) })
    const { version: effect } = JSON.parse(
      readFileSync(join(Workspace.root, "node_modules/effect/package.json"), "utf8")
    )
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "stranger", private: true, type: "module" }))
    const files = tarballs.map((each) => join(Plan.folder, Plan.files.packages, each))
    const settings = [`--registry=${registry.url}`, `--cache=${join(folder, ".npm")}`, "--no-audit", "--no-fund"]
    const installed = await Program.run({
      command: "npm",
      args: ["install", ...settings, `effect@${effect}`, ...files],
      cwd: folder,
      env: process.env
    })
    registry.close()
    if (installed.code !== 0) return [`npm install ended with ${installed.code}\n${installed.output}`]
    cpSync(join(Workspace.root, "examples"), join(folder, "examples"), { recursive: true })
    const problems: Array<string> = []
    for (const name of globSync("examples/*/main.ts", { cwd: folder })) problems.push(...(await example(folder, name)))
    const command = { command: join(folder, "node_modules/.bin/lazaret"), args: ["--version"], cwd: folder }
    const { output } = await Program.run({ ...command, env: process.env })
    return [...problems, ...unless(output.includes(Plan.version), `lazaret --version prints ${output}`)]
  })

const example = async (folder: string, main: string): Promise<ReadonlyArray<string>> => {
  const cwd = join(folder, main, "..")
  const args = ["--no-warnings", basename(main)]
  const { code, output, stdout } = await Program.run({ command: process.execPath, args, cwd, env: process.env })
  const expected = readFileSync(join(cwd, "output.txt"), "utf8")
  return unless(code === 0 && stdout === expected, `${main} ended with ${code} and printed\n${output}`)
}

/** The server from its archive, asked by the command line in one file, by a browser, by the action and by the component. */
const programs = (): Promise<ReadonlyArray<string>> =>
  inFolder(async (folder) => {
    const places = {
      server: join(folder, "server"),
      action: join(folder, "action"),
      component: join(folder, "component")
    }
    for (const each of Object.values(places)) mkdirSync(each)
    const server = await Running.start(await unpacked("server", places.server), join(folder, "data"))
    try {
      return [
        ...(await Running.commandLine(server, folder)),
        ...(await Running.dashboard(server)),
        ...(await Running.ownTests(server, await unpacked("action", places.action))),
        ...(await Running.ownTests(server, await unpacked("component", places.component)))
      ]
    } finally {
      await server.stop()
    }
  })

/** The bill names each package of the lock file that is not for development alone. */
const bill = (): ReadonlyArray<string> => {
  // The step `prepare` wrote the file.
  const { components } = JSON.parse(readFileSync(Plan.pathOf("bill"), "utf8")) as Bill.Bill
  const listed = new Set(components.map(Bill.identityOf))
  return [...Lock.installed(Lock.read())]
    .map(([place, locked]) => Lock.identityOf(place, locked))
    .filter((each) => !listed.has(each))
    .map((each) => `the bill of materials lacks ${each}`)
}

const site = (): Promise<ReadonlyArray<string>> =>
  inFolder(async (folder) => {
    const pages = await unpacked("site", folder)
    const assets = globSync("assets/**", { cwd: pages })
    return [
      ...Site.broken(pages),
      ...unless(globSync("**/*.html", { cwd: pages }).length > 50, "the site has few pages"),
      ...unless(
        assets.some((each) => each.includes("localSearchIndex")),
        "the site has no index for its search"
      ),
      ...unless(styles(pages, assets).includes("@media print"), "the site has no styles for paper"),
      ...unless(styles(pages, assets).includes(".dark"), "the site has no dark colours")
    ]
  })

const styles = (pages: string, assets: ReadonlyArray<string>): string =>
  assets
    .filter((each) => each.endsWith(".css"))
    .map((each) => readFileSync(join(pages, each), "utf8"))
    .join("")

/** All checks, the quick ones first. */
export const all: ReadonlyArray<Check> = [
  {
    title: "the checksums are those of the files",
    problems: () =>
      unless(
        Checksums.of(Plan.folder, Plan.files.checksums) === readFileSync(Plan.pathOf("checksums"), "utf8"),
        "a file was changed, is missing, or is not listed"
      )
  },
  { title: "the bill of materials lists what is installed", problems: bill },
  { title: "the pages of the site lead to each other", problems: site },
  { title: "server, command line, action and component work together", problems: programs },
  { title: "a project of a stranger installs the packages and runs the examples", problems: stranger }
]
