/** The layout of a data folder, and the version that has written it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/**
 * The places in a data folder.
 *
 * **Details**
 *
 * - `cluster`: the data of PostgreSQL; `fresh`: the same, while it is being made.
 * - `run`: holds the socket; a link to a shorter path when the folder lies too deep for a socket.
 * - `log`: what the server says; `marker`: which format the folder has.
 */
export interface DataFolder {
  readonly root: string
  readonly cluster: string
  readonly fresh: string
  readonly run: string
  readonly log: string
  readonly marker: string
}

/** The data folder at a path, which need not exist. */
export const at = (path: string): DataFolder => {
  const root = resolve(path)
  return {
    root,
    cluster: join(root, "postgres"),
    fresh: join(root, "postgres.new"),
    run: join(root, "run"),
    log: join(root, "postgres.log"),
    marker: join(root, "lazaret.json")
  }
}

/**
 * The format of the folder that this version writes. It changes when another layout of files, or another major version of
 * PostgreSQL, could not be used by an older Lazaret. 0.1.0 writes 2; clones from before it wrote 1.
 */
export const format = 2

/** Makes the folder, readable by the user alone, where it does not exist. */
export const make = (folder: DataFolder): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      mkdirSync(folder.root, { recursive: true, mode: 0o700 })
    },
    catch: (cause) =>
      new EmbeddedPostgresError({
        folder: folder.root,
        reason: "failed",
        message: `The data folder ${folder.root} cannot be made: ${String(cause)}`,
        cause
      })
  })

/** Marks a folder with the format of this version. */
export const mark = (folder: DataFolder): void =>
  writeFileSync(folder.marker, `${JSON.stringify({ format }, null, 2)}\n`)

/** Refuses a folder with data of another format, and writes nothing. */
export const checkFormat = (folder: DataFolder): Effect.Effect<void, EmbeddedPostgresError> => {
  const written = existsSync(folder.marker)
    ? formatOf(readFileSync(folder.marker, "utf8"))
    : existsSync(folder.cluster)
      ? 0
      : format
  if (written === format) return Effect.void
  return written < format
    ? refuse(folder, "earlier", "was written by a clone of Lazaret from before 0.1.0, and was not changed.")
    : refuse(
        folder,
        "newer",
        `was written by a newer version of Lazaret (format ${written}; this version knows ${format}). Start that version.`
      )
}

/** Refuses a folder of another format, and one that PostgreSQL `major` cannot go on with. */
export const check = (folder: DataFolder, major: number): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.andThen(checkFormat(folder), checkMajor(folder, major))

const checkMajor = (folder: DataFolder, major: number): Effect.Effect<void, EmbeddedPostgresError> => {
  const versionFile = join(folder.cluster, "PG_VERSION")
  const found = existsSync(versionFile) ? Number(readFileSync(versionFile, "utf8")) : major
  if (found === major) return Effect.void
  return refuse(
    folder,
    found > major ? "newer" : "older",
    `holds data of PostgreSQL ${found}, but this version brings PostgreSQL ${major}. ` +
      `Start the version of Lazaret that wrote it, or serve the folder with PostgreSQL ${found} and give its URL.`
  )
}

const formatOf = (text: string): number => {
  const found = /"format":\s*(\d+)/u.exec(text)?.[1]
  return found === undefined ? Infinity : Number(found)
}

const refuse = (folder: DataFolder, reason: "earlier" | "newer" | "older", why: string) =>
  Effect.fail(
    new EmbeddedPostgresError({ folder: folder.root, reason, message: `The data folder ${folder.root} ${why}` })
  )
