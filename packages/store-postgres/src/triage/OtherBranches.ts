/** Job runs of other branches: how tests ended there. */
import { BranchRun, type Instant, type TestId } from "@lazaret/domain"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as StandIns from "../repository/StandIns.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** A test in one job, with its name. */
export interface NamedTest {
  readonly testNo: number
  readonly jobNo: number
  readonly testName: string
}

/** How tests ended in the latest runs of their jobs on other branches that finished at an instant or later. */
export const ofTests = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  tests: ReadonlyArray<NamedTest>,
  since: Instant.Instant
) {
  const byJob = Map.groupBy(tests, ({ jobNo }) => jobNo)
  const limit = BranchRun.bounds.runsPerJob
  const runs = yield* TriageRuns.latestElsewhere(place, [...byJob.keys()], { limit, since })
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    runs,
    tests.map(({ testNo }) => testNo)
  )
  return runs.flatMap((run) =>
    (byJob.get(run.jobNo) ?? []).flatMap(({ testName, testNo }): ReadonlyArray<BranchRun.BranchRun> => {
      const outcome = outcomeIn(run, testNo)
      return outcome === null ? [] : [{ ...outcome, testName }]
    })
  )
})

/** The identities of a test, in every job. */
export const ofId = ({ repositoryId, sql }: TriageRuns.Place, testId: TestId.TestId) =>
  Effect.map(
    sql<{ readonly test_no: number; readonly job_no: number; readonly test_name: string }>`
      SELECT t.test_no, t.job_no, t.test_name
      FROM (
        SELECT ${StandIns.id(sql, repositoryId, "n.asked_id")} AS test_id
        FROM unnest(${Parameter.uuids([testId])}) AS n (asked_id)
        OFFSET 0
      ) i
      JOIN tests t ON t.repository_id = ${repositoryId} AND t.test_id = i.test_id`,
    (rows) => rows.map((row): NamedTest => ({ testNo: row.test_no, jobNo: row.job_no, testName: row.test_name }))
  )
