/** The totals that node:test writes into comments at the end of its report. */
import type { Counts, Shortfall } from "../text/Parsed.ts"
import type { Listed } from "../report/SuiteCount.ts"

/** Collects the totals of one file. */
export interface NodeTestTotals {
  /** Reads a comment directly in the root element; most comments hold no total. */
  readonly read: (comment: string) => void
  /** The difference between the totals and `listed`; null when nothing is missing. */
  readonly shortfall: (listed: Listed) => Shortfall | null
}

/**
 * No totals yet.
 *
 * **Details**
 *
 * node:test writes a test that has subtests as a suite without an outcome of its own: where it fails and no subtest does,
 * these totals are the only trace of it. `fail` and `cancelled` are failures, a failing `todo` is neither.
 */
export const make = (): NodeTestTotals => {
  const totals = new Map<string, number>()
  return {
    read: (comment) => {
      const [, word = "", digits] = /^\s*(fail|cancelled) (\d{1,9})\s*$/.exec(comment) ?? []
      if (digits !== undefined) totals.set(word, Number(digits))
    },
    shortfall: (listed) => {
      const announced = (totals.get("fail") ?? 0) + (totals.get("cancelled") ?? 0)
      const failures: Counts | null = announced > listed.failures ? { announced, listed: listed.failures } : null
      return failures === null ? null : { suite: "", tests: null, failures }
    }
  }
}
