/** `lazaret ingest`: uploads test reports. */
import { ReadFormat } from "@lazaret/ingest"
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import * as Checkout from "../ci/Checkout.ts"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as Progress from "../terminal/Progress.ts"
import * as Format from "./Format.ts"
import type * as ReportFile from "./ReportFile.ts"
import * as RunFlags from "./RunFlags.ts"
import * as Summary from "./Summary.ts"
import * as Upload from "./Upload.ts"
import * as Session from "../connection/Session.ts"

/**
 * Uploads reports one after the other, and prints a summary.
 *
 * **Details**
 *
 * Every report is read first. A report that cannot be read or that the server refuses does not keep the others from being
 * sent; once the server cannot be reached, the rest is not tried. In each case the command fails.
 */
export const command = Command.make(
  "ingest",
  { ...Flags.ofRepository, ...RunFlags.flags, format: Format.flag, files: Format.files },
  Effect.fn("lazaret.ingest")(function* (given) {
    const ci = yield* CiEnvironment.current
    const params = yield* Session.repositoryOf(given.repo)
    const progress = Progress.make(process.stderr, given.json)
    const { readAll } = yield* load(() => import("./ReportFile.ts"))
    const { read, unreadable } = yield* Effect.ensuring(readAll(given.files, given.format, progress), progress.clear)
    const isOne = read.length + unreadable.length === 1
    if (!isOne) for (const { file, message } of unreadable) yield* Console.error(`lazaret: ${file}: ${message}`)
    const reports = read.filter((each) => each.reports.length > 0)
    const isOfRun = reports.some(({ file }) => !file.hasSpans)
    const run = isOfRun ? yield* RunFlags.runOf(given, ci) : null
    const invalid = unreadable.map(({ file, message }) => ({ file, error: CommandFailure.usage(message) }))
    const { failures, rows } = yield* reports.length === 0
      ? Effect.succeed({ rows: [], failures: [] })
      : Effect.flatMap(Session.open(given, Session.patienceOfJob), (session) => {
          const keyOf = (digest: string) => idempotencyKey(given, digest, reports.length + invalid.length)
          return sendAll(session, { reports, params, run, end: null, keyOf })
        })
    const all = [...invalid, ...failures]
    const count = rows.length + all.length
    // The failure of a single report is printed once, as the end of the command.
    if (given.json || !isOne || rows.length > 0) {
      yield* Session.print(given, Summary.answer(rows, all.map(failedOf)), (terminal) =>
        Summary.text(terminal, rows, isOne ? [] : failures.map(failedOf))
      )
    }
    return yield* ending(count, all)
  }, Checkout.within)
).pipe(
  Command.withDescription(
    `Upload test reports (${[...ReadFormat.names(), "OTLP JSON"].join(", ")}). The same report never counts twice. Values that are marked (CI) ` +
      "come from GitHub Actions, GitLab CI, CircleCI, Buildkite, Azure Pipelines or Jenkins unless they are given."
  ),
  Command.withShortDescription("Upload test reports"),
  Command.withExamples([
    { command: "lazaret ingest reports/", description: "In CI: upload every report in a folder" },
    {
      command:
        'lazaret ingest --repo acme/widgets --pipeline CI --job unit --commit "$(git rev-parse HEAD)" report.xml',
      description: "Elsewhere: upload the report of a run on the default branch"
    }
  ])
)

/** One key names one report: with several, each has a part of its own, which follows from its content. */
const idempotencyKey = (
  given: RunFlags.Given,
  digest: string,
  count: number
): Pick<Schemas.ReportQuery, "idempotency_key"> =>
  Option.match(given.idempotencyKey, {
    onNone: () => ({}),
    onSome: (key) => ({ idempotency_key: count === 1 ? key : `${key}.${digest.slice(0, 16)}` })
  })

/**
 * The reports of a job.
 *
 * **Details**
 *
 * - `run`: the run that they belong to; null when all of them name their runs (spans).
 * - `end`: the exit code of the tests, where it is known and no report lists a failed test; else null.
 * - `keyOf`: the idempotency key of a report by the digest of its content.
 */
export interface Job {
  readonly reports: ReadonlyArray<ReportFile.Read>
  readonly params: Repository.RepositoryRef
  readonly run: RunFlags.Run | null
  readonly end: number | null
  readonly keyOf: (digest: string) => Pick<Schemas.ReportQuery, "idempotency_key">
}

const sendOne = (
  session: Session.Session,
  { checkout, end, keyOf, params, run }: Job & { readonly checkout: string },
  { digest, file }: ReportFile.Read
): Upload.Sent => {
  const body = file.bytes((done, size) => session.progress.bar(`sending ${file.name}`, done, size))
  const upload = { label: null, params, body }
  return file.hasSpans || run === null
    ? Upload.sendTraces(session, upload)
    : Upload.send(session, upload, {
        ...run,
        ...(end === null ? {} : { tests_ended: end }),
        checkout,
        ...keyOf(digest)
      })
}

interface Failure {
  readonly file: string
  readonly error: CommandFailure.CommandFailure
}

const failedOf = ({ error, file }: Failure): Summary.Failed => ({ file, message: error.message })

/** Sends every report, one after the other, until the server cannot be reached. */
export const sendAll = Effect.fnUntraced(function* (session: Session.Session, job: Job) {
  const rows: Array<Summary.Row> = []
  const failures: Array<Failure> = []
  const checkout = yield* Checkout.current
  // One report of the run says how it ended.
  const last = job.reports.findLast(({ file }) => !file.hasSpans)
  for (const report of job.reports) {
    const end = report === last ? job.end : null
    const file = report.file.name
    const isGone = failures.some(({ error }) => error.exitCode === ExitCode.unreachable)
    const sent: Upload.Sent = isGone
      ? CommandFailure.unreachable("It was not sent.")
      : sendOne(session, { ...job, end, checkout }, report)
    yield* Effect.match(sent, {
      onFailure: (error) => void failures.push({ file, error }),
      onSuccess: ({ body, value }) => void rows.push({ file, receipt: value, body })
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
  const worst = failures.find(({ error }) => error.exitCode === ExitCode.unreachable) ?? first
  const { exitCode, status } = worst.error
  const message =
    count === 1
      ? `${first.file}: ${first.error.message}`
      : `${failures.length} of ${count} reports not uploaded; the others are recorded. Repeat the command once the ` +
        "faults are corrected: no report counts twice."
  return Effect.fail(new CommandFailure.CommandFailure({ message, exitCode, status }))
}
