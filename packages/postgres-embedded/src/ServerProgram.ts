/** Running a program of PostgreSQL on a data folder, as a user that need not be able to reach that folder. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import { type Binaries, environment } from "./Binaries.ts"
import type { ServerUser } from "./ServerUser.ts"

/**
 * How to run a program.
 *
 * **Details**
 *
 * `folders` are the folders that it works in; `args` yields its arguments from the paths that it knows them by. What it says
 * goes to the end of the file `log`.
 */
export interface ServerProgram {
  readonly name: "initdb" | "postgres"
  readonly binaries: Binaries
  readonly user: ServerUser | null
  readonly folders: ReadonlyArray<string>
  readonly args: (folders: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly log: string
}

/** A program that runs. `ended` yields how it ended. */
export interface Running {
  readonly pid: number
  readonly ended: Effect.Effect<string>
  readonly hasEnded: () => boolean
}

/**
 * Starts a program.
 *
 * **Details**
 *
 * It has a session of its own: an interrupt from the keyboard ends Lazaret, which then ends the program in its own time.
 *
 * When another user runs it, the folders are opened here and reach the program as open files: that user may well have no way
 * to a folder below `/root`, and a path through an open file needs none.
 */
export const start = (folder: string, program: ServerProgram): Effect.Effect<Running, EmbeddedPostgresError> =>
  attempt(folder, `start ${program.name}`, () => {
    const log = openSync(program.log, "a", 0o600)
    const isHandedOver = program.user !== null && existsSync("/proc/self/fd")
    const open = isHandedOver ? program.folders.map((path) => openSync(path, "r")) : []
    const paths = isHandedOver ? open.map((_, index) => `/proc/self/fd/${3 + index}`) : program.folders
    const child = spawn(join(program.binaries.native, "bin", program.name), program.args(paths), {
      ...program.user,
      env: environment,
      cwd: "/",
      detached: true,
      stdio: ["ignore", log, log, ...open]
    })
    for (const each of [log, ...open]) closeSync(each)
    return running(child)
  })

const running = (child: ChildProcess): Running => {
  let hasEnded = false
  const ending = new Promise<string>((resolve) => {
    const end = (how: string) => {
      hasEnded = true
      resolve(how)
    }
    child.once("error", (error) => end(error.message))
    child.once("exit", (code, signal) => end(signal === null ? `status ${code}` : `signal ${signal}`))
  })
  // A program that could not be started has no pid. The pid 0 is never read, because the program has ended.
  return { pid: child.pid ?? 0, ended: Effect.promise(() => ending), hasEnded: () => hasEnded }
}
