/** Recording reports: the reports and everything computed from them are written in one transaction. */
import type { Report, JobRunEvents } from "@lazaret/domain"
import { JobRun, Recording } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as Pulls from "../repository/Pulls.ts"
import * as Recalculation from "./Recalculation.ts"
import * as EventLog from "../repository/EventLog.ts"
import type { TestNumbers } from "./TestNumbers.ts"
import type { ChangedChunk } from "../blocks/BlockPart.ts"
import * as Aliased from "./Aliased.ts"
import * as Blocks from "../blocks/Blocks.ts"
import * as Chunks from "./Chunks.ts"
import * as Claim from "./Claim.ts"
import * as Commits from "./Commits.ts"
import * as Contradictions from "./Contradictions.ts"
import * as FailedDays from "../blocks/FailedDays.ts"
import * as FailedExecutions from "./FailedExecutions.ts"
import * as Failures from "./Failures.ts"
import * as Head from "../repository/Head.ts"
import * as Jobs from "./Jobs.ts"
import * as Judgement from "./Judgement.ts"
import * as Transitions from "./Transitions.ts"
import * as Runs from "./Runs.ts"
import * as Session from "../repository/Session.ts"
import * as Tests from "./Tests.ts"
import * as Uploads from "./Uploads.ts"

/** The services and caches that recording reports uses. */
export interface Recorder {
  readonly sql: Session.Sql
  readonly numbers: TestNumbers
  readonly aliases: Aliased.Resolvers
  readonly options: Session.Options
}

/**
 * Records reports of one repository, in their order, and yields the outcome of each.
 *
 * **Details**
 *
 * Must run in a transaction. It locks the head of the repository first, which serialises all writers of that
 * repository.
 */
export const record = Effect.fnUntraced(function* (
  { aliases, numbers, options, sql }: Recorder,
  repositoryId: number,
  reports: ReadonlyArray<Report.Report>
) {
  const before = yield* Session.open(sql, repositoryId, options)
  const added = yield* Tests.addedByForks(before, reports)
  const candidates = reports.map((report, index) => Claim.candidateOf(report, added[index] ?? 0))
  const decision = Recording.decide(
    { ...before, forkTests: before.head.forkTests },
    candidates,
    yield* Claim.claimed(before, candidates)
  )
  const { compared, defaultBranch, earliest, fresh, outcomes } = decision
  if (fresh.length === 0) return outcomes
  before.head.forkTests = decision.forkTests
  if (earliest !== before.earliest) yield* updateEarliest(before, earliest)
  const session = { ...before, earliest, defaultBranch }
  const resolve = yield* aliases.of(session)
  const uploads = yield* recordUploads(session, Aliased.applied(fresh, resolve))
  const numbered = yield* numberedBy(session, numbers, uploads)
  const parts = numbered.flatMap(Chunks.parts)
  for (const { places, report, run } of numbered) Runs.add(run, report, places.tests)
  const { counted, judged, outages } = yield* judge(session, uploads)
  yield* Runs.save(session, [...new Set(uploads.map(({ run }) => run))])
  yield* Chunks.insert(session, parts)
  yield* FailedExecutions.insert(session, numbered)
  const transitions =
    compared === "all"
      ? yield* digest(session, parts, counted, yield* Contradictions.derive(session, groupsOf(uploads), judged))
      : yield* Transitions.around(session, testsOf(numbered), Recalculation.reclassify(session, blocksOf(parts)))
  if (compared === "all") yield* FailedDays.add(session, failedIn(numbered))
  yield* Failures.add(
    session,
    numbered.map((upload) => ({ ...upload, report: upload.named }))
  )
  yield* Pulls.upsert(sql, repositoryId, decision)
  const events = yield* Recording.eventsOf(decision, { transitions, outages }, (described) =>
    Transitions.describe(session, described)
  )
  yield* EventLog.append(sql, repositoryId, events)
  yield* Head.save(sql, repositoryId, session.head)
  return outcomes
})

const blocksOf = (parts: ReadonlyArray<Chunks.UploadPart>): ReadonlyArray<number> => parts.map(({ blockNo }) => blockNo)

const testsOf = (uploads: ReadonlyArray<Uploads.NumberedUpload>): ReadonlySet<number> =>
  new Set(uploads.flatMap(({ places }) => [...places.tests]))

const updateEarliest = ({ repositoryId, sql }: Session.Session, { main, master }: Session.Session["earliest"]) => sql`
  UPDATE repositories
  SET earliest_main = ${Parameter.instant(main)}, earliest_master = ${Parameter.instant(master)}
  WHERE repository_id = ${repositoryId}`

const recordUploads = Effect.fnUntraced(function* (session: Session.Session, fresh: ReadonlyArray<Uploads.Aliased>) {
  const reports = fresh.map(({ report }) => report)
  const commits = yield* Commits.ensure(
    session,
    reports.map(({ run }) => run.commit)
  )
  const jobs = yield* Jobs.ensure(
    session,
    reports.map(({ run }) => run)
  )
  const runs = yield* Runs.select(session, reports, {
    job: (run) => given(jobs.get(Jobs.key(run))).jobNo,
    commit: (run) => given(commits.get(run.commit))
  })
  const uploads = fresh.map((each) => ({
    ...each,
    uploadNo: session.head.upload++,
    job: given(jobs.get(Jobs.key(each.report.run))),
    run: given(runs.get(JobRun.key(each.report.run)))
  }))
  yield* Uploads.insert(session, uploads)
  return uploads
})

/** Every job, commit and run of the reports exists: the steps before have found or inserted it. */
const given = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a job, commit or run has no number")
  return value
}

type JobUpload = Uploads.Upload & { readonly job: Jobs.Job }

const numberedBy = Effect.fnUntraced(function* (
  session: Session.Session,
  numbers: TestNumbers,
  uploads: ReadonlyArray<JobUpload>
) {
  const numbered: Array<Uploads.NumberedUpload> = []
  for (const job of new Set(uploads.map((upload) => upload.job))) {
    const ofJob = uploads.filter((upload) => upload.job === job)
    const stored = ofJob.filter((upload) => upload.stored.size > 0)
    const lists = [
      ...ofJob.map(({ report }) => report.executions),
      ...stored.map((upload) => [...upload.stored.values()])
    ]
    const places = yield* Tests.ensure(session, numbers, job, lists)
    const found = ofJob.map((upload, index) => ({
      ...upload,
      places: given(places[index]),
      failed: Uploads.failedIn(upload.report)
    }))
    const aliased = found.filter((upload) => upload.stored.size > 0)
    yield* Aliased.insert(
      session,
      aliased.flatMap((upload, index) => Aliased.of(upload, given(places[ofJob.length + index]).tests))
    )
    numbered.push(...found)
  }
  return numbered
})

/**
 * Judges the jobs that ran on the default branch, and yields the runs that are outages now, and the stored runs whose
 * executions count otherwise now: those of earlier writes alone, and those to which an upload was added.
 */
const judge = Effect.fnUntraced(function* (session: Session.Session, uploads: ReadonlyArray<JobUpload>) {
  const runs = new Map(uploads.flatMap(({ run }) => (run.onDefaultBranch ? [[run.runNo, run] as const] : [])))
  const counted: Array<number> = []
  const stored: Array<Judgement.Change> = []
  const outages: Array<JobRunEvents.OutageRun> = []
  const judged: Array<Contradictions.Judged> = []
  for (const [jobNo, changed] of Map.groupBy(runs.values(), (run) => run.jobNo)) {
    const from = Math.min(...changed.map((run) => Math.min(run.before ?? run.totals.at, run.totals.at)))
    const { changes, end } = yield* Judgement.judge(session, jobNo, from, changed.map(Runs.judgedOf))
    judged.push({ jobNo, from, end })
    for (const change of changes) {
      const run = runs.get(change.runNo)
      if (run === undefined) stored.push(change)
      else run.standing = change.standing
      if (change.isCounted && run?.before !== null) counted.push(change.runNo)
      outages.push(...JobRun.newOutages(Judgement.judgementsOf(change)))
    }
  }
  yield* Judgement.save(session, stored)
  return { counted, judged, outages }
})

/** The runs of other branches among uploads. */
const groupsOf = (uploads: ReadonlyArray<JobUpload>): ReadonlyArray<Contradictions.Group> =>
  uploads
    .filter(({ run }) => !run.onDefaultBranch)
    .map(({ run: { commitNo, context, jobNo } }) => {
      const { baseBranch, branch, runId } = context
      return { jobNo, commitNo, runId, branch, baseBranch }
    })

/** Folds new executions, those whose flags changed with the verdict on their run, and changed contradictions. */
const digest = Effect.fnUntraced(function* (
  session: Session.Session,
  parts: ReadonlyArray<Chunks.UploadPart>,
  moved: ReadonlyArray<number>,
  contradicted: ReadonlyArray<ChangedChunk>
) {
  const touched = [...(yield* Chunks.reflag(session, moved)), ...contradicted]
  const onDefaultBranch = parts.filter(({ upload }) => upload.run.onDefaultBranch)
  return yield* Blocks.fold(session, onDefaultBranch, touched)
})

/** The failures on the default branch. */
function* failedIn(uploads: ReadonlyArray<Uploads.NumberedUpload>): Generator<FailedDays.Failed> {
  for (const { failed, places, report, run } of uploads) {
    for (const index of run.onDefaultBranch ? failed : []) {
      const execution = report.executions[index]
      const testNo = places.tests[index] ?? 0
      const place = { blockNo: Math.floor(testNo / slots), slot: testNo % slots }
      if (execution?.conclusion === "failed") yield { ...place, at: execution.at }
    }
  }
}
