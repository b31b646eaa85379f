/** How tests ended after a failure on the default branch: their outcomes in the job runs that followed there. */
import { FailureRecords, type Instant } from "@lazaret/domain"
import { Triages } from "@lazaret/store"
import { Effect } from "effect"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A test in a run of the default branch that finished at an instant. */
export interface Wanted {
  readonly testNo: number
  readonly jobNo: number
  readonly after: Instant.Instant
  readonly notCommit: number
}

/** The outcomes after each run, by its test. Reads nothing without failures on the default branch. */
export const select = Effect.fnUntraced(function* (place: TriageRuns.Place, wanted: ReadonlyArray<Wanted>) {
  const groups = [...new Map(wanted.map((one) => [groupOf(one), one])).values()]
  const runs = yield* TriageRuns.nextPushes(place, groups, FailureRecords.bounds.next)
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    runs,
    wanted.map(({ testNo }) => testNo)
  )
  const first = new Map(groups.map((one) => [groupOf(one), Triages.firstOf(runs.filter((run) => isAfter(run, one)))]))
  return (one: Wanted): ReadonlyArray<FailureRecords.OutcomeRecord> =>
    (first.get(groupOf(one)) ?? []).flatMap((run) => outcomeIn(run, one.testNo) ?? [])
})

const groupOf = ({ after, jobNo, notCommit }: Wanted): string => `${jobNo} ${after} ${notCommit}`

const isAfter = ({ commitNo, jobNo, run }: TriageRuns.NumberedRun, wanted: Wanted): boolean =>
  jobNo === wanted.jobNo && commitNo !== wanted.notCommit && run.at > wanted.after
