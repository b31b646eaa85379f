/** The rule of recording reports: what follows from new executions, and in which order. */
import { Event, type Instant, type Outage, type Report, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Transaction } from "../Driver.ts"
import type { AppendOutcome } from "../ExecutionStore.ts"
import { pullRow, pulls, pullsOf } from "../Rows.ts"
import * as Claim from "./Claim.ts"
import * as DefaultBranch from "./DefaultBranch.ts"
import * as JobRun from "./JobRun.ts"
import * as Transitions from "./Transitions.ts"

/** How a repository stands when reports are recorded. */
export interface Standing {
  readonly settings: Repository.RepositorySettings
  readonly earliest: DefaultBranch.Earliest
  readonly horizon: Instant.Instant | null
}

/** A job of which runs on the default branch have just begun or grown, and the instant from which they must be judged. */
export interface ChangedJob<Job> {
  readonly job: Job
  readonly from: Instant.Instant
}

/**
 * What an engine does to record reports, in batches and without any rule. `Job`, `Run` and `Verdict` are whatever the
 * engine knows jobs, runs and changed verdicts by.
 *
 * **Details**
 *
 * The primitives run in the order in which they are listed, in one transaction that serialises the recordings of a
 * repository.
 */
export interface Recording<Job, Run extends JobRun.JudgedRun, Verdict extends Transitions.Transition, E> {
  readonly standing: Standing
  /** The texts that reports are known by. */
  readonly candidates: (reports: ReadonlyArray<Report.Report>) => ReadonlyArray<Claim.Candidate>
  /** The stored reports that share a key or a content with a candidate. */
  readonly claimed: (candidates: ReadonlyArray<Claim.Candidate>) => Effect.Effect<ReadonlyArray<Claim.Claimed>, E>
  /**
   * Stores reports and what they say about the default branch, and yields the jobs whose runs on that branch they belong
   * to. This primitive and every later one works with the branch given.
   */
  readonly append: (
    fresh: ReadonlyArray<Claim.Candidate>,
    known: { readonly earliest: DefaultBranch.Earliest; readonly branch: string }
  ) => Effect.Effect<ReadonlyArray<ChangedJob<Job>>, E>
  /** The runs of a job on the default branch that finished at an instant or later. */
  readonly runsSince: (job: Job, from: Instant.Instant) => Effect.Effect<ReadonlyArray<Run>, E>
  /** The state of a job after its last run on the default branch before an instant. */
  readonly stateBefore: (job: Job, from: Instant.Instant) => Effect.Effect<Outage.State, E>
  /** Stores judgements, which hold for the executions of their runs, and the states after them. */
  readonly judged: (judgements: ReadonlyArray<JobRun.Judged<Run>>) => Effect.Effect<void, E>
  /**
   * Brings the health of identities up to date, and yields the verdicts that differ from those before the recording: of
   * every identity, or of those in the reports.
   */
  readonly fold: (among: "all" | "reported") => Effect.Effect<ReadonlyArray<Verdict>, E>
  /** What an event of its own says of a verdict. */
  readonly describe: (verdicts: ReadonlyArray<Verdict>) => Effect.Effect<ReadonlyArray<Event.Move>, E>
  readonly rows: Pick<Transaction, "put" | "log">
}

/**
 * Records reports in their order, and yields the outcome of each.
 *
 * **Details**
 *
 * - Events name the last report as their cause.
 * - When the reports change which branch is the default one, only the identities in them are compared: the verdicts on the
 *   others are about another history, and nothing has happened to them. No outage is reported then.
 */
export const record = Effect.fnUntraced(function* <
  Job,
  Run extends JobRun.JudgedRun,
  Verdict extends Transitions.Transition,
  E
>(
  recording: Recording<Job, Run, Verdict, E>,
  reports: ReadonlyArray<Report.Report>
): Effect.fn.Return<ReadonlyArray<AppendOutcome>, E | Effect.Error<ReturnType<Transaction["log"]>>> {
  const { earliest: known, horizon, settings } = recording.standing
  const candidates = recording.candidates(reports)
  const { fresh, outcomes } = Claim.claim(candidates, yield* recording.claimed(candidates), horizon)
  const last = fresh.at(-1)?.report
  if (last === undefined) return outcomes
  const stored = fresh.map(({ report }) => report)
  const earliest = DefaultBranch.earliestWith(known, stored)
  const branch = Repository.defaultBranch(settings, earliest)
  const jobs = yield* recording.append(fresh, { earliest, branch })
  const outages = yield* judge(recording, jobs, Repository.policies(settings).outage)
  const isSameBranch = branch === Repository.defaultBranch(settings, known)
  const verdicts = yield* recording.fold(isSameBranch ? "all" : "reported")
  const facts = stored.flatMap(({ run }) => pullsOf(run))
  if (facts.length > 0) yield* recording.rows.put(pulls, facts.map(pullRow))
  const cause = { id: last.id, at: last.receivedAt, branch }
  const moves = yield* Transitions.eventsOf(verdicts, cause, recording.describe)
  const events = [...(isSameBranch ? Event.outages(outages, cause) : []), ...moves]
  if (events.length > 0) yield* recording.rows.log(events)
  return DefaultBranch.isKnown(settings, earliest) ? outcomes : outcomes.map(DefaultBranch.unknownIn)
})

const judge = Effect.fnUntraced(function* <Job, Run extends JobRun.JudgedRun, E>(
  recording: Pick<Recording<Job, Run, never, E>, "runsSince" | "stateBefore" | "judged">,
  jobs: ReadonlyArray<ChangedJob<Job>>,
  policy: Outage.OutagePolicy
): Effect.fn.Return<ReadonlyArray<Event.OutageRun>, E> {
  const judgements: Array<JobRun.Judged<Run>> = []
  for (const { from, job } of jobs) {
    const before = yield* recording.stateBefore(job, from)
    judgements.push(...JobRun.judge(before, yield* recording.runsSince(job, from), policy))
  }
  const outages = JobRun.newOutages(judgements)
  if (judgements.length > 0) yield* recording.judged(judgements)
  return outages
})
