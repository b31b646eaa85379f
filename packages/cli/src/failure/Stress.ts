/** `lazaret stress`: runs new, changed or named tests again and again on one commit, and says what that proves. */
import { appendFile, writeFile } from "node:fs/promises"
import { Stress, type Repository } from "@lazaret/domain"
import { Clock, Console, Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Checkout from "../ci/Checkout.ts"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import * as Flags from "../connection/Flags.ts"
import { both } from "../connection/Request.ts"
import * as Session from "../connection/Session.ts"
import * as Ingest from "../report/Ingest.ts"
import type * as ReportFile from "../report/ReportFile.ts"
import * as RunFlags from "../report/RunFlags.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as Environment from "../terminal/Environment.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as Progress from "../terminal/Progress.ts"
import * as StandardInput from "../terminal/StandardInput.ts"
import { plain } from "../terminal/Terminal.ts"
import * as Words from "../terminal/Words.ts"
import * as StressTemplate from "./StressTemplate.ts"
import * as TestProcess from "./TestProcess.ts"

const percent = (name: string, description: string, fallback: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("percent"),
    Flag.withDescription(`${description} (${fallback})`),
    Flag.withDefault(fallback),
    Flag.filter(
      (text) => shareOf(text) !== null,
      (text) => `"${text}" is not a percentage between 0.1% and 99.9%`
    )
  )

const shareOf = (text: string): number | null => {
  const share = /^\d{1,2}(?:\.\d+)?%?$/u.test(text) ? Number(text.replace("%", "")) / 100 : 0
  return share >= 0.001 && share <= 0.999 ? share : null
}

/**
 * Runs tests until clean runs exclude a share of failures, or until one contradicts another.
 *
 * **Details**
 *
 * Each run is uploaded as an attempt of one run of the commit, so that a failure next to a pass is evidence for the health of the test.
 */
export const command = Command.make(
  "stress",
  {
    repo: Flag.optional(Flags.repository),
    url: Flags.server.url,
    token: Flags.server.token,
    ...RunFlags.flags,
    tests: Flag.String("tests").pipe(
      Flag.withMetavar("name"),
      Flag.withDescription("Name of a test to run; repeatable; - reads names from standard input, one per line"),
      Flag.atLeast(0)
    ),
    isNew: Flag.Boolean("new").pipe(
      Flag.withDescription("Run the tests of the present reports that have not run on the default branch"),
      Flag.withDefault(false)
    ),
    changedFiles: Flag.String("changed-files").pipe(
      Flag.withMetavar("-"),
      Flag.withDescription("Run the tests of these files: - reads paths from standard input, one per line"),
      Flag.atLeast(0)
    ),
    until: percent("until", "Confidence of the statement", "95%"),
    below: percent("below", "Share of failures that clean runs exclude", "10%"),
    reports: Flag.String("reports").pipe(
      Flag.withMetavar("path"),
      Flag.withDescription(
        "Folder or quoted pattern of the reports; repeatable (every report below the current folder)"
      ),
      Flag.atLeast(0)
    ),
    output: Flag.String("output").pipe(
      Flag.withMetavar("file"),
      Flag.withDescription("File that gets the judgement as JSON"),
      Flag.optional
    ),
    command: Argument.String("command").pipe(
      Argument.withDescription(
        "The command that runs the tests, after --, with {tests}, {pattern}, {expression} or {files}"
      ),
      Argument.variadic({ min: 1 })
    )
  },
  Effect.fn("lazaret.stress")(function* (given) {
    const isFiles = yield* requireOneWay(given)
    const sample = StressTemplate.fill(
      given.command,
      isFiles ? { tests: [], files: ["f"] } : { tests: ["t"], files: [] }
    )
    if (Result.isFailure(sample)) return yield* CommandFailure.usage(plain(sample.failure))
    const params = yield* Session.repositoryOf(given.repo)
    const run = yield* RunFlags.runOf(given, yield* CiEnvironment.current)
    const session = yield* Session.open({ ...given, json: false }, Session.patienceOfJob)
    const subjects = yield* subjectsOf(given, session, params)
    if (subjects === null) {
      yield* Console.log("There is no new test: every test of the reports has run on the default branch.")
      return
    }
    const filled = StressTemplate.fill(given.command, subjects)
    if (Result.isFailure(filled)) return yield* CommandFailure.usage(plain(filled.failure))
    const claim = { confidence: shareOf(given.until) ?? 0, below: shareOf(given.below) ?? 0 }
    const start = yield* Clock.currentTimeMillis
    const tallies = yield* runAll({ ...given, command: filled.success, claim, params, run, session, start }, subjects)
    const judged = [...tallies].map(([test_name, tally]) => judgedOf(test_name, tally, claim))
    for (const each of judged) yield* Console.log(plain(each.sentence))
    yield* summarise(judged.map((each) => each.sentence))
    const text = `${JSON.stringify({ commit: run.commit, until: claim.confidence, tests: judged }, null, 2)}\n`
    if (Option.isSome(given.output)) yield* written(given.output.value, text)
    yield* store(session, { params, run, start, claim, tallies })
    const bad = judged.filter(({ judgement }) => judgement !== "clean")
    if (bad.some(({ judgement }) => judgement === "absent")) {
      return yield* CommandFailure.usage(
        `No report has a result of ${plain(bad.find(({ judgement }) => judgement === "absent")?.test_name ?? "")}: check the name, the ` +
          "command, and --reports."
      )
    }
    if (bad.length === 0) return yield* Console.log(plain(cleanOf(judged.length, tallies, claim)))
    return yield* new CommandFailure.CommandFailure({
      message: `${Words.counted(bad.length, "test")} of ${judged.length} did not pass every run.`,
      exitCode: ExitCode.failing
    })
  }, Checkout.within)
).pipe(
  Command.withDescription(
    "Run new, changed or named tests again and again on one commit. The number of runs follows from --until and --below: 29 clean runs exclude a test that " +
      "fails in 10 % of its runs with a confidence of 95 %. It stops at the first contradiction, and every run is uploaded. Exit codes: 0 when every run " +
      "was clean, 10 when not."
  ),
  Command.withShortDescription("Run new tests many times, and say what that proves"),
  Command.withExamples([
    {
      command:
        "lazaret stress --new --reports reports/ -- npx vitest run --reporter=junit --outputFile=reports/s.xml -t '{pattern}'",
      description: "After the tests of a pull request: run its new ones 29 times"
    },
    {
      command:
        "git diff --name-only --diff-filter=d origin/main -- ':(glob)tests/**/test_*.py' | lazaret stress --changed-files - -- pytest --junitxml=s.xml '{files}'",
      description: "Run the changed test files"
    }
  ])
)

interface Chosen {
  readonly tests: ReadonlyArray<string>
  readonly isNew: boolean
  readonly changedFiles: ReadonlyArray<string>
  readonly reports: ReadonlyArray<string>
}

/** Whether files are run; fails unless one flag says what is run. */
const requireOneWay = ({ changedFiles, isNew, tests }: Omit<Chosen, "reports">) => {
  const ways = [tests.length > 0, isNew, changedFiles.length > 0].filter((isGiven) => isGiven)
  return ways.length === 1
    ? Effect.succeed(changedFiles.length > 0)
    : CommandFailure.usage("Give one of --tests, --new and --changed-files: it says which tests are run.")
}

/** The tests or files to run; null when no test is new. */
const subjectsOf = Effect.fnUntraced(function* (
  given: Chosen,
  session: Session.Session,
  params: Repository.RepositoryRef
) {
  if (given.isNew) {
    const tests = yield* newTests(session, params, yield* readNow(given.reports))
    return tests.length === 0 ? null : { tests, files: [] }
  }
  const isFiles = given.changedFiles.length > 0
  const names = yield* listed(isFiles ? given.changedFiles : given.tests, isFiles ? "paths" : "names of tests")
  return isFiles ? { tests: [], files: names } : { tests: names, files: [] }
})

/** Names of arguments; `-` stands for the lines of standard input. */
const listed = Effect.fnUntraced(function* (given: ReadonlyArray<string>, what: string) {
  const names: Array<string> = []
  for (const each of given) {
    if (each !== "-") names.push(each)
    else {
      const text = Buffer.concat([...(yield* StandardInput.pieces(`${what}, one per line`))]).toString("utf8")
      names.push(...text.split(/\r?\n/u).map((line) => line.trim()))
    }
  }
  const found = [...new Set(names.filter((name) => name !== ""))]
  if (found.length === 0) return yield* CommandFailure.usage(`There are no ${what} to run.`)
  return found
})

const readNow = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const { findAll } = yield* load(() => import("../report/ReportFiles.ts"))
  const { readFound } = yield* load(() => import("../report/ReportFile.ts"))
  const progress = Progress.make(process.stderr, false)
  return yield* Effect.ensuring(readFound(yield* findAll(places), progress), progress.clear)
})

/** The tests of reports that have not run on the default branch. */
const newTests = Effect.fnUntraced(function* (
  session: Session.Session,
  params: Repository.RepositoryRef,
  { read }: ReportFile.All
) {
  const names = [
    ...new Set(read.flatMap(({ reports }) => reports.flatMap(({ cases }) => cases.map((each) => each.testName))))
  ]
  if (names.length === 0)
    return yield* CommandFailure.usage("--new needs the reports of the tests: run them first, and check --reports.")
  const known = new Set<string>()
  for (let start = 0; start < names.length; start += namesAtOnce) {
    const query = { test_name: names.slice(start, start + namesAtOnce) }
    const entries = yield* session
      .list({
        subject: null,
        key: "tests",
        most: 10_000,
        page: (api, at) => api.listTests({ params, query: { ...query, ...at }, ...both })
      })
      .pipe(
        Effect.map(({ entries: found }) => found),
        // A repository that the server does not know has only new tests.
        Effect.catch((error) => (error.status === 404 ? Effect.succeed([]) : Effect.fail(error)))
      )
    for (const { row } of entries) known.add(row.test_name)
  }
  return names.filter((name) => !known.has(name))
})

/** Names in one request: with the longest names it stays below the limit of addresses. */
const namesAtOnce = 20

interface Stressed {
  readonly command: ReadonlyArray<string>
  readonly reports: ReadonlyArray<string>
  readonly claim: Stress.Claim
  readonly params: Repository.RepositoryRef
  readonly run: RunFlags.Run
  readonly session: Session.Session
  readonly start: number
}

/** Runs the command until the tallies decide; `tests` without names takes those that the reports have. */
const runAll = Effect.fnUntraced(function* (stressed: Stressed, { tests }: StressTemplate.Subjects) {
  const { findAll, stamps } = yield* load(() => import("../report/ReportFiles.ts"))
  const { readFound } = yield* load(() => import("../report/ReportFile.ts"))
  const { claim, params, run, session, start } = stressed
  const most = Stress.runsFor(claim)
  const tallies = new Map<string, Stress.Tally>(tests.map((name) => [name, { passed: 0, failed: 0 }]))
  for (let attempt = 1; attempt <= most; attempt++) {
    const before = yield* stamps(yield* findAll(stressed.reports))
    yield* TestProcess.run(stressed.command)
    const files = yield* findAll(stressed.reports)
    const after = yield* stamps(files)
    const fresh = files.filter(({ path }) => after.get(path) !== before.get(path))
    const all = yield* readFound(fresh, Progress.make(process.stderr, false))
    if (all.read.length === 0) {
      return yield* CommandFailure.usage(
        "The command wrote no report: name its folder with --reports, and check the command."
      )
    }
    count(tallies, all, tests.length === 0)
    yield* upload(session, { all, params, run: attemptOf(run, start, attempt) })
    yield* Console.error(`lazaret: run ${attempt} of ${most}`)
    if (Stress.isDecided([...tallies.values()])) break
    if (attempt === 1 && [...tallies.values()].every((tally) => Stress.judge(tally) === "absent")) break
  }
  return tallies
})

const count = (tallies: Map<string, Stress.Tally>, { read }: ReportFile.All, takesAll: boolean): void => {
  for (const { reports } of read) {
    for (const { cases } of reports) {
      for (const { conclusion, flaky, testName } of cases) {
        const tally = tallies.get(testName) ?? (takesAll ? { passed: 0, failed: 0 } : null)
        if (tally === null || conclusion === "skipped") continue
        tallies.set(testName, {
          passed: tally.passed + (conclusion === "passed" ? 1 : 0),
          failed: tally.failed + (conclusion === "failed" || flaky ? 1 : 0)
        })
      }
    }
  }
}

/** One run of its own for all attempts: those of the pipeline, and of another stress run, stay apart. */
const attemptOf = (run: RunFlags.Run, start: number, attempt: number): RunFlags.Run => ({
  ...run,
  run_id: runIdOf(run, start),
  run_attempt: attempt
})

const runIdOf = (run: RunFlags.Run, start: number): string =>
  `${run.run_id ?? run.commit}-stress-${start.toString(36)}`.slice(-255)

interface Ended extends Pick<Stressed, "params" | "run" | "start" | "claim"> {
  readonly tallies: ReadonlyMap<string, Stress.Tally>
}

/** Stores the tallies at the server. One that cannot be reached does not change what the runs prove. */
const store = (session: Session.Session, { claim, params, run, start, tallies }: Ended) => {
  const tests = [...tallies].map(([test_name, tally]) => ({ test_name, ...tally }))
  const parts = Array.from({ length: Math.ceil(tests.length / testsAtOnce) }, (_, index) =>
    tests.slice(index * testsAtOnce, (index + 1) * testsAtOnce)
  )
  return Effect.forEach(
    parts,
    (part) =>
      session.call("the stress run", (api) =>
        api.recordStressRun({
          params,
          payload: { run_id: runIdOf(run, start), commit: run.commit, ...claim, tests: part },
          ...both
        })
      ),
    { discard: true }
  ).pipe(Effect.catch(({ message }) => Console.error(`lazaret: the judgement is not stored: ${message}`)))
}

/** The most tests of one request. */
const testsAtOnce = 1000

interface Uploaded {
  readonly all: ReportFile.All
  readonly params: Repository.RepositoryRef
  readonly run: RunFlags.Run
}

/** A server that cannot be reached does not change what the runs prove. */
const upload = Effect.fnUntraced(function* (session: Session.Session, { all, params, run }: Uploaded) {
  const reports = all.read.filter((each) => each.reports.length > 0)
  const { failures } = yield* Ingest.sendAll(session, { reports, params, run, end: null, keyOf: () => ({}) })
  for (const { error, file } of failures) yield* Console.error(`lazaret: ${plain(file)}: ${error.message}`)
})

interface Judged extends Stress.Tally {
  readonly test_name: string
  readonly judgement: Stress.Judgement
  readonly sentence: string
}

const judgedOf = (test_name: string, tally: Stress.Tally, { confidence }: Stress.Claim): Judged => ({
  test_name,
  ...tally,
  judgement: Stress.judge(tally),
  sentence: `${test_name}: ${Stress.sentenceOf(tally, confidence)}`
})

/** The line of a check: `3 new tests, 30 clean runs each: below 9.5 % with 95 %`. */
const cleanOf = (tests: number, tallies: ReadonlyMap<string, Stress.Tally>, { confidence }: Stress.Claim): string => {
  const runs = Math.min(...[...tallies.values()].map(({ passed }) => passed))
  const bound = (100 * Stress.boundOf(runs, confidence)).toFixed(1)
  return `${Words.counted(tests, "test")}, ${Words.counted(runs, "clean run")} each: below ${bound} % with ${Stress.percentOf(confidence)}`
}

/** Adds the sentences to the summary of the step, where the CI system has one. */
const summarise = Effect.fnUntraced(function* (sentences: ReadonlyArray<string>) {
  const file = yield* Environment.variable("GITHUB_STEP_SUMMARY")
  if (file === null) return
  const text = sentences.map((each) => `- ${plain(each).replaceAll(/[<&`*_[\]|]/gu, String.raw`\$&`)}\n`).join("")
  // A summary that cannot be written must not change the result of the tests.
  yield* Effect.ignore(Effect.tryPromise(() => appendFile(file, `${text}\n`)))
})

const written = (file: string, text: string) =>
  Effect.tryPromise({
    try: () => writeFile(file, text),
    catch: (error) => CommandFailure.usage(`${plain(file)} cannot be written: ${String(error)}.`)
  })
