/** The port of triage: what is known about failures, for the verdict on each. */
import type {
  CommitSummary,
  FailureFacts,
  FailurePolicy,
  FailurePrecision,
  FailureRecords,
  Instant,
  PullHead,
  Report,
  Repository
} from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The subject of triage.
 *
 * **Details**
 *
 * - `Commit`: those on a commit; `Run`: those of a run.
 * - `Latest`: those on the one of the commits of a pull request that ran last; a run of a pull request comes before every push.
 * - `heads`: those that the hosting platform names, of the commit or of the pull request. They decide which runs of forks
 *   count (`PullHead`).
 */
export type TriageSubject =
  | { readonly _tag: "Commit"; readonly commit: string; readonly heads: ReadonlyArray<PullHead.PullHead> }
  | { readonly _tag: "Run"; readonly runId: string }
  | {
      readonly _tag: "Latest"
      readonly commits: ReadonlyArray<string>
      readonly heads: ReadonlyArray<PullHead.PullHead>
    }

/** A job run, and what its tests did. */
export interface TriageRun extends FailureRecords.RunRecord {
  readonly passed: number
  readonly failed: number
}

/** A job, and how long after the first job of its run it finished, in milliseconds. */
export interface TriageJob extends Pick<Report.RunContext, "pipelineName" | "jobName"> {
  readonly after: number
}

/**
 * The failures of a commit or a run, with the facts on each.
 *
 * **Details**
 *
 * - `commit`: the one that the failures are on, the first of them for a run.
 * - `runs`: every job run of the subject that counts; `forks`: the other ones, which are of forks. Neither is empty without the
 *   other.
 * - `expected`: the jobs of the last run of the same pipelines on the base branch.
 * - `identities`: how many identities failed.
 * - `failures`: of each identity, of the first `FailureRecords.bounds.failures` in their order, the latest failed execution
 *   in `runs`, one of a fork where there is no other; without quarantines.
 */
export interface Triage {
  readonly identities: number
  readonly commit: string
  readonly runs: ReadonlyArray<TriageRun>
  readonly forks: ReadonlyArray<TriageRun>
  readonly expected: ReadonlyArray<TriageJob>
  readonly failures: ReadonlyArray<FailureFacts.FailureFacts>
}

/** A failure that no report has brought yet. */
export interface AskedFailure {
  readonly testName: string
  readonly attempts: number
  readonly exceptionType: string | null
  readonly message: string | null
  readonly file: string | null
}

/** A job run that no report has brought yet: its context, how many tests passed, and its failures. */
export interface AskedRun {
  readonly run: Pick<
    Report.RunContext,
    "pipelineName" | "jobName" | "runId" | "runAttempt" | "commit" | "branch" | "baseBranch" | "jobUrl"
  >
  readonly at: Instant.Instant
  readonly passed: number
  readonly failures: ReadonlyArray<AskedFailure>
}

/** The failures of a test up to an instant. */
export interface FailuresUntil {
  readonly testName: string
  readonly until: Instant.Instant
}

/**
 * The port that finds the facts on failures (`FailureRecords` says which).
 *
 * **Laws**
 *
 * - *Every branch.* Executions of all branches and pull requests are found, for as long as they are retained.
 * - *Order-free.* The same reports give the same facts whatever their order of arrival.
 * - *Bounded.* A list holds what `FailureRecords` says, and no more: its length does not grow with the history.
 */
export class TriageStore extends Context.Service<
  TriageStore,
  {
    /** The failures of a subject; none when no job run of it is known. One read, at one moment. */
    readonly failures: (
      ref: Repository.RepositoryRef,
      subject: TriageSubject,
      windows: FailurePolicy.Windows
    ) => Effect.Effect<Option.Option<Triage>, StoreError>
    /**
     * The facts on failures of a job run that no report has brought yet, in the order given. In an unknown repository every
     * test is a new one. Where a report of the same job run did arrive, its failures count once.
     */
    readonly asked: (
      ref: Repository.RepositoryRef,
      asked: AskedRun,
      windows: FailurePolicy.Windows
    ) => Effect.Effect<ReadonlyArray<FailureFacts.FailureFacts>, StoreError>
    /**
     * The signatures of each test's failures up to an instant (inclusive), in the order given, in every job and on every branch but
     * those of forks: those of the latest `FailureRecords.bounds.unstable` executions with a failed attempt of each identity, each
     * once, in code-point order. One read, at one moment.
     */
    readonly signatures: (
      ref: Repository.RepositoryRef,
      wanted: ReadonlyArray<FailuresUntil>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, StoreError>
    /**
     * The commits whose latest job run finished at an instant or later, on every branch: those of `CommitSummary.of` over all
     * job runs of the repository, the latest `CommitSummary.bounds.commits`.
     */
    readonly commits: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<CommitSummary.CommitSummary>, StoreError>
    /** The outcomes after verdicts, in their order: the later job runs of the same identity on the same code. */
    readonly reruns: (
      ref: Repository.RepositoryRef,
      verdicts: ReadonlyArray<FailurePrecision.FirstVerdict>
    ) => Effect.Effect<ReadonlyArray<FailurePrecision.Reruns>, StoreError>
  }
>()("@lazaret/store/TriageStore") {}
