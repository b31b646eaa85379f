/** The user that the server runs as: PostgreSQL refuses to run as root. */
import { existsSync, readFileSync, statSync } from "node:fs"

/** A user of this machine. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * The candidates for the user when root starts the server: one made for it, the one that packages of PostgreSQL make, and
 * the one that nearly every machine has.
 */
export const candidates: ReadonlyArray<string> = ["lazaret", "postgres", "nobody"]

/**
 * The user of the server: `Self` for the user of this process, `Other` when this process is root, `None` when this
 * process is root and no such user exists.
 */
export type Choice =
  | { readonly _tag: "Self" }
  | { readonly _tag: "Other"; readonly user: ServerUser }
  | { readonly _tag: "None" }

/**
 * The user to run the server as.
 *
 * **Details**
 *
 * Existing data belong to a user, who runs the server again. For new data root takes the first of `candidates` that
 * `/etc/passwd` knows.
 */
export const choose = (cluster: string): Choice => {
  if (process.getuid?.() !== 0) return { _tag: "Self" }
  const user = ownerOf(cluster) ?? firstOf(existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "")
  return user === null ? { _tag: "None" } : { _tag: "Other", user }
}

/** The first of `candidates` in a file with the format of `/etc/passwd`. */
export const firstOf = (passwd: string): ServerUser | null => {
  const lines = passwd.split("\n").map((line) => line.split(":"))
  for (const name of candidates) {
    const [, , uid, gid] = lines.find(([first]) => first === name) ?? []
    if (uid !== undefined && gid !== undefined && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  return null
}

const ownerOf = (cluster: string): ServerUser | null => {
  if (!existsSync(cluster)) return null
  const { gid, uid } = statSync(cluster)
  return uid === 0 ? null : { uid, gid }
}
