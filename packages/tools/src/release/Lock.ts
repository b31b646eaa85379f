/** The lock file of npm. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Workspace from "../Workspace.ts"

/** The fields of a package in a lock file that are read here. */
export interface Locked {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly dev?: boolean
}

/** A lock file of version 2 or 3: its packages by their places, such as `node_modules/effect`. */
export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

/** The lock file of the workspace. */
export const read = (): Lock =>
  // npm refuses a lock file of another form.
  JSON.parse(readFileSync(join(Workspace.root, "package-lock.json"), "utf8")) as Lock

/** The packages of a registry that are not for development alone, by their places. */
export const installed = ({ packages }: Lock): ReadonlyMap<string, Locked> =>
  new Map(Object.entries(packages).filter(([, { dev, integrity }]) => dev !== true && integrity !== undefined))

/** The name of a package that stands in a place. */
export const nameOf = (place: string, { name }: Locked): string =>
  name ?? place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)

/** A package as `name@version`. */
export const identityOf = (place: string, locked: Locked): string => `${nameOf(place, locked)}@${locked.version}`
