/**
 * The lock of a data folder: one process at a time.
 *
 * Every process that wants the folder puts a file of its own into it, named after itself, and looks for others. Nobody ever
 * removes the file of a process that runs, so that a lock left behind can be cleared without a race.
 *
 * @since 0.1.0
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule, type Scope } from "effect"
import { EmbeddedPostgresError } from "../EmbeddedPostgresError.ts"
import * as SystemProcess from "./SystemProcess.ts"

/**
 * Holds the lock of a folder until the scope closes.
 *
 * **Details**
 *
 * The file is `<pid>.<identity>.wanted`, then `.held`. Whoever sees a held lock gives up. Of those who want it at the same
 * time the first by name waits until the others have given up: each has written before it looks, so that of two at least one
 * sees the other.
 *
 * **Gotchas**
 *
 * Processes are looked up on this machine, and in this container: a folder that two of them share is not protected.
 *
 * @category operations
 * @since 0.1.0
 */
export const acquire = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<void, EmbeddedPostgresError, Scope.Scope> {
  const locks = join(folder, "lock")
  const self = `${process.pid}.${SystemProcess.identity(process.pid)}`
  yield* Effect.acquireRelease(want(folder, locks, self), () => Effect.sync(() => drop(locks, self)))
  yield* Effect.repeat(
    Effect.suspend(() => look(folder, locks, self)),
    { until: (isFree) => isFree, schedule: waiting }
  )
  renameSync(join(locks, `${self}.wanted`), join(locks, `${self}.held`))
})

const waiting = Schedule.spaced("20 millis")

const want = (folder: string, locks: string, self: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.suspend(() => {
    mkdirSync(locks, { recursive: true, mode: 0o700 })
    if (readdirSync(locks).some((name) => name.startsWith(`${self}.`))) return Effect.fail(locked(folder, process.pid))
    writeFileSync(join(locks, `${self}.wanted`), "")
    return Effect.void
  })

const drop = (locks: string, self: string): void => {
  for (const state of ["wanted", "held"]) rmSync(join(locks, `${self}.${state}`), { force: true })
}

/** Whether nobody else wants the folder; the lock of a process that has ended is removed. */
const look = (folder: string, locks: string, self: string): Effect.Effect<boolean, EmbeddedPostgresError> => {
  let isFree = true
  for (const name of readdirSync(locks)) {
    const [pid = "", identity = "", state = ""] = name.split(".")
    const other = `${pid}.${identity}`
    if (other === self) continue
    if (SystemProcess.identity(Number(pid)) !== identity) rmSync(join(locks, name), { force: true })
    else if (state === "held" || other < self) return Effect.fail(locked(folder, Number(pid)))
    else isFree = false
  }
  return Effect.succeed(isFree)
}

const locked = (folder: string, pid: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder,
    reason: "locked",
    message: `The data folder ${folder} is in use by process ${pid}. Stop that server first, or use another folder.`
  })
