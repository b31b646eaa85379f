/** Changes on the wire. */
import type { Schemas } from "@lazaret/api"
import { ChangeInterval, SourceLinks } from "@lazaret/domain"
import type { FoundChange } from "@lazaret/services"

/** The change of a test or of a cause. */
export const of = ({ isHealthy, links, ...change }: FoundChange): typeof Schemas.FoundChange.Type => ({
  sentence: isHealthy ? "healthy: there is no change to look for" : ChangeInterval.sentence(change),
  runs: change.runs,
  failed_runs: change.failures,
  missing_runs: isHealthy ? 0 : change.missingRuns,
  first_failure: change.firstFailure,
  intervals: change.intervals.map(({ after, commits, last, level, probability }) => ({
    level,
    probability,
    after,
    last,
    commits,
    url: links === null ? null : SourceLinks.comparisonOf(links, after, last)
  }))
})
