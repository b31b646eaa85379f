/** One computation of the causes of a repository from its facts and its records. */
import type { Instant } from "../time/Instant.ts"
import * as Cause from "./Cause.ts"
import * as CauseFacts from "./CauseFacts.ts"
import * as CauseGroups from "./CauseGroups.ts"
import type { CausePolicy } from "./CausePolicy.ts"
import * as CauseRecord from "./CauseRecord.ts"
import * as CauseSuccession from "./CauseSuccession.ts"

/**
 * The causes that the facts of a repository show as of an instant.
 *
 * **Details**
 *
 * - `redRuns`: the job runs with failures that were read. `missingRuns`: how many more are needed before causes are shown, 0 when
 *   there are enough; without enough there are no causes.
 */
export interface CausesFound {
  readonly redRuns: number
  readonly missingRuns: number
  readonly causes: ReadonlyArray<Cause.CauseKnown>
}

/** The causes that facts show: nearly all of the work of a round. */
export const found = (facts: CauseFacts.CauseFacts, now: Instant, policy: CausePolicy): CausesFound => {
  const redRuns = CauseFacts.inOrder(facts.runs).length
  const missingRuns = Math.max(0, policy.leastRuns - redRuns)
  const groups = missingRuns > 0 ? [] : CauseGroups.of(facts.runs, policy)
  return { redRuns, missingRuns, causes: groups.map((group) => Cause.known(group, facts.said, now)) }
}

/** A round: what was found, and the records to keep. */
export interface CauseRound extends Pick<CausesFound, "redRuns" | "missingRuns"> {
  readonly records: ReadonlyArray<CauseRecord.CauseRecord>
}

/** The round that continues the records of before. */
export const of = (
  { causes, missingRuns, redRuns }: CausesFound,
  before: ReadonlyArray<CauseRecord.CauseRecord>,
  now: Instant
): CauseRound => {
  const today = causes.map((known) => ({ known, ...CauseRecord.recognisedOf(known) }))
  const successions = CauseSuccession.of(before.map(CauseRecord.formerOf), today)
  const records = CauseRecord.renewed(
    before,
    successions.map((each) => ({ ...each, cause: each.cause.known })),
    now
  )
  return { redRuns, missingRuns, records }
}
