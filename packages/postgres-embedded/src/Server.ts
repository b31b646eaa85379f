/** The server itself: started, watched, and stopped. */
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import { Deferred, type Duration, Effect, Fiber, Schedule, type Scope } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import type { Binaries } from "./Binaries.ts"
import type { DataFolder } from "./DataFolder.ts"
import * as Orphan from "./Orphan.ts"
import * as ServerProgram from "./ServerProgram.ts"
import * as ServerSettings from "./ServerSettings.ts"
import type { ServerUser } from "./ServerUser.ts"
import * as SystemProcess from "./SystemProcess.ts"

/** The options of a server. */
export interface ServerOptions {
  readonly folder: DataFolder
  readonly binaries: Binaries
  readonly user: ServerUser | null
  readonly socketFolder: string
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Runs the server until the scope closes; done when it takes connections.
 *
 * **Details**
 *
 * A server that ends by itself is started again, after a quarter of a second at first, after ten at last. Its first start
 * must succeed.
 */
export const supervise = Effect.fnUntraced(function* (
  options: ServerOptions
): Effect.fn.Return<void, EmbeddedPostgresError, Scope.Scope> {
  rotate(options.folder.log)
  const ready = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    Effect.andThen(session(options, Deferred.succeed(ready, undefined)), restarted(options))
  )
  yield* Effect.raceFirst(Deferred.await(ready), Fiber.join(fiber))
})

const restarted = (options: ServerOptions): Effect.Effect<never, EmbeddedPostgresError> =>
  Orphan.stop(options.folder).pipe(
    Effect.andThen(session(options, Effect.logInfo("PostgreSQL runs again"))),
    Effect.tapError((error) => Effect.logError(error.message)),
    Effect.retry(Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("10 seconds")])),
    Effect.forever
  )

/** One life of the server; it succeeds when the server has ended after it took connections. */
const session = (options: ServerOptions, onReady: Effect.Effect<unknown>): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(launch(options), stop)
      yield* awaitReady(options.folder, server)
      yield* onReady
      const how = yield* server.ended
      yield* Effect.logError(`PostgreSQL has ended (${how}) and is started again; see ${options.folder.log}`)
    })
  )

const launch = ({ binaries, folder, settings, socketFolder, user }: ServerOptions) =>
  Effect.map(
    ServerProgram.start(folder.root, {
      name: "postgres",
      binaries,
      user,
      folders: [folder.cluster, socketFolder],
      args: ([data = folder.cluster, socket = socketFolder]) => [
        "-D",
        data,
        ...ServerSettings.toArguments({
          ...settings,
          unix_socket_directories: socket,
          cluster_name: Orphan.nameOf(folder)
        })
      ],
      log: folder.log
    }),
    (server) => {
      // A process that exits without closing its scopes still takes its server with it.
      const onExit = () => SystemProcess.signal(server.pid, "SIGINT")
      process.once("exit", onExit)
      return { ...server, forget: () => process.removeListener("exit", onExit) }
    }
  )

type Launched = Effect.Success<ReturnType<typeof launch>>

/** Ends open transactions, writes everything to its place, and ends; after half a minute at once. */
const stop = (server: Launched): Effect.Effect<void> =>
  Effect.suspend(() => {
    server.forget()
    return server.hasEnded() ? Effect.void : interrupt(server, "SIGINT", "30 seconds", kill(server))
  })

const kill = (server: Launched): Effect.Effect<void> =>
  interrupt(server, "SIGQUIT", "10 seconds", Effect.logError(`PostgreSQL (process ${server.pid}) does not stop`))

const interrupt = (server: Launched, name: NodeJS.Signals, patience: Duration.Input, orElse: Effect.Effect<void>) =>
  Effect.suspend(() => {
    SystemProcess.signal(server.pid, name)
    return Effect.asVoid(Effect.timeoutOrElse(server.ended, { duration: patience, orElse: () => orElse }))
  })

/** The server notes its state in a file, as its own tools expect. After a hard stop it may recover for a while. */
const awaitReady = (folder: DataFolder, server: Launched): Effect.Effect<void, EmbeddedPostgresError> => {
  const note = join(folder.cluster, "postmaster.pid")
  return Effect.suspend(() => {
    if (server.hasEnded()) return Effect.flatMap(server.ended, (how) => Effect.fail(didNotStart(folder, how)))
    const [pid, , , , , , , status] = existsSync(note) ? readFileSync(note, "utf8").split("\n") : []
    return Effect.succeed(Number(pid) === server.pid && status?.trim() === "ready")
  }).pipe(Effect.repeat({ until: (isReady) => isReady, schedule: Schedule.spaced("10 millis") }), Effect.asVoid)
}

const didNotStart = (folder: DataFolder, how: string): EmbeddedPostgresError =>
  new EmbeddedPostgresError({
    folder: folder.root,
    reason: "failed",
    message: `PostgreSQL did not start (${how}). The end of ${folder.log}:\n${endOf(folder.log)}`
  })

/** Rotates the log when it has grown, and keeps one earlier log. */
const rotate = (log: string): void => {
  if (existsSync(log) && statSync(log).size > 10_000_000) renameSync(log, `${log}.1`)
}

const endOf = (path: string): string => {
  const length = Math.min(2000, statSync(path).size)
  const buffer = Buffer.alloc(length)
  const file = openSync(path, "r")
  readSync(file, buffer, 0, length, statSync(path).size - length)
  closeSync(file)
  return buffer.toString("utf8").trim()
}
