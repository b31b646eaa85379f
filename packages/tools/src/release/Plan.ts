/** The files of a release, and where they are made. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"

/** The folder of the finished files. */
export const folder = join(Workspace.root, "release")

/** The folder of what is needed on the way: the tree of the server, and the cache of npm. */
export const workshop = join(Workspace.root, ".cache/release")

/** A cache that holds each package of the lock file, and no other. */
export const cache = join(workshop, "npm")

/** The files of the server, as the image holds them below `/lazaret`. */
export const tree = join(workshop, "lazaret")

/** The version of all packages, and the address of the repository. */
export const { repository, version } = JSON.parse(
  readFileSync(join(Workspace.root, "packages/server/package.json"), "utf8")
  // The check of published packages refuses a manifest without them.
) as { readonly repository: { readonly url: string }; readonly version: string }

/** The system for which the programs are made: that of this process, such as `linux-x64`. */
const platform = `${process.platform}-${process.arch}`

/** The names of the finished files, relative to {@link folder}. */
export const files = {
  packages: "npm",
  cli: `lazaret-${version}-${platform}`,
  server: `lazaret-server-${version}-${platform}.tar.gz`,
  action: `lazaret-github-action-${version}.tar.gz`,
  component: `lazaret-gitlab-component-${version}.tar.gz`,
  site: `lazaret-docs-${version}.tar.gz`,
  bill: `lazaret-${version}.cdx.json`,
  notes: "NOTES.md",
  checksums: "SHA256SUMS"
} as const

/** The path of a finished file. */
export const pathOf = (name: keyof typeof files): string => join(folder, files[name])
