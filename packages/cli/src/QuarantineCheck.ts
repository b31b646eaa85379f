/** What `lazaret quarantine check` does: the gate of a CI job. */
import type { Repository } from "@lazaret/domain"
import { Effect, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import * as CommandFailure from "./CommandFailure.ts"
import * as CiEnvironment from "./ci/CiEnvironment.ts"
import type * as CiRun from "./ci/CiRun.ts"
import * as ExitCode from "./ExitCode.ts"
import * as Progress from "./Progress.ts"
import * as ReportFile from "./ReportFile.ts"
import * as ReportFiles from "./ReportFiles.ts"
import * as RepositoryFlag from "./RepositoryFlag.ts"
import * as Session from "./Session.ts"
import { paint, plain, type Terminal } from "./Terminal.ts"

/** What was given on the command line. */
export interface Given extends Session.Given {
  readonly repo: Option.Option<Repository.RepositoryRef>
  readonly branch: Option.Option<string>
  readonly testsEnded: number
  readonly format: Option.Option<ReportFile.Format>
  readonly files: ReadonlyArray<string>
}

const Checked = Schema.Struct({
  quarantined_tests_names: Schema.Array(Schema.String),
  non_quarantined_tests_names: Schema.Array(Schema.String)
})

type Checked = typeof Checked.Type

/**
 * Splits the failed tests of reports into those that are quarantined and the others; fails when there are others.
 *
 * **Details**
 *
 * A report is taken as a whole: a test that failed in one of the reports has failed. Of a report without failures the
 * server is not asked. A repository that the server does not know has no quarantines.
 */
export const check = Effect.fn("lazaret.quarantine.check")(function* (given: Given) {
  const ci = yield* CiEnvironment.current
  const ref = yield* RepositoryFlag.resolve(given.repo)
  const failed = yield* failedTests(given)
  const checked = failed.length === 0 ? nothing : yield* ask(given, ref, failed, ci)
  yield* Session.print(given, checked, (terminal) => text(terminal, checked))
  if (failed.length === 0 && given.testsEnded !== 0) {
    return yield* failing(`The tests ended with ${given.testsEnded}, but no report has a failure: see their output.`)
  }
  const count = checked.non_quarantined_tests_names.length
  if (count === 0) return
  return yield* failing(`${count} of ${failed.length} failed tests ${count === 1 ? "is" : "are"} not quarantined.`)
})

const failing = (message: string) => new CommandFailure.CommandFailure({ message, exitCode: ExitCode.failing })

const nothing: Checked = { quarantined_tests_names: [], non_quarantined_tests_names: [] }

const failedTests = Effect.fnUntraced(function* (given: Given) {
  const progress = Progress.make(process.stderr, given.json)
  const found = yield* ReportFiles.find(given.files)
  const names = yield* Effect.forEach(found, (each) =>
    Effect.gen(function* () {
      const file = yield* ReportFile.open(each, given.format)
      const { reports } = yield* ReportFile.read(file, (done, size) =>
        progress.bar(`reading ${file.name}`, done, size)
      ).pipe(Effect.catchTag("ParseError", (error) => ReportFile.passed(file, error)))
      return reports.flatMap(({ cases }) =>
        cases.filter(({ conclusion }) => conclusion === "failed").map(({ testName }) => testName)
      )
    })
  ).pipe(Effect.ensuring(progress.clear))
  return [...new Set(names.flat())].toSorted()
})

/** How many names go into one question: each can have 10,000 characters, and a body 1 MiB. */
const mostBytes = 500_000

const ask = Effect.fnUntraced(function* (
  given: Given,
  ref: Repository.RepositoryRef,
  names: ReadonlyArray<string>,
  ci: CiRun.CiRun | null
) {
  const session = yield* Session.open(given)
  const branch = Option.getOrNull(given.branch) ?? ci?.baseBranch ?? ci?.branch ?? null
  const answers = yield* Effect.forEach(batches(names), (batch) => {
    const body = { tests_names: batch, branch }
    const request = HttpClientRequest.bodyJsonUnsafe(
      HttpClientRequest.post(`${Session.pathOf(ref)}/quarantines/check`),
      body
    )
    return session.call({ request, answer: Checked, subject: Session.nameOf(ref) }).pipe(
      Effect.catchIf(
        ({ status }) => status === 404,
        () => Effect.succeed({ quarantined_tests_names: [], non_quarantined_tests_names: batch })
      )
    )
  })
  return {
    quarantined_tests_names: answers.flatMap((each) => each.quarantined_tests_names),
    non_quarantined_tests_names: answers.flatMap((each) => each.non_quarantined_tests_names)
  }
})

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

const text = (terminal: Terminal, checked: Checked): string => {
  const { non_quarantined_tests_names: others, quarantined_tests_names: quarantined } = checked
  if (others.length + quarantined.length === 0) return "no test failed"
  return [
    ...quarantined.map((name) => `${paint(terminal, "yellow", "quarantined")}  ${plain(name)}`),
    ...others.map((name) => `${paint(terminal, "red", "failed")}       ${plain(name)}`)
  ].join("\n")
}
