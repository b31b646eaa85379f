/** The facts on failures: every selection that they follow from, each made once for all of the failures. */
import { type FailureFacts, type FailurePolicy, FailureRecords, JobRun, Report, TestId } from "@lazaret/domain"
import { type AskedRun, Triages } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as Elsewhere from "./Elsewhere.ts"
import * as FailedExecutions from "./FailedExecutions.ts"
import * as Followers from "./Followers.ts"
import * as IdentityTotals from "./IdentityTotals.ts"
import * as JobRunFacts from "./JobRunFacts.ts"
import * as Outcomes from "./Outcomes.ts"
import * as Predecessors from "./Predecessors.ts"
import * as Seen from "./Seen.ts"
import * as TriageExecutions from "./TriageExecutions.ts"
import * as TriageRuns from "./TriageRuns.ts"
import * as Unloaded from "./Unloaded.ts"

/** The place of failures that are judged; `runs` are all runs on their commits. */
export interface Subject {
  readonly place: TriageRuns.Place
  readonly windows: FailurePolicy.Windows
  readonly runs: ReadonlyArray<TriageRuns.NumberedRun>
  readonly asked?: AskedRun
}

/** The facts on each failure, in order. */
export const of = Effect.fnUntraced(function* (subject: Subject, questions: ReadonlyArray<Triages.Question>) {
  if (questions.length === 0) return []
  const { asked, place, runs, windows } = subject
  const ids = new Map(questions.map(({ failure: { testName } }) => [testName, TestId.of(testName)]))
  const tests = yield* testsOf(place, [...ids.values()])
  const names = {
    jobs: yield* jobNames(place, tests),
    commits: new Map(runs.map((each) => [each.run.commit, each.commitNo]))
  }
  const byId = Map.groupBy(tests, ({ testId }) => testId)
  const asks = questions.map((question) => {
    const testId = ids.get(question.failure.testName) ?? ""
    return askOf(question, byId.get(testId) ?? [], names)
  })
  const onCommit = yield* onCommits(subject, asks)
  const before = yield* Predecessors.select(place, widest(asks.flatMap((ask) => ask.before)))
  const histories = new Map(
    asks.flatMap((ask) => historiesOf(ask, windows).map((one) => [FailedExecutions.key(one), one]))
  )
  const unstable = yield* FailedExecutions.unstable(place, [...histories.values()])
  const numbers = new Map(tests.map(({ jobNo, testId, testNo }) => [`${jobNo} ${testId}`, testNo]))
  const elsewhere = yield* runsElsewhere(subject, asks, (jobNo, testName) =>
    numbers.get(`${jobNo} ${ids.get(testName) ?? TestId.of(testName)}`)
  )
  const runOf = yield* JobRunFacts.of(subject, questions)
  const totalsBefore = yield* IdentityTotals.before(
    place,
    asks.flatMap(({ own, question }) => (own === null ? [] : [{ testNo: own.testNo, asOf: question.asOf }]))
  )
  const nextOf = yield* Followers.select(
    place,
    asks.flatMap((ask) => followed(place, ask))
  )
  const seenBefore = yield* Seen.before(place, asks.map(failureIn), windows)
  const beforeOf = new Map(
    asks.map((ask) => [
      ask,
      ask.before.flatMap((wanted) => latest(before.get(Predecessors.key(wanted)) ?? [], wanted.count))
    ])
  )
  const missingIn = yield* Unloaded.of(
    place,
    runOf,
    asks.flatMap((ask) => (hasPassed(ask, beforeOf.get(ask) ?? []) ? [] : [ask.question]))
  )
  return asks.map((ask): FailureFacts.FailureFacts => {
    const { asOf, failure, job } = ask.question
    const { reruns, siblings } = onCommit(ask)
    const known = historiesOf(ask, windows).flatMap((wanted) => unstable.get(FailedExecutions.key(wanted)) ?? [])
    return FailureRecords.factsOf({
      failure,
      defaultBranch: place.defaultBranch,
      job,
      reruns: asked === undefined ? reruns : Triages.withoutAsked(asked, reruns),
      siblings,
      before: beforeOf.get(ask) ?? [],
      unstable: known.flatMap((one) => one.unstable),
      passes: known.flatMap((one) => one.passes),
      elsewhere: elsewhere(ask),
      run: runOf(ask.question).facts,
      missing: missingIn(ask.question),
      next: followed(place, ask).flatMap(nextOf),
      totals: ask.own === null ? { passed: 0, failed: 0 } : totalsBefore({ testNo: ask.own.testNo, asOf }),
      seen: seenBefore(failureIn(ask))
    })
  })
})

/** The request for the runs that follow; none for a failure on another branch. */
const followed = (place: TriageRuns.Place, { commitNo, own, question }: Ask): ReadonlyArray<Followers.Wanted> =>
  own === null || !Triages.isFollowed(question, place)
    ? []
    : [{ testNo: own.testNo, jobNo: own.jobNo, after: question.failure.at, notCommit: commitNo }]

/** Whether the identity of a question passed on the base. */
const hasPassed = ({ question: { failure } }: Ask, before: ReadonlyArray<FailureRecords.OutcomeRecord>): boolean =>
  before.some(({ conclusion, run }) => conclusion === "passed" && JobRun.jobKey(run) === JobRun.jobKey(failure))

const failureIn = ({ commitNo, question: { failure } }: Ask): Seen.Wanted => ({ failure, commitNo })

/** A test in one job. */
export interface NumberedTest {
  readonly testNo: number
  readonly jobNo: number
  readonly testId: TestId.TestId
}

/** The numbers of tests in every job. */
export const testsOf = ({ repositoryId, sql }: TriageRuns.Place, testIds: ReadonlyArray<TestId.TestId>) =>
  Effect.map(
    sql<{ readonly test_no: number; readonly job_no: number; readonly test_id: string }>`
      SELECT t.test_no, t.job_no, t.test_id
      FROM unnest(${Parameter.uuids(testIds)}) AS n (test_id)
      CROSS JOIN LATERAL (
        SELECT test_no, job_no, test_id
        FROM tests
        WHERE repository_id = ${repositoryId} AND test_id = n.test_id
        OFFSET 0
      ) t`,
    (rows) => rows.map((row): NumberedTest => ({ testNo: row.test_no, jobNo: row.job_no, testId: row.test_id }))
  )

/** A question with the numbers of its test in every job; `own` is null while no report has had the identity. */
interface Ask {
  readonly question: Triages.Question
  readonly tests: ReadonlyArray<NumberedTest>
  readonly own: NumberedTest | null
  readonly commitNo: number
  readonly before: ReadonlyArray<Predecessors.Wanted>
}

const askOf = (
  question: Triages.Question,
  tests: ReadonlyArray<NumberedTest>,
  { commits, jobs }: { readonly commits: ReadonlyMap<string, number>; readonly jobs: ReadonlyMap<number, string> }
): Ask => {
  const { asOf, branches, failure } = question
  const own = tests.find(({ jobNo }) => jobs.get(jobNo) === JobRun.jobKey(failure)) ?? null
  const commitNo = commits.get(failure.commit) ?? -1
  const before = branches.flatMap((branch) =>
    tests.map(({ jobNo, testNo }) => {
      const count = testNo === own?.testNo ? FailureRecords.bounds.row : 1
      return { testNo, jobNo, branch, before: asOf, notCommit: commitNo, count }
    })
  )
  return { question, tests, own, commitNo, before }
}

/** Names (`JobRun.jobKey`) by job number. */
export const jobNames = ({ repositoryId, sql }: TriageRuns.Place, tests: ReadonlyArray<NumberedTest>) =>
  Effect.map(
    sql<{ readonly job_no: number; readonly pipeline_name: string; readonly job_name: string }>`
      SELECT job_no, pipeline_name, job_name
      FROM jobs
      WHERE repository_id = ${repositoryId} AND job_no = ANY(${Parameter.int4s([
        ...new Set(tests.map(({ jobNo }) => jobNo))
      ])})`,
    (rows) =>
      new Map(
        rows.map((row) => [row.job_no, JobRun.jobKey({ pipelineName: row.pipeline_name, jobName: row.job_name })])
      )
  )

/** The requests of several questions, each once: with the highest count. */
const widest = (wanted: ReadonlyArray<Predecessors.Wanted>): ReadonlyArray<Predecessors.Wanted> => {
  const found = new Map<string, Predecessors.Wanted>()
  for (const one of wanted) {
    const name = Predecessors.key(one)
    if ((found.get(name)?.count ?? 0) < one.count) found.set(name, one)
  }
  return [...found.values()]
}

const latest = (
  outcomes: ReadonlyArray<FailureRecords.OutcomeRecord>,
  count: number
): ReadonlyArray<FailureRecords.OutcomeRecord> =>
  outcomes.toSorted((a, b) => FailureRecords.compareRuns(a.run, b.run)).slice(-count)

const historiesOf = (
  { question: { asOf, failure }, tests }: Ask,
  windows: FailurePolicy.Windows
): ReadonlyArray<FailedExecutions.History> =>
  tests.map(({ testNo }) => ({
    testNo,
    ...FailureRecords.memory(asOf, windows),
    fork: Report.isFork(failure) ? failure.branch : ""
  }))

/**
 * The reruns and the siblings of failures. Executions are read where they matter alone: failed ones from their index, and
 * the chunks of the runs in which the identity passed.
 */
const onCommits = Effect.fnUntraced(function* ({ place, runs }: Subject, asks: ReadonlyArray<Ask>) {
  const outcomeIn = yield* Outcomes.ofRuns(
    place,
    runs,
    asks.flatMap(({ tests }) => tests.map(({ testNo }) => testNo))
  )
  const byJob = Map.groupBy(runs, ({ commitNo, jobNo }) => `${jobNo} ${commitNo}`)
  const runsOf = ({ commitNo }: Ask, { jobNo }: NumberedTest) => byJob.get(`${jobNo} ${commitNo}`) ?? []
  const uploads = Map.groupBy(yield* TriageRuns.uploadsOf(place, runs), (upload) => upload.of.runNo)
  const own = new Map(asks.flatMap((ask) => (ask.own === null ? [] : [[ask.own.testNo, { ask, test: ask.own }]])))
  const failed = yield* FailedExecutions.inRuns(place, [...own.keys()], [...uploads.values()].flat())
  const passed = yield* TriageExecutions.inUploads(
    place,
    [...own.values()].map(({ ask, test }) => ({
      tests: [test.testNo],
      uploads: runsOf(ask, test)
        .filter((run) => outcomeIn(run, test.testNo)?.conclusion === "passed")
        .flatMap(({ runNo }) => uploads.get(runNo) ?? [])
    }))
  )
  return (ask: Ask) => {
    const { commit } = ask.question.failure
    const testNo = ask.own?.testNo ?? -1
    const found = [...(failed.get(testNo) ?? []).map(({ execution }) => execution), ...(passed.get(testNo) ?? [])]
    return {
      reruns: [...new Map(found.map((one) => [one.id, one])).values()].filter(({ run }) => run.commit === commit),
      siblings: ask.tests
        .filter((test) => test !== ask.own)
        .flatMap((test) => runsOf(ask, test).flatMap((run) => outcomeIn(run, test.testNo) ?? []))
    }
  }
})

/** The runs of the same jobs elsewhere. Questions about one job run share the set of its failed tests. */
const runsElsewhere = Effect.fnUntraced(function* (
  { place, windows }: Subject,
  asks: ReadonlyArray<Ask>,
  numberOf: (jobNo: number, testName: string) => number | undefined
) {
  const failed = new Map<ReadonlySet<string>, Elsewhere.FailedRun>()
  for (const { own, question } of asks) {
    const { together, failure } = question
    if (own === null || failed.has(together)) continue
    const tests = [...together].flatMap((name) => numberOf(own.jobNo, name) ?? [])
    failed.set(together, { jobNo: own.jobNo, branch: failure.branch, at: failure.at, tests })
  }
  const find = yield* Elsewhere.runs(place, [...failed.values()], windows.elsewhereHours)
  return ({ own, question }: Ask): ReadonlyArray<FailureFacts.JobRunElsewhere> => {
    const run = failed.get(question.together)
    return own === null || run === undefined ? [] : find(run, own.testNo)
  }
})

/** The jobs of the last runs of the same pipelines on the base branches. */
export const expected = Effect.fnUntraced(function* (
  place: TriageRuns.Place,
  runs: ReadonlyArray<TriageRuns.NumberedRun>
) {
  if (runs.length === 0) return []
  const counted = new Set(FailureRecords.ownOf(runs.map(({ run }) => run)))
  const asOf = Math.min(...[...counted].map(({ at }) => at))
  const pipelines = Map.groupBy(
    runs.filter(({ run }) => counted.has(run)),
    ({ run }) => run.pipelineName
  )
  const jobs = yield* TriageRuns.jobsOf(place, [...pipelines.keys()])
  const groups = jobs.flatMap((row) => {
    const ofPipeline = pipelines.get(row.pipeline_name) ?? []
    const [first] = ofPipeline
    if (first === undefined) return []
    const branch = Triages.baseOf(Triages.lastOf(ofPipeline.map(({ run }) => run)), place)
    return [{ jobNo: row.job_no, branch, before: asOf, notCommit: first.commitNo }]
  })
  const commits = new Set(runs.map(({ run }) => run.commit))
  const latestRuns = (yield* TriageRuns.latestPushes(place, groups, 1)).filter(({ run }) => !commits.has(run.commit))
  const byJob = Map.groupBy(latestRuns, ({ jobNo }) => jobNo)
  return Triages.jobsOfLast([...byJob.values()].map((list) => Triages.lastOf(list.map(({ run }) => run))))
})
