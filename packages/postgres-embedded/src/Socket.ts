/** The folder of the server's socket. */
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { Effect, type Scope } from "effect"
import type { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import type { DataFolder } from "./DataFolder.ts"
import type { ServerUser } from "./ServerUser.ts"

/** The name of the socket in its folder. */
export const name = ".s.PGSQL.5432"

/** Whether a socket in a folder has a path that every system can bind (103 bytes on macOS, 107 on Linux). */
export const fits = (folder: string): boolean => Buffer.byteLength(join(folder, name)) <= 103

/**
 * The folder for the socket, until the scope closes: `run` in the data folder, or one with a short path, which `run` then
 * leads to, so that the next start finds it when this one was killed.
 */
export const acquire = (
  folder: DataFolder,
  user: ServerUser | null
): Effect.Effect<string, EmbeddedPostgresError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(folder.root, "make the folder of the socket", () => {
      remove(folder.run)
      const path = fits(folder.run) ? folder.run : mkdtempSync(join(shortFolder(), prefix))
      if (path === folder.run) mkdirSync(path)
      else symlinkSync(path, folder.run)
      chmodSync(path, 0o700)
      if (user !== null) chownSync(path, user.uid, user.gid)
      return path
    }),
    () => Effect.sync(() => remove(folder.run))
  )

const prefix = "lazaret-run-"

const shortFolder = (): string => (fits(join(tmpdir(), `${prefix}XXXXXX`)) ? tmpdir() : "/tmp")

/** Removes what an earlier start has left; behind the link only what is named as `acquire` names it. */
const remove = (run: string): void => {
  if (lstatSync(run, { throwIfNoEntry: false })?.isSymbolicLink()) {
    const path = readlinkSync(run)
    if (basename(path).startsWith(prefix)) rmSync(path, { recursive: true, force: true })
  }
  rmSync(run, { recursive: true, force: true })
}
