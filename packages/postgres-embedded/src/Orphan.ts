/** Servers that were left behind by a process that was killed. */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { attempt } from "./attempt.ts"
import type { DataFolder } from "./DataFolder.ts"
import * as SystemProcess from "./SystemProcess.ts"

/** A name for the server of a folder that no other folder of this machine has, a copy of it included. */
export const nameOf = (folder: DataFolder): string => {
  const { dev, ino } = statSync(folder.cluster)
  return `lazaret-${dev.toString(36)}-${ino.toString(36)}`
}

/**
 * Stops the server that still runs on the data of a folder; the caller holds the folder's lock, so nobody uses that server.
 *
 * **Details**
 *
 * It gets 20 seconds to stop by itself, then 10 to stop at once, as have its children when the server itself is gone; what
 * has been acknowledged is kept either way. The note of its number is removed: PostgreSQL would trust it, and the number may
 * belong to another program by now.
 */
export const stop = Effect.fnUntraced(function* (folder: DataFolder): Effect.fn.Return<void, EmbeddedPostgresError> {
  if (!existsSync(folder.cluster)) return
  const note = join(folder.cluster, "postmaster.pid")
  const name = nameOf(folder)
  const left = SystemProcess.postgresNamed(name)
  if (left.length > 0) {
    yield* Effect.logWarning(`Stopping the PostgreSQL that was left behind in ${folder.root}`)
    const server = yield* attempt(folder.root, "read the number of the last server", () => noted(note))
    const isServer = server !== null && left.includes(server)
    if (isServer) SystemProcess.signal(server, "SIGINT")
    const hasStopped = isServer && (yield* awaitEnd(name, 20))
    if (!hasStopped && !(yield* Effect.andThen(kill(name), awaitEnd(name, 10)))) return yield* doesNotStop(folder)
  }
  yield* attempt(folder.root, `remove ${note}`, () => rmSync(note, { force: true }))
})

/** Whether all processes of that name end within a number of seconds. */
const awaitEnd = (name: string, seconds: number) =>
  Effect.repeat(
    Effect.sync(() => SystemProcess.postgresNamed(name).length === 0),
    { until: (isGone) => isGone, schedule: Schedule.spaced("20 millis"), times: seconds * 50 }
  )

/** A process of PostgreSQL ends at this signal at once, and rolls back nothing that was committed. */
const kill = (name: string) =>
  Effect.sync(() => SystemProcess.postgresNamed(name).forEach((pid) => SystemProcess.signal(pid, "SIGQUIT")))

const noted = (note: string): number | null => {
  if (!existsSync(note)) return null
  const pid = Number.parseInt(readFileSync(note, "utf8"), 10)
  return Number.isInteger(pid) && pid > 0 ? pid : null
}

const doesNotStop = (folder: DataFolder): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder: folder.root,
    reason: "failed",
    message: `The PostgreSQL that was left behind in ${folder.root} does not stop. Stop it by hand.`
  })
