/** What `lazaret ingest` does. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"
import * as Api from "./Api.ts"
import * as CommandFailure from "./CommandFailure.ts"
import * as Connection from "./Connection.ts"
import * as CiEnvironment from "./ci/CiEnvironment.ts"
import * as ExitCode from "./ExitCode.ts"
import * as Progress from "./Progress.ts"
import * as ReportFile from "./ReportFile.ts"
import * as ReportFiles from "./ReportFiles.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as RunFlags from "./RunFlags.ts"
import * as Session from "./Session.ts"
import * as Summary from "./Summary.ts"
import * as Upload from "./Upload.ts"

/** What was given on the command line. */
export interface Given extends Session.Given, RunFlags.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly format: Option.Option<ReportFile.Format>
  readonly files: ReadonlyArray<string>
}

/**
 * Uploads reports one after the other and prints a summary.
 *
 * **Details**
 *
 * Every report is read first, so that one that is none has nothing stored of any. What the server refuses does not keep the
 * others from being sent; when it cannot be reached any more, they are not tried. Either way the command fails.
 */
export const ingest = Effect.fn("lazaret.ingest")(function* (given: Given) {
  const ci = yield* CiEnvironment.current
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const parameters = RunFlags.parametersOf(given, ci)
  const progress = Progress.make(process.stderr, given.json)
  const reports = yield* Effect.ensuring(examined(given, progress), progress.clear)
  if (reports.some(({ file }) => file.format !== "otlp")) yield* RunFlags.demand(parameters, ci)
  const connection = yield* Connection.resolve(given)
  const send = ({ digest, file }: Examined) =>
    Upload.send(
      connection,
      {
        label: file.name,
        ref,
        format: file.format,
        query: file.format === "otlp" ? {} : { ...parameters, ...keyOf(given, digest, reports.length) },
        body: file.bytes((done, size) => progress.bar(`sending ${file.name}`, done, size))
      },
      progress.waiting
    )
  const { failures, rows } = yield* Api.greet(connection, progress.waiting).pipe(
    Effect.andThen(sendAll(reports, send)),
    Effect.provide(NodeHttpClient.layerNodeHttp),
    Effect.ensuring(progress.clear)
  )
  // One report that failed is told by the failure alone.
  if (given.json || reports.length > 1 || rows.length > 0) {
    yield* Session.print(given, Summary.answer(rows, failures.map(told)), (terminal) =>
      Summary.text(terminal, rows, reports.length > 1 ? failures.map(told) : [])
    )
  }
  return yield* ending(reports.length, failures)
})

interface Examined {
  readonly file: ReportFile.ReportFile
  readonly digest: string
}

interface Failure {
  readonly file: string
  readonly error: CommandFailure.CommandFailure
}

const told = ({ error, file }: Failure): Summary.Failed => ({
  file,
  message: error.message.startsWith(`${file}: `) ? error.message.slice(file.length + 2) : error.message
})

/** The reports that can be read. Those that were found by a pattern or in a folder may be something else: they are passed over. */
const examined = Effect.fnUntraced(function* (given: Given, progress: Progress.Progress) {
  const found = yield* ReportFiles.find(given.files)
  const all = yield* Effect.forEach(found, (each) =>
    Effect.gen(function* () {
      const file = yield* ReportFile.open(each, given.format)
      const { digest, reports } = yield* ReportFile.read(file, (done, size) =>
        progress.bar(`reading ${file.name}`, done, size)
      ).pipe(Effect.catchTag("ParseError", (error) => ReportFile.passed(file, error)))
      return reports.length === 0 ? [] : [{ file, digest }]
    })
  )
  const reports = all.flat()
  if (reports.length > 0) return reports
  return yield* CommandFailure.usage("None of the files is a test report: check that the tests wrote theirs.")
})

/** One key names one report: with several, what is in each is part of its key, whatever the order. */
const keyOf = ({ idempotencyKey }: Given, digest: string, count: number): Readonly<Record<string, string>> =>
  Option.match(idempotencyKey, {
    onNone: () => ({}),
    onSome: (key) => ({ idempotency_key: count === 1 ? key : `${key}.${digest.slice(0, 16)}` })
  })

const sendAll = Effect.fnUntraced(function* <R>(
  reports: ReadonlyArray<Examined>,
  send: (report: Examined) => Effect.Effect<Upload.Receipt, CommandFailure.CommandFailure, R>
) {
  const rows: Array<Summary.Row> = []
  const failures: Array<Failure> = []
  for (const report of reports) {
    const file = report.file.name
    const gone = failures.find(({ error }) => error.exitCode === ExitCode.unreachable)
    const sent = gone === undefined ? send(report) : CommandFailure.unreachable(`${file}: It was not sent.`)
    yield* Effect.match(sent, {
      onFailure: (error) => void failures.push({ file, error }),
      onSuccess: (receipt) => void rows.push({ file, receipt })
    })
  }
  return { rows, failures }
})

const ending = (
  count: number,
  failures: ReadonlyArray<Failure>
): Effect.Effect<void, CommandFailure.CommandFailure> => {
  const [first] = failures
  if (first === undefined) return Effect.void
  if (count === 1) return Effect.fail(first.error)
  const worst = failures.find(({ error }) => error.exitCode === ExitCode.unreachable) ?? first
  const { exitCode, status } = worst.error
  const message = `${failures.length} of ${count} reports did not go in; those that did are recorded. Run the same command again: they count once.`
  return Effect.fail(new CommandFailure.CommandFailure({ message, exitCode, status }))
}
