/**
 * `npm run release -- version 1.2.0` writes a version into every manifest and into the changelog. `prepare` makes the files of
 * a release, `check` proves them without a network, and `publish` publishes the packages of a tagged commit.
 *
 * **Details**
 *
 * Nothing is published from a clone whose `origin` is not the repository that the manifests name: provenance would be
 * refused, and the names on the registry may belong to others (`docs/decisions/0019-the-small-command-line.md`).
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Totals from "./check/Totals.ts"
import * as Bill from "./release/Bill.ts"
import * as Checks from "./release/check/Checks.ts"
import * as Network from "./release/check/Network.ts"
import * as Checksums from "./release/Checksums.ts"
import * as Executable from "./release/Executable.ts"
import * as Pieces from "./release/Pieces.ts"
import * as Plan from "./release/Plan.ts"
import * as Release from "./release/Release.ts"
import * as Shell from "./release/Shell.ts"
import * as Site from "./release/Site.ts"
import * as Tree from "./release/Tree.ts"
import * as Workspace from "./Workspace.ts"

const changelogFile = join(Workspace.root, "CHANGELOG.md")
const all = Workspace.packages()
const published = all.filter(({ manifest }) => manifest.private !== true)

const setVersion = (version: string): void => {
  if (!Release.isVersion(version)) Shell.stop(`"${version}" is not a version: write one such as 1.2.0`)
  Shell.mustBeClean()
  const date = Shell.read("git", ["show", "--no-patch", "--format=%cs", "HEAD"])
  const changelog =
    Release.changelog(readFileSync(changelogFile, "utf8"), version, date) ??
    Shell.stop(`CHANGELOG.md has nothing under [Unreleased], or has ${version} already`)
  const names = new Set(all.map(({ manifest }) => manifest.name))
  const files = Workspace.files([
    "packages/*/package.json",
    "packages/tools/site/package.json",
    "examples/*/package.json"
  ])
  for (const { path, text } of files) writeFileSync(join(Workspace.root, path), Release.manifest(text, version, names))
  writeFileSync(changelogFile, changelog)
  Shell.run("npm", ["install", "--package-lock-only", "--ignore-scripts"])
  console.log(`Next: commit all of it as "Release ${version}", and run npm run release -- prepare.`)
}

/** Makes every file of the release from the commit that is checked out. */
const prepare = async (): Promise<void> => {
  Shell.mustBeClean()
  rmSync(Plan.folder, { recursive: true, force: true })
  mkdirSync(join(Plan.folder, Plan.files.packages), { recursive: true })
  Tree.make()
  Tree.bundle()
  const workspaces = published.map(({ manifest }) => `--workspace=${manifest.name}`)
  const destination = join(Plan.folder, Plan.files.packages)
  Shell.run("npm", ["pack", "--silent", "--pack-destination", destination, ...workspaces])
  await Executable.make()
  Pieces.make()
  Site.make()
  Bill.make()
  writeFileSync(Plan.pathOf("notes"), `${notes()}\n`)
  writeFileSync(Plan.pathOf("checksums"), Checksums.of(Plan.folder, Plan.files.checksums))
  console.log(`${globSync("**/*.*", { cwd: Plan.folder }).length} files in release. Next: npm run release -- check`)
}

/** The notes of this version in the changelog; before it has a heading, what is unreleased. */
const notes = (): string => {
  const text = readFileSync(changelogFile, "utf8")
  return Release.notes(text, Plan.version) ?? Release.notes(text, "Unreleased") ?? ""
}

/** Proves the files of the release, in a process without a network where the system has such. */
const check = async (): Promise<void> => {
  const code = Network.isOff() ? null : Network.again()
  if (code !== null) return void (process.exitCode = code)
  if (!Network.isOff()) console.log("!!! The network stays on: this system gives no process a network of its own !!!")
  let totals = Totals.none
  for (const { problems, title } of Checks.all) {
    const found = await problems()
    for (const each of found) console.error(each)
    console.log(`${found.length === 0 ? "ok" : "not ok"}: ${title}`)
    totals = Totals.combine(totals, Totals.one(found.length === 0))
  }
  console.log(Totals.toLine(totals))
  process.exitCode = totals.failed === 0 ? 0 : 1
}

/** An address without the protocol and the ending that differ between git and npm. */
const address = (url: string) =>
  url
    .replace(/^git\+/, "")
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/\.git$/, "")

const publish = (): void => {
  Shell.mustBeClean()
  const { repository, version } = Plan
  if (!Shell.read("git", ["tag", "--points-at", "HEAD"]).split("\n").includes(`v${version}`)) {
    Shell.stop(`HEAD has no tag v${version}`)
  }
  if (Release.notes(readFileSync(changelogFile, "utf8"), version) === null) {
    Shell.stop(`CHANGELOG.md has no [${version}]`)
  }
  const origin = Shell.read("git", ["remote", "get-url", "origin"])
  if (address(origin) !== address(repository.url)) {
    Shell.stop(`origin is ${origin}, and the manifests name ${repository.url}: publish from that repository`)
  }
  const dependencies = published.map(
    ({ manifest }) => [manifest.name, Object.keys(manifest.dependencies ?? {})] as const
  )
  for (const name of Release.order(new Map(dependencies))) Shell.run("npm", ["publish", `--workspace=${name}`])
}

const [command, version = ""] = process.argv.slice(2)
if (command === "version") setVersion(version)
else if (command === "prepare") await prepare()
else if (command === "check") await check()
else if (command === "publish") publish()
else Shell.stop("give version and a version, prepare, check, or publish")
