/** One computation of the causes of a repository from its facts and its records. */
import type { Instant } from "../time/Instant.ts"
import * as Cause from "./Cause.ts"
import * as CauseFacts from "./CauseFacts.ts"
import * as CauseGroups from "./CauseGroups.ts"
import type { CausePolicy } from "./CausePolicy.ts"
import * as CauseRecord from "./CauseRecord.ts"
import * as CauseSuccession from "./CauseSuccession.ts"
import * as Steps from "./Steps.ts"

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

/** The facts of a round, the records of before, and the instant. */
export interface Question {
  readonly facts: CauseFacts.CauseFacts
  readonly before: ReadonlyArray<CauseRecord.CauseRecord>
  readonly now: Instant
}

/**
 * The causes that facts show, in steps: nearly all of the work of a round.
 *
 * **Details**
 *
 * Causes that no record would be kept of are left out: those beyond the {@link CauseRecord.mostCauses} with most job runs which have no test of
 * a record of before.
 */
export function* found({ before, facts, now }: Question, policy: CausePolicy): Steps.Steps<CausesFound> {
  const ordered = yield* CauseFacts.inOrder(facts.runs)
  const redRuns = ordered.length
  const missingRuns = Math.max(0, policy.leastRuns - redRuns)
  const groups = missingRuns > 0 ? [] : yield* CauseGroups.steps(ordered, policy)
  const perGroup = {
    most: 2000,
    weightOf: ({ runs, tests }: CauseGroups.CauseGroup) => runs.length + 10 * tests.length
  }
  const causes = yield* Steps.mapSteps(kept(groups, before), perGroup, (group) =>
    Cause.knowing(group, facts.exceptions, now)
  )
  return { redRuns, missingRuns, causes }
}

const kept = (
  groups: ReadonlyArray<CauseGroups.CauseGroup>,
  before: ReadonlyArray<CauseRecord.CauseRecord>
): ReadonlyArray<CauseGroups.CauseGroup> => {
  const last = groups.toSorted(mostRuns)[CauseRecord.mostCauses]
  if (last === undefined) return groups
  const known = new Set(before.flatMap((record) => record.known.tests.map(({ testName }) => testName)))
  return groups.filter(
    (group) => group.isOutage || mostRuns(group, last) <= 0 || group.tests.some(({ testName }) => known.has(testName))
  )
}

const mostRuns = (a: CauseGroups.CauseGroup, b: CauseGroups.CauseGroup): number =>
  b.runs.length - a.runs.length || (b.runs.at(-1)?.at ?? 0) - (a.runs.at(-1)?.at ?? 0)

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

/** Whether a round reopens a cause that a person has closed. */
export const reopens = (shown: CausesFound, before: ReadonlyArray<CauseRecord.CauseRecord>, now: Instant): boolean => {
  const closed = new Set(before.filter(({ closedAt }) => closedAt !== null).map(({ causeId }) => causeId))
  return (
    closed.size > 0 &&
    of(shown, before, now).records.some(({ causeId, closedAt }) => closedAt === null && closed.has(causeId))
  )
}
