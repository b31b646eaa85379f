/**
 * `npm run release -- prepare 1.2.0`: writes a version into every manifest and into the changelog, and checks what would be
 * published. `npm run release -- publish`: publishes the version of a tagged commit.
 *
 * **Details**
 *
 * Nothing is published from a clone whose `origin` is not the repository that the manifests name: provenance would be
 * refused, and the names on the registry may belong to others (`docs/decisions/0019-the-small-command-line.md`).
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Release from "./release/Release.ts"
import * as Workspace from "./Workspace.ts"

const changelogFile = join(Workspace.root, "CHANGELOG.md")
const all = Workspace.packages()
const published = all.filter(({ manifest }) => manifest.private !== true)

const stop = (sentence: string): never => {
  console.error(`release: ${sentence}`)
  process.exit(1)
}

const run = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(command, args, { cwd: Workspace.root, stdio: "inherit" })
  if (status !== 0) stop(`${command} ${args.join(" ")} failed`)
}

const git = (...args: ReadonlyArray<string>): string =>
  spawnSync("git", args, { cwd: Workspace.root, encoding: "utf8" }).stdout.trim()

const mustBeClean = () => {
  if (git("status", "--porcelain") !== "") stop("the clone has changes that are not committed")
}

const prepare = (version: string): void => {
  if (!Release.isVersion(version)) stop(`"${version}" is not a version: write one such as 1.2.0`)
  mustBeClean()
  const date = git("show", "--no-patch", "--format=%cs", "HEAD")
  const changelog =
    Release.changelog(readFileSync(changelogFile, "utf8"), version, date) ??
    stop(`CHANGELOG.md has nothing under [Unreleased], or has ${version} already`)
  const names = new Set(all.map(({ manifest }) => manifest.name))
  const files = Workspace.files(["packages/*/package.json", "examples/*/package.json"])
  for (const { path, text } of files) writeFileSync(join(Workspace.root, path), Release.manifest(text, version, names))
  writeFileSync(changelogFile, changelog)
  run("npm", "install", "--package-lock-only", "--ignore-scripts")
  run("npm", "run", "--silent", "published")
  run("npm", "run", "--silent", "peers")
  console.log(
    `Next: run npm test and npm run check, commit all of it as "Release ${version}", and tag the commit v${version}.`
  )
}

/** An address without the protocol and the ending that differ between git and npm. */
const address = (url: string) =>
  url
    .replace(/^git\+/, "")
    .replace(/^git@([^:]+):/, "https://$1/")
    .replace(/\.git$/, "")

const publish = (): void => {
  mustBeClean()
  const { repository, version } = JSON.parse(
    readFileSync(join(Workspace.root, "packages/server/package.json"), "utf8")
    // The check of published packages refuses a manifest without them.
  ) as { readonly repository: { readonly url: string }; readonly version: string }
  if (!git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)) stop(`HEAD has no tag v${version}`)
  if (Release.notes(readFileSync(changelogFile, "utf8"), version) === null) stop(`CHANGELOG.md has no [${version}]`)
  const origin = git("remote", "get-url", "origin")
  if (address(origin) !== address(repository.url)) {
    stop(`origin is ${origin || "not set"}, and the manifests name ${repository.url}: publish from that repository`)
  }
  const dependencies = published.map(
    ({ manifest }) => [manifest.name, Object.keys(manifest.dependencies ?? {})] as const
  )
  for (const name of Release.order(new Map(dependencies))) run("npm", "publish", `--workspace=${name}`)
}

const [command, version = ""] = process.argv.slice(2)
if (command === "prepare") prepare(version)
else if (command === "publish") publish()
else stop("give prepare and a version, or publish")
