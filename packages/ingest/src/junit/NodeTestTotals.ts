/** The totals that node:test writes into comments at the end of its report. */
import type { Counts, Shortfall } from "../text/Parsed.ts"

/** Collects the totals of one file. `failed` is how many of the cases so far failed. */
export interface NodeTestTotals {
  /** Reads a comment directly in the root element; most comments hold no total. */
  readonly read: (comment: string) => void
  /** A `testsuite` element opens. */
  readonly open: (failed: number) => void
  /** The innermost `testsuite` element closes. */
  readonly close: (failed: number) => void
  /** The difference between the totals and the listed failures; null when nothing is missing. */
  readonly shortfall: (failed: number) => Shortfall | null
}

/**
 * No totals yet.
 *
 * **Details**
 *
 * - node:test writes a test that has subtests as a suite without an outcome of its own: where it fails and no subtest does,
 *   these totals are the only trace of it. `fail` and `cancelled` are failures, a failing `todo` is neither.
 * - A test with a failed subtest fails, too, and counts. Its element looks like that of a `describe`, which does not count.
 *   `suites` says how many of these there are: of the elements with a failure within, those beyond this number are tests.
 */
export const make = (): NodeTestTotals => {
  const totals = new Map<string, number>()
  const open: Array<number> = []
  let withFailures = 0
  const parents = (): number => Math.max(0, withFailures - (totals.get("suites") ?? 0))
  return {
    read: (comment) => {
      const [, word = "", digits] = /^\s*(fail|cancelled|suites) (\d{1,9})\s*$/.exec(comment) ?? []
      if (digits !== undefined) totals.set(word, Number(digits))
    },
    open: (failed) => {
      open.push(failed)
    },
    close: (failed) => {
      if (failed > (open.pop() ?? failed)) withFailures += 1
    },
    shortfall: (failed) => {
      const announced = (totals.get("fail") ?? 0) + (totals.get("cancelled") ?? 0)
      const failures: Counts | null = announced > failed + parents() ? { announced, listed: failed } : null
      return failures === null ? null : { suite: "", tests: null, failures }
    }
  }
}
