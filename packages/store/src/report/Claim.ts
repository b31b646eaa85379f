/** The rule of idempotency: which of the reports at hand are new, and what of them is still kept. */
import { type Instant, Report } from "@lazaret/domain"
import type { AppendOutcome } from "./ExecutionStore.ts"
import * as ForkTests from "./ForkTests.ts"

/**
 * A report with the texts that it is known by: one for its key, one for its content. `added` is how many identities it would add, 0
 * for a report that is not of a fork.
 */
export interface Candidate {
  readonly report: Report.Report
  readonly key: string
  readonly content: string
  readonly added: number
}

/** A report that is stored, by the texts that it is known by. */
export interface Claimed {
  readonly key: string
  readonly content: string
  readonly reportId: string
}

/** The outcome of each report, the candidates that are new, in the same order, and what forks have added with them. */
export interface Claims<C extends Candidate> {
  readonly outcomes: ReadonlyArray<AppendOutcome>
  readonly fresh: ReadonlyArray<C>
  readonly forkTests: ForkTests.ForkTests
}

/** The limits of the reports that a repository takes. */
export interface Bounds {
  readonly horizon: Instant.Instant | null
  readonly forkTests: ForkTests.ForkTests
}

/** The text that a report's content is known by: the same content of another job run is another report. */
export const contentOf = (report: Report.Report): string => `${Report.runKey(report.run)}\0${report.digest}`

/**
 * Decides for each report whether it is new, a duplicate, a conflict or too old, the earlier ones of the list counted.
 *
 * **Details**
 *
 * - Executions before the horizon are left out first; a report of which nothing is left claims nothing.
 * - A report of a fork that would add too many identities claims nothing (`ForkTests`).
 * - The key comes before the content: under a key that was used, only the same content is a duplicate.
 * - `known` holds at least the stored reports that share a key or a content with a candidate.
 */
export const claim = <C extends Candidate>(
  candidates: ReadonlyArray<C>,
  known: ReadonlyArray<Claimed>,
  { forkTests: before, horizon }: Bounds
): Claims<C> => {
  let forkTests = before
  const byKey = new Map(known.map((each) => [each.key, each]))
  const byContent = new Map(known.map((each) => [each.content, each]))
  const fresh: Array<C> = []
  const outcomes = candidates.map((candidate): AppendOutcome => {
    const { added, content, key, report: received } = candidate
    const report = horizon === null ? received : Report.since(received, horizon)
    const expired = received.executions.length - report.executions.length
    if (horizon !== null && expired > 0 && report.executions.length === 0) return { _tag: "Expired", expired, horizon }
    const withKey = byKey.get(key)
    if (withKey !== undefined && withKey.content !== content) return { _tag: "Conflict" }
    const same = withKey ?? byContent.get(content)
    if (same !== undefined) return { _tag: "Duplicate", reportId: same.reportId }
    const taken = added === 0 ? forkTests : ForkTests.take(forkTests, report, added)
    if (taken === null) return { _tag: "Exceeded" }
    forkTests = taken
    const claimed = { key, content, reportId: report.id }
    byKey.set(key, claimed)
    byContent.set(content, claimed)
    fresh.push({ ...candidate, report })
    return horizon !== null && expired > 0
      ? { _tag: "Trimmed", reportId: report.id, expired, horizon }
      : { _tag: "Recorded", reportId: report.id }
  })
  return { outcomes, fresh, forkTests }
}
