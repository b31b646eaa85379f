/**
 * Outages: job runs in which so much failed at once that the failures say nothing about single tests.
 *
 * Their failures count in statistics but not in health. Two outages in a row on different commits do count: then the
 * default branch really is broken. All of it is our choice; see `docs/explanation/outages.md`.
 */
import type { Instant } from "../time/Instant.ts"
import * as Text from "../execution/Text.ts"
import * as Policy from "../repository/Policy.ts"

/** The numbers of the outage rule, each with its default and its reason. */
export const fields = {
  failedTests: Policy.count(
    20,
    [1, 1_000_000],
    "Failed executions from which a run may be an outage",
    "0.23 % of 12,953 failed suite runs of ten large projects reach 20 % failing classes."
  ),
  failedShare: Policy.share(
    0.2,
    "Share of the executions of a run that must also have failed",
    "99 % of 12,953 failed suite runs of ten large projects have less than 5.5 % failing classes."
  ),
  allFailed: Policy.count(
    5,
    [1, 1_000_000],
    "Executions of a run in which everything failed",
    "A small suite loses its database, too."
  )
}

/** Schema of the outage policy. */
export const OutagePolicy = Policy.schema(fields)

/** The thresholds of an outage. */
export type OutagePolicy = typeof OutagePolicy.Type

/** The outage policy with every default. */
export const defaults: OutagePolicy = Policy.defaultsOf(fields)

/**
 * What one job run adds up to, over all its uploads.
 *
 * **Details**
 *
 * `key` identifies the run (`Report.runKey`), `at` is the finish of its last execution, `passed` and `failed` count
 * executions. Runs that are compared belong to one pipeline and job, on the default branch.
 */
export interface RunTotals {
  readonly key: string
  readonly at: Instant
  readonly commit: string
  readonly passed: number
  readonly failed: number
}

/**
 * Whether a run is an outage by its own counts.
 *
 * @example
 * ```ts
 * import { Outage } from "@lazaret/domain"
 *
 * const run = { key: "run", at: 0, commit: "c1" }
 * Outage.isOutage({ ...run, passed: 80, failed: 20 }, Outage.defaults) // => true
 * Outage.isOutage({ ...run, passed: 81, failed: 20 }, Outage.defaults) // => false
 * Outage.isOutage({ ...run, passed: 0, failed: 5 }, Outage.defaults) // => true
 * ```
 */
export const isOutage = (run: RunTotals, policy: OutagePolicy): boolean =>
  (run.failed >= policy.failedTests && run.failed / (run.passed + run.failed) >= policy.failedShare) ||
  (run.passed === 0 && run.failed >= policy.allFailed)

/** The order of runs: by finish, then key. */
export const order = (a: RunTotals, b: RunTotals): number => a.at - b.at || Text.compare(a.key, b.key)

/**
 * The keys of the runs whose failures are excused: outages whose predecessor was not an outage.
 *
 * **Details**
 *
 * The predecessor of a run is the last one before it on another commit. `runs` are all runs of one pipeline and job on
 * the default branch, in any order.
 */
export const excused = (runs: Iterable<RunTotals>, policy: OutagePolicy): Set<string> => {
  const sorted = [...runs].sort(order)
  const keys = new Set<string>()
  sorted.forEach((run, index) => {
    if (!isOutage(run, policy)) return
    const before = predecessor(sorted, index)
    if (before === null || !isOutage(before, policy)) keys.add(run.key)
  })
  return keys
}

/** The keys of the runs that can stand before a later run: the last one, and the last one on another commit. */
export const predecessors = (runs: Iterable<RunTotals>): Set<string> => {
  const sorted = [...runs].sort(order)
  const last = sorted.at(-1)
  const other = sorted.findLast((run) => run.commit !== last?.commit)
  return new Set([last, other].flatMap((run) => (run === undefined ? [] : [run.key])))
}

const predecessor = (sorted: ReadonlyArray<RunTotals>, index: number): RunTotals | null => {
  const commit = sorted[index]?.commit
  for (let i = index - 1; i >= 0; i--) {
    const run = sorted[i]
    if (run !== undefined && run.commit !== commit) return run
  }
  return null
}
