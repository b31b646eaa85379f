/** The outcomes after verdicts: later job runs on the same code. */
import { type FailurePrecision, JobRun, TestId } from "@lazaret/domain"
import { Triages } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Facts from "./Facts.ts"
import * as Outcomes from "./Outcomes.ts"
import * as TriageRuns from "./TriageRuns.ts"

/** The reruns after each verdict, in order. */
export const after = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  verdicts: ReadonlyArray<FailurePrecision.FirstVerdict>
) {
  if (verdicts.length === 0) return []
  const ids = new Map(verdicts.map(({ testName }) => [testName, TestId.of(testName)]))
  const tests = yield* Facts.testsOf(place, [...new Set(ids.values())])
  const jobs = yield* Facts.jobNames(place, tests)
  const commits = yield* commitNumbers(place, [...new Set(verdicts.map(({ commit }) => commit))])
  const numbers = new Map(tests.map((test) => [`${test.testId} ${jobs.get(test.jobNo) ?? ""}`, test]))
  const places = verdicts.map((verdict) => {
    const test = numbers.get(`${ids.get(verdict.testName) ?? ""} ${JobRun.jobKey(verdict)}`)
    const commitNo = commits.get(verdict.commit)
    return test === undefined || commitNo === undefined ? null : { verdict, test, commitNo }
  })
  const pairs = new Map(
    places.flatMap((one) =>
      one === null
        ? []
        : [[`${one.test.jobNo} ${one.commitNo}`, { jobNo: one.test.jobNo, commitNo: one.commitNo }] as const]
    )
  )
  const runs = yield* TriageRuns.ofJobsOnCommits(place, [...pairs.values()])
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    runs,
    tests.map(({ testNo }) => testNo)
  )
  const byPlace = Map.groupBy(runs, ({ commitNo, jobNo }) => `${jobNo} ${commitNo}`)
  return places.map((one) => {
    if (one === null) return { passed: 0, failed: 0 }
    const { commitNo, test, verdict } = one
    const onCommit = byPlace.get(`${test.jobNo} ${commitNo}`) ?? []
    return Triages.rerunsAfter(
      verdict,
      onCommit.flatMap((run) => outcomeIn(run, test.testNo) ?? [])
    )
  })
})

const commitNumbers = ({ repositoryId, sql }: TriageRuns.Place, commits: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ readonly commit_no: number; readonly sha: string }>`
      SELECT commit_no, sha
      FROM commits
      WHERE repository_id = ${repositoryId} AND sha = ANY(${Parameter.texts(commits)})`,
    (rows) => new Map(rows.map((row) => [row.sha, row.commit_no]))
  )
