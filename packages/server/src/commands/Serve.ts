/** Runs the server. */
// Generates code for schemas that are used often: answers take a fifth less processor time.
// oxlint-disable-next-line import/no-unassigned-import
import "effect/schema/SchemaJITCompiler/enable"
import { createServer } from "node:net"
import { CommandFailure, ExitCode } from "@lazaret/cli"
import { SignInCodes, type StoreError } from "@lazaret/services"
import { Console, Context, Effect, Layer, type Option, Ref } from "effect"
import { HttpServer, HttpServerError } from "effect/http"
import * as AdminKey from "../access/AdminKey.ts"
import * as Logging from "../Logging.ts"
import * as Server from "../Server.ts"
import * as Settings from "../Settings.ts"
import * as Storage from "../Storage.ts"
import * as Announcement from "./Announcement.ts"
import * as StorageFailure from "./StorageFailure.ts"

/**
 * Starts the server, prints its address, and runs until the process receives a signal to stop; then it finishes the running
 * requests.
 */
export const serve = Effect.fnUntraced(function* (configFile: Option.Option<string>) {
  const settings = yield* Settings.load(configFile)
  return yield* Effect.provide(run(settings), Logging.layer(settings))
})

const run = Effect.fnUntraced(function* (settings: Settings.Settings) {
  yield* Effect.catchTag(listenOnce(settings), "ServeError", (error) => cannotListen(error, settings))
  // Before the first file of this version is written.
  yield* Effect.catchTags(Storage.check(settings.storage), {
    DatabaseError: StorageFailure.of,
    EmbeddedPostgresError: StorageFailure.of
  })
  const key = yield* AdminKey.load(settings.adminKey, settings.dataFolder)
  const isStopping = yield* Ref.make(false)
  const server = yield* Layer.build(Server.layer(settings, key.secret, Ref.get(isStopping))).pipe(
    Effect.catchTags({
      ServeError: (error) => cannotListen(error, settings),
      DatabaseError: StorageFailure.of,
      EmbeddedPostgresError: StorageFailure.of,
      StoreError: storeFailed
    })
  )
  const { code } = yield* Effect.mapError(Context.get(server, SignInCodes).issue(key.secret), storeFailed)
  const url = Server.urlOf(Context.get(server, HttpServer.HttpServer))
  yield* print([...Announcement.ofKey(key), ...Announcement.ofServer(url, settings, key, code)])
  return yield* Effect.onInterrupt(Effect.never, () => stop(settings, isStopping))
}, Effect.scoped)

const storeFailed = ({ message }: StoreError) => CommandFailure.setup(`The store cannot be used: ${message}.`)

/**
 * A signal to stop is the ordinary end of a server. It reports that it is not ready, and still answers for the time to
 * drain; the requests that run then finish when the scope of the server closes.
 */
const stop = Effect.fnUntraced(function* (settings: Settings.Settings, isStopping: Ref.Ref<boolean>) {
  process.exitCode = ExitCode.done
  setTimeout(endAtNextSignal, 1000).unref()
  yield* Ref.set(isStopping, true)
  yield* Effect.annotateLogs(Effect.logInfo("Stopping; a second signal ends the process at once"), {
    drainSeconds: settings.drainSeconds,
    shutdownSeconds: settings.shutdownSeconds
  })
  yield* Effect.sleep(`${settings.drainSeconds} seconds`)
})

/** Only after the first second: npm repeats the control-C that the terminal has sent already. */
const endAtNextSignal = () => {
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(ExitCode.interrupted))
}

const print = (lines: ReadonlyArray<string>): Effect.Effect<void> => Console.log(lines.join("\n"))

/**
 * Listens and stops listening, so that a port in use ends the start before a key is made, a database is started, or tables are
 * migrated.
 */
const listenOnce = ({ host, port }: Settings.Settings) =>
  Effect.callback<void, HttpServerError.ServeError>((resume) => {
    const probe = createServer()
    probe.once("error", (cause) => resume(Effect.fail(new HttpServerError.ServeError({ cause }))))
    probe.listen({ host, port }, () => probe.close(() => resume(Effect.void)))
    return Effect.sync(() => probe.close())
  })

const cannotListen = ({ cause }: HttpServerError.ServeError, { host, port }: Settings.Settings) =>
  CommandFailure.setup(reasons[codeOf(cause)]?.(host, port) ?? `Cannot listen on ${host}:${port} (${codeOf(cause)}).`)

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const noAddress = (host: string): string =>
  `HOST is "${host}", which is not an address of this machine: set HOST=127.0.0.1.`

const reasons: { readonly [code: string]: (host: string, port: number) => string } = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use: stop the program that uses it, or choose another port, such as PORT=${port + 1}.`,
  EACCES: (_, port) => `This user cannot listen on port ${port}: choose one above 1023, such as PORT=4180.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress
}
