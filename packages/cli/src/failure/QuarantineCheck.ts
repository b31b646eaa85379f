/** `lazaret quarantine check`: the gate of a CI job. */
import type { Schemas } from "@lazaret/api"
import type { Repository } from "@lazaret/domain"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { both } from "../connection/Request.ts"
import * as Checkout from "../ci/Checkout.ts"
import * as CiEnvironment from "../ci/CiEnvironment.ts"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Flags from "../connection/Flags.ts"
import * as Gate from "./Gate.ts"
import { load } from "../terminal/MissingPackage.ts"
import * as Progress from "../terminal/Progress.ts"
import * as Format from "../report/Format.ts"
import * as Session from "../connection/Session.ts"
import { paint, plain, type Terminal } from "../terminal/Terminal.ts"
import * as Ask from "./Ask.ts"
import * as Verdicts from "./FailureLines.ts"

/** The gate of a CI job. */
export const check = Command.make(
  "check",
  {
    ...Flags.ofRepository,
    branch: Flag.String("branch").pipe(
      Flag.withDescription("Branch whose quarantines apply (CI: the base branch of a pull request, else the branch)"),
      Flag.optional
    ),
    testsEnded: Flag.Int("tests-ended").pipe(
      Flag.withMetavar("code"),
      Flag.withDescription("Exit code of the tests. It stays when no report has a failure, or a report is incomplete"),
      Flag.withDefault(0)
    ),
    checkout: Checkout.flag,
    format: Format.flag,
    files: Format.files
  },
  Effect.fn("lazaret.quarantine.check")(function* (given) {
    const progress = Progress.make(process.stderr, given.json)
    const { readAll } = yield* load(() => import("../report/ReportFile.ts"))
    const params = yield* Session.repositoryOf(given.repo)
    const own = Gate.exitCodeOf(given.testsEnded)
    const { read, unreadable } = yield* readAll(given.files, given.format, progress).pipe(
      Effect.ensuring(progress.clear),
      // Without a report, the exit code of the tests stays.
      Effect.mapError(
        ({ exitCode, message }) =>
          new CommandFailure.CommandFailure({ message, exitCode: own === ExitCode.done ? exitCode : own })
      )
    )
    for (const { file, message } of unreadable) yield* Console.error(`lazaret: ${file}: ${message}`)
    const reports = read.flatMap((each) => each.reports.map((parsed) => ({ file: each.file.name, parsed })))
    const names = [...new Set(Gate.failures(reports))].toSorted()
    const ci = yield* CiEnvironment.current
    const branch = Option.getOrNull(given.branch) ?? ci?.baseBranch ?? ci?.branch ?? null
    const session = names.length === 0 ? null : yield* Session.open(given, Session.patienceOfJob)
    const job = Ask.jobOf(ci, Option.getOrNull(given.branch))
    const judged = session === null || job === null ? null : yield* Ask.ask(session, { params, reports, job })
    const checked =
      session === null
        ? nothing
        : judged === null
          ? withAttempts(yield* ask(session, { params, names, branch }), Gate.attempts(reports))
          : split(names, isIn(Verdicts.passing(judged)))
    const { exitCode, missing, reason } = Gate.judge({
      reports,
      unreadable: unreadable.map(({ file }) => file),
      quarantined: new Set(checked.quarantined_tests_names),
      testsEnded: given.testsEnded
    })
    const place = { ...params, url: session?.connection.url ?? "" }
    yield* Session.print(given, { ...checked, missing, failures: judged ?? [] }, (terminal) =>
      judged === null ? textOf(terminal, checked) : Verdicts.lines(terminal, place, judged)
    )
    if (exitCode !== 0) return yield* new CommandFailure.CommandFailure({ message: reason, exitCode })
  }, Checkout.within)
).pipe(
  Command.withDescription(
    "The gate of a CI job: check that every failure in test reports is quarantined, or passes by its verdict as the " +
      "settings of the repository say. Exits with 0 when there is no failure or all of them pass, with 10 when at least one is not, and with 2 when a report cannot be read or " +
      "announces more tests or failures than it lists."
  ),
  Command.withShortDescription("Pass when every failure is quarantined"),
  Command.withExamples([
    {
      command: "npm test || lazaret quarantine check --tests-ended $? reports/",
      description: "Fail only for tests that are not quarantined"
    }
  ])
)

type Checked = typeof Schemas.CheckedQuarantines.Type

/** Splits names into tests that pass the gate and others. */
const split = (names: ReadonlyArray<string>, passes: (name: string) => boolean): Checked => ({
  quarantined_tests_names: names.filter((name) => passes(name)),
  non_quarantined_tests_names: names.filter((name) => !passes(name))
})

const isIn = (names: ReadonlySet<string>) => (name: string) => names.has(name)

/** Moves the attempts of quarantined tests to the quarantined ones. */
const withAttempts = (checked: Checked, attempts: ReadonlyMap<string, string>): Checked => {
  const quarantined = new Set(checked.quarantined_tests_names)
  const holds = (name: string): boolean => quarantined.has(attempts.get(name) ?? name)
  return split([...checked.quarantined_tests_names, ...checked.non_quarantined_tests_names], holds)
}

const nothing: Checked = { quarantined_tests_names: [], non_quarantined_tests_names: [] }

/** Names of tests, and the branch whose quarantines apply; null when it is not known. */
interface Asked {
  readonly params: Repository.RepositoryRef
  readonly names: ReadonlyArray<string>
  readonly branch: string | null
}

/** Splits names into quarantined tests and others. */
const ask = Effect.fnUntraced(function* (session: Session.Session, { branch, names, params }: Asked) {
  const answers = yield* Effect.forEach(batches(names), (batch) => {
    const payload = { tests_names: batch, branch }
    return session
      .call(Session.nameOf(params), (api) => api.checkQuarantines({ params, payload, ...both }))
      .pipe(
        Effect.map(({ value }) => value),
        // A repository that the server does not know has no quarantines.
        Effect.catchIf(
          ({ status }) => status === 404,
          () => Effect.succeed({ quarantined_tests_names: [], non_quarantined_tests_names: batch })
        )
      )
  })
  return {
    quarantined_tests_names: answers.flatMap((each) => each.quarantined_tests_names),
    non_quarantined_tests_names: answers.flatMap((each) => each.non_quarantined_tests_names)
  } satisfies Checked
})

/** Bytes of names in one request: a name can have 10,000 characters, and the server reads bodies of 1 MiB. */
const mostBytes = 500_000

const batches = (names: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<Array<string>> = []
  let room = 0
  for (const name of names) {
    const size = Buffer.byteLength(JSON.stringify(name)) + 1
    if (size > room) {
      all.push([])
      room = mostBytes
    }
    all.at(-1)?.push(name)
    room -= size
  }
  return all
}

/** A line for each failure. */
const textOf = (terminal: Terminal, checked: Checked): string => {
  const { non_quarantined_tests_names: others, quarantined_tests_names: quarantined } = checked
  if (others.length + quarantined.length === 0) return "no report has a failure"
  return [
    ...quarantined.map((name) => `${paint(terminal, "yellow", "quarantined")}  ${plain(name)}`),
    ...others.map((name) => `${paint(terminal, "red", "failed")}       ${plain(name)}`)
  ].join("\n")
}
