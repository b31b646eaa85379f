/**
 * The lock of a data folder: one process at a time.
 *
 * Every process that wants the folder puts a file of its own into it, named after itself, and looks for others. No process
 * removes the file of one that runs, so that a stale lock is removed without a race.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import * as SystemProcess from "./SystemProcess.ts"

/**
 * Holds the lock of a folder for a process, as a rule this one, until the scope closes.
 *
 * **Details**
 *
 * A process writes `<pid>.<identity>.wanted`, looks for others, and then writes `<pid>.<identity>.held` next to it. A
 * process that sees a held lock gives up. Of several concurrent processes, the first by name waits until the others
 * have given up: each has written before it looks, so that of two at least one sees the other.
 *
 * **Gotchas**
 *
 * Processes are looked up on this machine, and in this container: a folder that two of them share is not protected.
 */
export const acquire = Effect.fnUntraced(function* (
  folder: string,
  pid: number = process.pid
): Effect.fn.Return<void, EmbeddedPostgresError, Scope.Scope> {
  const locks = join(folder, "lock")
  const self = `${pid}.${SystemProcess.identity(pid)}`
  yield* Effect.acquireRelease(want(folder, locks, self), () => Effect.sync(() => drop(locks, self)))
  yield* Effect.repeat(look(folder, locks, self), { until: (isFree) => isFree, schedule: Schedule.spaced("20 millis") })
  yield* attempt(folder, "lock the data folder", () => writeFileSync(join(locks, `${self}.held`), ""))
})

const want = (folder: string, locks: string, self: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.flatMap(
    attempt(folder, "lock the data folder", () => {
      mkdirSync(locks, { recursive: true, mode: 0o700 })
      const isTaken = readdirSync(locks).some((name) => name.startsWith(`${self}.`))
      if (!isTaken) writeFileSync(join(locks, `${self}.wanted`), "")
      return isTaken
    }),
    (isTaken) => (isTaken ? Effect.fail(locked(folder, Number.parseInt(self, 10))) : Effect.void)
  )

const drop = (locks: string, self: string): void => {
  for (const state of ["held", "wanted"]) rmSync(join(locks, `${self}.${state}`), { force: true })
}

/** Whether no other process wants the folder. Removes the files of processes that have ended. */
const look = (folder: string, locks: string, self: string): Effect.Effect<boolean, EmbeddedPostgresError> =>
  Effect.flatMap(
    attempt(folder, "look at the locks of the data folder", () => rivals(locks, self)),
    (others) => {
      const winner = others.find(({ name, state }) => state === "held" || name < self)
      return winner === undefined ? Effect.succeed(others.length === 0) : Effect.fail(locked(folder, winner.pid))
    }
  )

interface Rival {
  readonly name: string
  readonly pid: number
  readonly state: string
}

const rivals = (locks: string, self: string): ReadonlyArray<Rival> =>
  readdirSync(locks).flatMap((file) => {
    const [pid = "", identity = "", state = ""] = file.split(".")
    const rival = { name: `${pid}.${identity}`, pid: Number(pid), state }
    if (rival.name === self) return []
    if (SystemProcess.identity(rival.pid) === identity) return [rival]
    rmSync(join(locks, file), { force: true })
    return []
  })

const locked = (folder: string, pid: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder,
    reason: "locked",
    message: `The data folder ${folder} is in use by process ${pid}. Stop that server first, or use another folder.`
  })
