/** Whether a CI system should run a job again: only flaky tests stopped it. */
import { TestIdentity } from "@lazaret/domain"
import type * as Ask from "./Ask.ts"
import * as ExitCode from "../terminal/ExitCode.ts"
import * as Gate from "./Gate.ts"

/**
 * The facts of a job that ended.
 *
 * **Details**
 *
 * - `verdict`: that of the gate. `testsEnded`: the exit code of the tests.
 * - `judged`: the failures with their verdicts.
 * - `isPrecise`: whether `flaky` was right often enough for the settings of the repository.
 */
export interface Ended extends Pick<Gate.Facts, "reports" | "testsEnded"> {
  readonly verdict: Gate.Verdict
  readonly judged: Ask.Answer
  readonly isPrecise: boolean
}

/**
 * Whether every failure that blocks is judged flaky.
 *
 * **Details**
 *
 * False when a report is incomplete, when the run failed outside of its tests, when the runner was not found or ended by a signal, and when a
 * failure was not judged: something else than a flaky test may have gone wrong.
 */
export const isWorthwhile = ({ isPrecise, judged, reports, testsEnded, verdict }: Ended): boolean => {
  if (verdict.exitCode !== ExitCode.failing || verdict.missing.length > 0 || !isPrecise) return false
  if (Gate.exitCodeOf(testsEnded) >= notFound) return false
  const failed = Gate.failures(reports)
  const known = new Set(judged.map(({ test_name }) => test_name))
  if (failed.some((name) => name === TestIdentity.testRun || !known.has(name))) return false
  return judged.every((each) => !each.is_blocking || each.verdict === "flaky")
}

/** The exit code of a shell for a command that it cannot run; those above are of commands that a signal ended. */
const notFound = 126
