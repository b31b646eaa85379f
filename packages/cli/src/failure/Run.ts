/** `lazaret run`: runs the tests of a CI job, uploads their reports, and is the gate of the job. */
import type { Repository } from "@lazaret/domain"
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Checkout from "../ci/Checkout.ts"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Dashboard from "../connection/Dashboard.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import * as Gate from "./Gate.ts"
import { load, type MissingPackage } from "../terminal/MissingPackage.ts"
import * as Progress from "../terminal/Progress.ts"
import * as Announcement from "./Announcement.ts"
import type * as ReportFile from "../report/ReportFile.ts"
import * as RunFlags from "../report/RunFlags.ts"
import type * as Summary from "../report/Summary.ts"
import * as ShownFailure from "./ShownFailure.ts"
import * as Retry from "./Retry.ts"
import { both } from "../connection/Request.ts"
import * as MissedLines from "./MissedLines.ts"
import * as Session from "../connection/Session.ts"
import * as TestProcess from "./TestProcess.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"
import * as Ingest from "../report/Ingest.ts"
import * as Ask from "./Ask.ts"
import * as Verdicts from "./FailureLines.ts"

/**
 * Runs the tests, uploads their reports, and exits by the gate.
 *
 * **Details**
 *
 * The reports are the files that the tests create or change. A server that cannot be reached, or that refuses an upload,
 * does not change the exit code of the tests unless `--strict` is given.
 */
export const command = Command.make(
  "run",
  {
    repo: Flag.optional(Flags.repository),
    url: Flags.server.url,
    token: Flags.server.token,
    ...RunFlags.flags,
    reports: Flag.String("reports").pipe(
      Flag.withMetavar("path"),
      Flag.withDescription(
        "Folder or quoted pattern of the reports; repeatable (every report below the current folder)"
      ),
      Flag.atLeast(0)
    ),
    strict: Flag.Boolean("strict").pipe(
      Flag.withDescription("Exit with 4 when the server cannot be reached or refuses an upload"),
      Flag.withDefault(false)
    ),
    retryExitCode: Flag.Int("retry-exit-code").pipe(
      Flag.withMetavar("code"),
      Flag.withDescription(
        "Exit with this code, from 11 to 125, instead of 10 when every failure that blocks is judged flaky"
      ),
      Flag.filter(
        (code) => code >= 11 && code <= 125,
        (code) => `"${code}" is not between 11 and 125: the other codes have a meaning`
      ),
      Flag.optional
    ),
    ...Announcement.flags,
    command: Argument.String("command").pipe(
      Argument.withDescription("The command that runs the tests, after --"),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fn("lazaret.run")(function* (given) {
    const params = yield* Session.repositoryOf(given.repo)
    const run = yield* RunFlags.runOf(given, yield* CiEnvironment.current)
    const { findAll, stamps } = yield* load(() => import("../report/ReportFiles.ts"))
    const { readFound } = yield* load(() => import("../report/ReportFile.ts"))
    const before = yield* stamps(yield* findAll(given.reports))
    const testsEnded = yield* TestProcess.run(given.command)
    const files = yield* findAll(given.reports)
    const after = yield* stamps(files)
    const fresh = files.filter(({ path }) => after.get(path) !== before.get(path))
    const progress = Progress.make(process.stderr, false)
    const all = yield* Effect.ensuring(readFound(fresh, progress), progress.clear)
    for (const { file, message } of all.unreadable) yield* Console.error(`lazaret: ${file}: ${message}`)
    const quarantined = yield* Effect.result(ask({ ...given, json: false }, { params, run, all, testsEnded }))
    const { exitCode, reason } = ending({
      testsEnded,
      all,
      quarantined,
      isStrict: given.strict,
      retryExitCode: Option.getOrNull(given.retryExitCode)
    })
    if (exitCode !== ExitCode.done) return yield* new CommandFailure.CommandFailure({ message: reason, exitCode })
    if (reason !== "") yield* Console.error(`lazaret: ${reason}`)
    else if (all.read.length + all.unreadable.length === 0)
      yield* Console.error(`lazaret: ${nothingFound(given.reports)}`)
  }, Checkout.within)
).pipe(
  Command.withDescription(
    "Run the tests of a CI job, upload the reports that they write, and decide the exit code: 0 when every failure is " +
      "quarantined, 10 when one is not, else the exit code of the tests, also when the server cannot be reached."
  ),
  Command.withShortDescription("Run tests, upload their reports, decide the exit code"),
  Command.withExamples([
    { command: "lazaret run -- npm test", description: "In CI: fail only for tests that are not quarantined" },
    { command: 'lazaret run --reports "build/**/TEST-*.xml" -- ./gradlew test', description: "Name the reports" }
  ])
)

interface Job {
  readonly params: Repository.RepositoryRef
  readonly run: RunFlags.Run
  readonly all: ReportFile.All
  readonly testsEnded: number
}

const reportsOf = ({ read }: ReportFile.All): Gate.Facts["reports"] =>
  read.flatMap(({ file, reports }) => reports.map((parsed) => ({ file: file.name, parsed })))

/** The verdicts on the failures, and what did not run; `isPrecise`: `flaky` was right often enough for the settings of the repository. */
interface Asked {
  readonly judged: Ask.Answer
  readonly lacking: Ask.Lacking | null
  readonly isPrecise: boolean
}

interface Given extends Flags.Server, Announcement.Files {
  readonly retryExitCode: Option.Option<number>
}

/** Uploads the reports, reports each failure, and yields the verdicts. */
const ask = Effect.fnUntraced(function* (given: Given, { all, params, run, testsEnded }: Job) {
  const reports = all.read.filter((each) => each.reports.length > 0)
  if (reports.length === 0) return { judged: [], lacking: null, isPrecise: false } satisfies Asked
  const session = yield* Session.open(given, Session.patienceOfJob)
  const names = [...new Set(Gate.failures(reportsOf(all)))].toSorted()
  const end = names.length > 0 ? null : testsEnded
  const { failures, rows } = yield* Ingest.sendAll(session, { reports, params, run, end, keyOf: () => ({}) })
  const [first] = failures
  if (first !== undefined) {
    const { exitCode, message, status } = first.error
    return yield* new CommandFailure.CommandFailure({ message: `${first.file}: ${message}`, exitCode, status })
  }
  const page = Dashboard.failures(session.connection.url, params, "commits", run.commit)
  yield* Console.error(`lazaret: ${uploaded(rows)} ${page}`)
  for (const line of warningsOf(rows)) yield* Console.error(`lazaret: ${Terminal.plain(line)}`)
  const place = { ...params, url: session.connection.url }
  const judged = names.length === 0 ? [] : yield* Ask.ask(session, { params, reports: reportsOf(all), job: jobOf(run) })
  const judgements = new Map(
    judged.toSorted((a, b) => Number(a.is_blocking) - Number(b.is_blocking)).map((each) => [each.test_name, each])
  )
  const known = reports.flatMap((each) => each.reports)
  const shown = ShownFailure.of(known, (name) => {
    const failure = judgements.get(name)
    return failure === undefined ? unjudged : Verdicts.judgementOf(place, failure)
  })
  const annotated = yield* Announcement.annotated(shown)
  const others = judged.filter((each) => !annotated.has(each.test_name))
  if (others.length > 0) yield* Console.log(Verdicts.lines(yield* Terminal.current, place, others))
  yield* Announcement.write(shown, page, given)
  const lacking = yield* Ask.lacking(session, { params, job: jobOf(run) })
  if (lacking !== null) {
    yield* Console.error(`lazaret: ${Terminal.plain(lacking.sentence)}`)
    for (const line of lacking.missing.flatMap(MissedLines.linesOf)) yield* Console.error(line)
  }
  const isPrecise = Option.isSome(given.retryExitCode) && judged.length > 0 && (yield* isPreciseIn(session, params))
  return { judged, lacking, isPrecise } satisfies Asked
})

/** Whether `flaky` was right often enough for the settings; false when the server does not answer. */
const isPreciseIn = (session: Session.Session, params: Repository.RepositoryRef) =>
  session
    .call(Session.nameOf(params), (api) => api.getVerdictPrecision({ params, ...both }))
    .pipe(
      Effect.map(({ value }) => value.excuses === "on"),
      Effect.orElseSucceed(() => false)
    )

/** Each failure of the reports was asked about. */
const unjudged: ShownFailure.Judgement = { sentence: "not judged", isBlocking: true, url: "" }

const jobOf = ({
  base_branch,
  branch,
  commit,
  job_name,
  job_url,
  pipeline_name,
  run_attempt,
  run_id
}: RunFlags.Run) => ({
  pipeline_name,
  job_name,
  commit,
  branch: branch ?? null,
  base_branch: base_branch ?? null,
  run_id: run_id ?? null,
  run_attempt: run_attempt ?? 1,
  job_url: job_url ?? null
})

const nothingFound = (places: ReadonlyArray<string>): string =>
  `No report was written ${places.length === 0 ? "below the current folder" : `to ${places.map(Terminal.plain).join(", ")}`}: ` +
  `nothing was uploaded. ${places.length === 0 ? "Name their folder with --reports." : "Check --reports."}`

const uploaded = (rows: ReadonlyArray<Summary.Row>): string => {
  const sum = (of: "recorded" | "duplicates") => rows.reduce((total, { receipt }) => total + receipt.executions[of], 0)
  const again = sum("duplicates") === 0 ? "" : `, ${sum("duplicates")} known already`
  return `${Words.counted(rows.length, "report")} uploaded: ${Words.counted(sum("recorded"), "execution")} recorded${again}.`
}

/** Five warnings are read, a page of them is not: each text once, with the first file that has it. */
const warningsOf = (rows: ReadonlyArray<Summary.Row>): ReadonlyArray<string> => {
  const files = new Map<string, string>()
  for (const { file, receipt } of rows) for (const each of receipt.warnings) if (!files.has(each)) files.set(each, file)
  const lines = [...files].map(([warning, file]) => `warning: ${file}: ${warning}`)
  const more = lines.length - mostWarnings
  return more > 0 ? [...lines.slice(0, mostWarnings), `${more} more warnings: \`lazaret ingest\` prints all.`] : lines
}

const mostWarnings = 5

interface Ended {
  readonly testsEnded: number
  readonly all: ReportFile.All
  readonly quarantined: Result.Result<Asked, CommandFailure.CommandFailure | MissingPackage>
  readonly isStrict: boolean
  readonly retryExitCode: number | null
}

/** The exit code of the job and its reason, by the table of `docs/reference/command-line.md`. */
const ending = ({
  all,
  isStrict,
  quarantined,
  retryExitCode,
  testsEnded
}: Ended): Pick<Gate.Verdict, "exitCode" | "reason"> => {
  const own = Gate.exitCodeOf(testsEnded)
  if (Result.isFailure(quarantined)) {
    const { message } = quarantined.failure
    return isStrict
      ? { exitCode: ExitCode.unreachable, reason: message }
      : { exitCode: own, reason: `${message} The exit code of the tests (${testsEnded}) stays.` }
  }
  const reports = reportsOf(all)
  const unreadable = all.unreadable.map(({ file }) => file)
  const { isPrecise, judged, lacking } = quarantined.success
  const verdict = Gate.judge({ reports, unreadable, quarantined: Verdicts.passing(judged), testsEnded })
  if (lacking?.isBlocking === true && (verdict.exitCode === ExitCode.done || verdict.exitCode === ExitCode.failing)) {
    const reason = `${verdict.reason} ${lacking.sentence} The gate does not let such a run pass.`
    return { exitCode: ExitCode.failing, reason: Terminal.plain(reason.trim()) }
  }
  if (retryExitCode !== null && Retry.isWorthwhile({ verdict, reports, judged, isPrecise, testsEnded })) {
    const reason = `${verdict.reason} Every one of them is judged flaky: run the job again.`
    return { exitCode: retryExitCode, reason }
  }
  // The test command exited with 0, so an incomplete report is only a warning.
  if (verdict.exitCode === ExitCode.usage && own === ExitCode.done) return { exitCode: own, reason: verdict.reason }
  return verdict.exitCode === ExitCode.done && own !== ExitCode.done
    ? { exitCode: ExitCode.done, reason: `The tests ended with ${testsEnded}; every failure is quarantined.` }
    : verdict
}
