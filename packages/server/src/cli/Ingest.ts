/**
 * What `lazaret ingest` does.
 *
 * @since 0.1.0
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { JUnit } from "@lazaret/ingest"
import type { Repository } from "@lazaret/domain"
import { Console, Effect, FileSystem, Option, type PlatformError, Stream } from "effect"
import * as Api from "./Api.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Connection from "./Connection.ts"
import * as Progress from "./Progress.ts"
import * as Summary from "./Summary.ts"
import * as Upload from "./Upload.ts"

/**
 * What was given on the command line.
 *
 * @category models
 * @since 0.1.0
 */
export interface Given extends Connection.Given {
  readonly repo: Repository.RepositoryRef
  readonly pipeline: string
  readonly job: string
  readonly commit: string
  readonly branch: Option.Option<string>
  readonly runId: Option.Option<string>
  readonly runAttempt: Option.Option<number>
  readonly jobUrl: Option.Option<string>
  readonly finishedAt: Option.Option<string>
  readonly idempotencyKey: Option.Option<string>
  readonly json: boolean
  readonly files: ReadonlyArray<string>
}

/**
 * Uploads files one after the other and prints a summary.
 *
 * Every file is read first, so that a file that is no report has nothing stored of any.
 *
 * @category operations
 * @since 0.1.0
 */
export const ingest = Effect.fn("lazaret.ingest")(function* (given: Given) {
  const progress = Progress.make(process.stderr, given.json)
  const files = yield* FileSystem.FileSystem
  const reports = given.files.map((path) => ({
    path,
    pieces: (verb: string) => pieces(files, path, (done, size) => progress.bar(`${verb} ${path}`, done, size))
  }))
  yield* Effect.forEach(reports, examine, { discard: true }).pipe(Effect.ensuring(progress.clear))
  const connection = yield* Connection.resolve(given)
  const send = ({ path, pieces: read }: Report, index: number) => {
    const upload = { label: path, ref: given.repo, query: queryOf(given, index), body: read("sending") }
    return Effect.map(Upload.send(connection, upload, progress.waiting), (receipt): Summary.Row => ({
      file: path,
      receipt
    }))
  }
  const rows = yield* Api.greet(connection, progress.waiting).pipe(
    Effect.andThen(Effect.forEach(reports, send)),
    Effect.provide(NodeHttpClient.layerNodeHttp),
    Effect.ensuring(progress.clear)
  )
  yield* Console.log(given.json ? Summary.json(rows) : Summary.table(rows))
})

interface Report {
  readonly path: string
  readonly pieces: (verb: string) => Stream.Stream<Uint8Array, CommandFailure.CommandFailure>
}

const queryOf = (given: Given, index: number): Readonly<Record<string, string>> => {
  const number = given.files.length === 1 ? "" : `.${index + 1}`
  const entries: ReadonlyArray<readonly [string, Option.Option<string | number>]> = [
    ["pipeline_name", Option.some(given.pipeline)],
    ["job_name", Option.some(given.job)],
    ["commit", Option.some(given.commit)],
    ["branch", given.branch],
    ["run_id", given.runId],
    ["run_attempt", given.runAttempt],
    ["job_url", given.jobUrl],
    ["finished_at", given.finishedAt],
    ["idempotency_key", Option.map(given.idempotencyKey, (key) => `${key}${number}`)]
  ]
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (Option.isSome(value) ? [[name, String(value.value)]] : []))
  )
}

const examine = ({ path, pieces: read }: Report): Effect.Effect<void, CommandFailure.CommandFailure> =>
  Effect.suspend(() => {
    const reader = JUnit.make()
    return Stream.runForEach(read("reading"), (piece) =>
      Effect.andThen(Effect.fromResult(reader.write(piece)), Effect.yieldNow)
    ).pipe(
      Effect.andThen(Effect.suspend(() => Effect.fromResult(reader.end()))),
      Effect.catchTag("ParseError", ({ message }) =>
        CommandFailure.usage(`${path} cannot be read as JUnit XML: ${message}`)
      ),
      Effect.asVoid
    )
  })

const pieces = (
  files: FileSystem.FileSystem,
  path: string,
  onPiece: (done: number, size: number) => Effect.Effect<void>
): Stream.Stream<Uint8Array, CommandFailure.CommandFailure> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { size, type } = yield* files.stat(path)
      if (type === "Directory") {
        return yield* CommandFailure.usage(`${path} is a folder: name the reports in it, such as ${path}/*.xml`)
      }
      let done = 0
      return Stream.tap(files.stream(path), (piece) => {
        done += piece.length
        return onPiece(done, Number(size))
      })
    })
  ).pipe(Stream.catchTag("PlatformError", (error) => Stream.fail(unreadable(path, error))))

const unreadable = (path: string, error: PlatformError.PlatformError): CommandFailure.CommandFailure =>
  CommandFailure.usage(
    error.reason._tag === "NotFound"
      ? `There is no file ${path}: check the path, and that the tests wrote their report.`
      : `${path} cannot be read (${error.reason._tag}).`
  )
