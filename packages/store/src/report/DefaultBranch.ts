/** The rule of the default branch that nobody has set: when `main` and `master` were first executed decides. */
import { type Instant, Report, type Repository } from "@lazaret/domain"
import type { AppendOutcome } from "./ExecutionStore.ts"

/** When the first known execution on `main` and on `master` finished; null before any. */
export interface Earliest {
  readonly main: Instant.Instant | null
  readonly master: Instant.Instant | null
}

/** Nothing known of either. */
export const unknown: Earliest = { main: null, master: null }

/** Whether the default branch is known: it is set, or `main` or `master` has an execution. */
export const isKnown = (settings: Repository.RepositorySettings, { main, master }: Earliest): boolean =>
  settings.defaultBranch !== null || main !== null || master !== null

/** The outcome of an append after which the default branch is not known. */
export const unknownIn = (outcome: AppendOutcome): AppendOutcome =>
  outcome._tag === "Recorded" ? { ...outcome, withoutDefaultBranch: true } : outcome

/**
 * The earliest executions once these reports are stored; the same object when they change nothing. Pull requests do not
 * count.
 */
export const earliestWith = (known: Earliest, reports: ReadonlyArray<Report.Report>): Earliest => {
  const earliest = { ...known }
  for (const report of reports) {
    const { baseBranch, branch } = report.run
    if (baseBranch !== null || (branch !== "main" && branch !== "master") || report.executions.length === 0) continue
    earliest[branch] = Math.min(earliest[branch] ?? Infinity, Report.span(report).earliest)
  }
  return earliest.main === known.main && earliest.master === known.master ? known : earliest
}
