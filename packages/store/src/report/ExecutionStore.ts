/** The port of executions: the facts that everything else is computed from. */
import type {
  Contradiction,
  Execution,
  Health,
  HealthSeries,
  Instant,
  Report,
  Repository,
  Rollup,
  TestId,
  TestIdentity,
  TimeWindow
} from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The outcome of an append.
 *
 * **Details**
 *
 * - `Recorded`: the report is stored, and the pull request that brought its commit. `withoutDefaultBranch` is true while
 *   no default branch is known: none is set, and neither `main` nor `master` has an execution.
 * - `Duplicate`: it was stored before, under this key or as the same content of the same job run; nothing changed.
 *   `reportId` is that of the first time.
 * - `Conflict`: its key was used for other content; nothing changed.
 * - `Exceeded`: it is of a fork, and would add more identities than forks may add on one day (`ForkTests`); nothing changed.
 * - `Trimmed`: `expired` of its executions finished before the horizon of the repository (`RetentionStore`) and were left
 *   out; the others are recorded, as if it had only those.
 * - `Expired`: all of its executions, one at least, finished before the horizon; nothing changed, and its key stays free.
 */
export type AppendOutcome =
  | { readonly _tag: "Recorded"; readonly reportId: string; readonly withoutDefaultBranch?: true }
  | { readonly _tag: "Duplicate"; readonly reportId: string }
  | { readonly _tag: "Conflict" }
  | { readonly _tag: "Exceeded" }
  | { readonly _tag: "Trimmed"; readonly reportId: string; readonly expired: number; readonly horizon: Instant.Instant }
  | { readonly _tag: "Expired"; readonly expired: number; readonly horizon: Instant.Instant }

/** An execution of the default branch as the store gives it back: what the folds need, and what failed. */
export interface RecordedExecution extends Execution.Observation {
  readonly outage: boolean
  readonly many: boolean
  readonly durationMs: number
  readonly exceptionType: string | null
  readonly runId: string
  readonly jobUrl: string | null
}

/**
 * Everything that is kept of one identity on the default branch: the state before the first kept execution, the
 * executions in order, and the contradictions on other branches in order, where the setting counts them.
 */
export interface IdentityHistory {
  readonly identity: TestIdentity.TestIdentity
  readonly base: Health.State
  readonly executions: ReadonlyArray<RecordedExecution>
  readonly contradictions: ReadonlyArray<Contradiction.Found>
}

/** A test over time: its executions per bucket, and the changes of the verdict on each of its identities. */
export interface TestSeries {
  readonly rollups: ReadonlyArray<Rollup.Rollup>
  readonly changes: ReadonlyArray<ReadonlyArray<HealthSeries.Change>>
}

/** The executions of one identity in a window, in order. */
export interface IdentityExecutions {
  readonly identity: TestIdentity.TestIdentity
  readonly executions: ReadonlyArray<RecordedExecution>
}

/** How often one identity ran in a window. */
export interface IdentityCount {
  readonly identity: TestIdentity.TestIdentity
  readonly executions: number
}

/**
 * The port of executions.
 *
 * **Laws**
 *
 * - *One transaction.* `append` stores the whole report with every consequence, or nothing.
 * - *Idempotent.* The same report twice, also at the same time, is stored once.
 * - *Order-free.* As long as nothing is dropped (`RetentionStore`), the same set of executions gives the same answers whatever the order of arrival and however it was
 *   cut into reports of the same job run.
 * - *Default branch only.* The reading methods know executions of the default branch (`Repository.isDefaultBranch`);
 *   others are stored and appear when the default branch changes. Of other branches only contradictions count, in health
 *   (`Contradiction`): of runs that are no outage, of no fork, and from the first execution on the default branch on.
 * - A test without history on the default branch is treated as not existing; a known test without executions is empty.
 */
export class ExecutionStore extends Context.Service<
  ExecutionStore,
  {
    /**
     * Stores a report of `Report.make`, so that an execution id is the report's id, a dot and an ordinal; creates the
     * repository. A duplicate is an outcome, not an error. A used key with other content, or of another job run, is a
     * conflict; a key that brought a duplicate or a conflict stays free.
     */
    readonly append: (ref: Repository.RepositoryRef, report: Report.Report) => Effect.Effect<AppendOutcome, StoreError>
    /**
     * The executions of a test in a window (start inclusive, end exclusive), over all its identities, added up per
     * bucket. The buckets are those of `TimeWindow.widen(window, width)`, empty ones included; the first and the last
     * hold only the executions in the window. `flaky` counts failures that a pass contradicts, also one outside the
     * window; `reruns` counts those inside jobs only.
     */
    readonly rollups: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      window: TimeWindow.TimeWindow,
      width: number
    ) => Effect.Effect<Option.Option<ReadonlyArray<Rollup.Rollup>>, StoreError>
    /**
     * The changes of the verdict of each identity of a test, in order, as the domain's fold yields them; the last one
     * before the kept executions comes first.
     */
    readonly changes: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<Option.Option<ReadonlyArray<ReadonlyArray<HealthSeries.Change>>>, StoreError>
    /** `rollups` and `changes`, both at one moment. */
    readonly series: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      window: TimeWindow.TimeWindow,
      width: number
    ) => Effect.Effect<Option.Option<TestSeries>, StoreError>
    /** How often each identity of a test ran in the window (start inclusive, end exclusive); none with 0, any order. */
    readonly counts: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      window: TimeWindow.TimeWindow
    ) => Effect.Effect<Option.Option<ReadonlyArray<IdentityCount>>, StoreError>
    /**
     * The executions of several tests in a window (start inclusive, end exclusive), each list in order. A test or an
     * identity without executions in the window is absent.
     */
    readonly within: (
      ref: Repository.RepositoryRef,
      testIds: ReadonlyArray<TestId.TestId>,
      window: TimeWindow.TimeWindow
    ) => Effect.Effect<ReadonlyMap<TestId.TestId, ReadonlyArray<IdentityExecutions>>, StoreError>
    /**
     * The instant of the first execution that finished at `since` or later; none without one. A driver may name an earlier instant from
     * `since` on, where a report holds executions before and after `since`.
     */
    readonly firstAt: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant
    ) => Effect.Effect<Option.Option<Instant.Instant>, StoreError>
    /** Everything kept of each identity of a test. */
    readonly history: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<Option.Option<ReadonlyArray<IdentityHistory>>, StoreError>
  }
>()("@lazaret/store/ExecutionStore") {}
