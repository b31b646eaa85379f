/** The verdict of the gate: whether a CI job may pass. */
import { TestIdentity } from "@lazaret/domain"
import type { Parsed } from "@lazaret/ingest"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Words from "../terminal/Words.ts"

/**
 * The facts of a job that the gate reads.
 *
 * **Details**
 *
 * - `reports`: the reports that were read, each with the name of its file.
 * - `unreadable`: the names of the files that could not be read.
 * - `quarantined`: the names of quarantined tests.
 * - `testsEnded`: the exit code of the tests; 0 when it is not known.
 */
export interface Facts {
  readonly reports: ReadonlyArray<{ readonly file: string; readonly parsed: Parsed.Parsed }>
  readonly unreadable: ReadonlyArray<string>
  readonly quarantined: ReadonlySet<string>
  readonly testsEnded: number
}

/** An exit code and its reason; the reason of success is empty. `missing` says what the reports lack. */
export interface Verdict {
  readonly exitCode: number
  readonly reason: string
  readonly missing: ReadonlyArray<string>
}

/** The name of each failed case, in the order of the reports: a name stands there once for each of its cases. */
export const failures = (reports: Facts["reports"]): ReadonlyArray<string> =>
  reports.flatMap(({ parsed }) =>
    parsed.cases.filter(({ conclusion }) => conclusion === "failed").map(({ testName }) => testName)
  )

/**
 * The failed tests that every report with a failure of theirs proves to be attempts of another test (`Parsed.attempts`), each
 * with that test. What lets the other test pass lets them pass.
 */
export const attempts = (reports: Facts["reports"]): ReadonlyMap<string, string> => {
  const proven = new Map(reports.flatMap(({ parsed }) => [...parsed.attempts]))
  const others = reports.flatMap((each) => failures([each]).filter((name) => !each.parsed.attempts.has(name)))
  for (const name of others) proven.delete(name)
  return proven
}

/**
 * Whether a job may pass.
 *
 * **Details**
 *
 * - A failure that is not quarantined, or one of the run itself (`test run`): {@link ExitCode.failing}.
 * - Half a report (a file that cannot be read; a suite that announces more tests or failures than it lists): the exit code
 *   of the tests, or {@link ExitCode.usage} when they ended with 0. A missing failure could be any test.
 * - The tests failed and no report has a failure: their exit code. Something else than a test went wrong.
 * - Otherwise {@link ExitCode.done}: every failure is quarantined.
 *
 * So the exit code is 0 only when every failure that the reports announce is listed and quarantined.
 */
export const judge = (facts: Facts): Verdict => {
  const failed = failures(facts.reports)
  const blocking = failed.filter((name) => name === TestIdentity.testRun || !facts.quarantined.has(name))
  const missing = missingOf(facts)
  if (blocking.length > 0) {
    const verb = blocking.length === 1 ? "is" : "are"
    const sentence = `${blocking.length} of ${Words.counted(failed.length, "failed test")} ${verb} not quarantined.`
    return { exitCode: ExitCode.failing, reason: [sentence, ...missing].join(" "), missing }
  }
  const own = exitCodeOf(facts.testsEnded)
  if (missing.length > 0) {
    const reason = `Incomplete report: ${missing.join(" ")} A failure may be missing in it.`
    return { exitCode: own === ExitCode.done ? ExitCode.usage : own, reason, missing }
  }
  if (own !== ExitCode.done && failed.length === 0) {
    const what = facts.reports.length === 0 ? "no new report was found" : "no report has a failure"
    const reason = `The tests ended with ${facts.testsEnded}, but ${what}: see their output.`
    return { exitCode: own, reason, missing }
  }
  return { exitCode: ExitCode.done, reason: "", missing }
}

/** A process keeps the lowest 8 bits of its exit code: another code than 0 must not become 0. */
export const exitCodeOf = (code: number): number => (code !== 0 && (code & 0xff) === 0 ? 1 : code & 0xff)

const missingOf = ({ reports, unreadable }: Facts): ReadonlyArray<string> => [
  ...unreadable.map((file) => `${file} cannot be read.`),
  ...reports.flatMap(({ file, parsed }) => parsed.incomplete.slice(0, 3).map((each) => `${file}: ${sentenceOf(each)}`))
]

const sentenceOf = ({ failures: failed, suite, tests }: Parsed.Shortfall): string => {
  const counts = [
    ...(tests === null ? [] : [`${Words.counted(tests.announced, "test")} and lists ${tests.listed}`]),
    ...(failed === null ? [] : [`${Words.counted(failed.announced, "failure")} and lists ${failed.listed}`])
  ]
  return `${suite === "" ? "it" : `the suite "${suite}"`} announces ${counts.join(", ")}.`
}
