/**
 * The measures of a failure: how much there is of each kind of evidence, in the units that the weights are learned for.
 *
 * A measure is positive when it speaks for a flake and negative when it speaks for a real failure. Counts enter as
 * logarithms with an upper bound: the tenth failure in a row says less than the second.
 */
import * as Facts from "./FailureFacts.ts"
import { EvidenceKind, type FailurePolicy } from "./FailurePolicy.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/** How much there is of each kind of evidence; 0 for a kind without facts. */
export type Measures = { readonly [Kind in EvidenceKind]: number }

/** Every kind of evidence, in the order in which ties are shown. */
export const kinds: ReadonlyArray<EvidenceKind> = EvidenceKind.literals

/**
 * The measures of one failure.
 *
 * **Details**
 *
 * - `passed_on_rerun`: 1 with a pass on the same code.
 * - `attempts`: -log2 of the attempts on the same code that failed, at least -4 (16 attempts).
 * - `base_passed`, `base_failed`: 1 or -1 when the last outcome on the base is known.
 * - `base_row`: -log2(1 + length of the row of failures on the base), at least -5.
 * - `flakes_before`: log2(1 + flakes of the test in all its jobs), at most 4, and only while the base fails. On real
 *   history a known flake says nothing about a failure after a pass: "it is known to be flaky" alone is a bad excuse.
 * - `real_before`: -log2(1 + commits that the identity failed for good), at least -4.
 * - `sibling_jobs`: log2 of the odds that a sibling job passes; `previous_run`: that a job of the previous run passed. Both
 *   within -5 and 5, with half a job added to both sides.
 * - `job_failures`: -log2(1 + other failed tests of the job run), at least -5, on a pull request or while the base fails. On
 *   real history many failures right after a pass of main were as often a bad run as a bad change.
 * - `pull_request`: -1 on a pull request.
 * - `elsewhere`: log2(1 + unrelated branches with the same signature within `elsewhereHours`), at most 3.
 */
export const measure = (facts: Facts.FailureFacts, policy: Windows): Measures => {
  const row = Facts.baseRow(facts)
  const hasFailed = row?.conclusion === "failed"
  const previous = Facts.previousRun(facts)
  const isSuspect = hasFailed || facts.failure.isPullRequest
  return {
    passed_on_rerun: Facts.provingReruns(facts).length > 0 ? 1 : 0,
    attempts: -bounded(Math.log2(Math.max(1, Facts.failedAttempts(facts))), 4),
    base_passed: row?.conclusion === "passed" ? 1 : 0,
    base_failed: hasFailed ? -1 : 0,
    base_row: hasFailed ? -logarithm(row.length, 5) : 0,
    flakes_before: hasFailed ? logarithm(recentFlakes(facts, policy.memoryDays).length, 4) : 0,
    real_before: -logarithm(recentReal(facts, policy.memoryDays).length, 4),
    sibling_jobs: odds(siblingCounts(facts)),
    previous_run: previous === null ? 0 : odds(previous),
    job_failures: isSuspect ? -logarithm(facts.job.failed, 5) : 0,
    pull_request: facts.failure.isPullRequest ? -1 : 0,
    elsewhere: logarithm(branchesElsewhere(facts, policy).length, 3)
  }
}

/** How far back and how far apart facts count. */
export type Windows = Pick<FailurePolicy, "elsewhereHours" | "memoryDays">

/** The flakes of the test within the given days before the failure; the start is exclusive. */
export const recentFlakes = (facts: Facts.FailureFacts, days: number): ReadonlyArray<Facts.Flake> =>
  facts.test.flakes.filter(({ at }) => at > facts.failure.at - days * Instant.day)

/** The real failures of the identity on other commits within the given days before the failure. */
export const recentReal = (facts: Facts.FailureFacts, days: number): ReadonlyArray<Facts.RealFailure> =>
  facts.realFailures.filter(
    ({ at, commit }) => commit !== facts.failure.commit && at > facts.failure.at - days * Instant.day
  )

/** How many sibling jobs pass and fail. */
export const siblingCounts = (facts: Facts.FailureFacts): { readonly passed: number; readonly failed: number } => {
  const failed = facts.siblings.filter(({ conclusion }) => conclusion === "failed").length
  return { failed, passed: facts.siblings.length - failed }
}

/** The unrelated branches that show the same signature at about the same time, in code-point order. */
export const branchesElsewhere = (
  facts: Facts.FailureFacts,
  policy: Pick<FailurePolicy, "elsewhereHours">
): ReadonlyArray<string> => [
  ...new Set(
    facts.sightings
      .filter(
        (one) =>
          Facts.isUnrelated(facts.failure, one) &&
          Math.abs(one.at - facts.failure.at) <= policy.elsewhereHours * Instant.hour
      )
      .map(({ branch }) => branch)
      .sort(Text.compare)
  )
]

const bounded = (value: number, bound: number): number => Math.max(-bound, Math.min(bound, value))

const logarithm = (count: number, bound: number): number => bounded(Math.log2(1 + count), bound)

const odds = ({ failed, passed }: { readonly passed: number; readonly failed: number }): number =>
  bounded(Math.log2((passed + 0.5) / (failed + 0.5)), 5)
