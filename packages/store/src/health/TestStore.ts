/** The port of tests: search, details, and what a repository adds up to. */
import type {
  BranchRun,
  HealthStatus,
  Instant,
  Page,
  Quarantine,
  Report,
  Repository,
  RunDay,
  TestDetails,
  TestFile,
  TestFilter,
  TestId,
  TestList,
  TestSort
} from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/** The request of a search. `now` decides which 30 days count. */
export interface TestQuery {
  readonly filter: TestFilter.TestFilter
  readonly sort: TestSort.SearchSort
  readonly direction: TestSort.Direction
  readonly from: Page.From<TestSort.Position>
  readonly limit: number
  readonly now: Instant.Instant
}

/**
 * One identity that ran in the last 30 days: its name and status, and how many passed and failed executions took how
 * long together (whole microseconds).
 */
export interface ActiveIdentity {
  readonly testName: string
  readonly healthStatus: HealthStatus.HealthStatus
  readonly concluded: number
  readonly durationUs: number
}

/**
 * The identities that a repository statistic counts, their passed and failed executions together, and the failed ones per UTC
 * day, oldest first, today last. There are as many days as the policy looks back on (`activeDays`, 30).
 *
 * `byStatus` counts the identities that match by their status, those of another status than the wanted one as well: one question
 * counts them all.
 */
export interface RepositoryCount {
  readonly tests: number
  readonly byStatus: { readonly [S in HealthStatus.HealthStatus]: number }
  readonly concluded: number
  readonly failedPerDay: ReadonlyArray<number>
}

/** When the last upload arrived, and where people read the logs of the jobs of the last {@link jobsAtMost} uploads, the last first. */
export interface LastUpload {
  readonly receivedAt: Instant.Instant
  readonly jobUrls: ReadonlyArray<string>
}

/** The distinct addresses of jobs, in their order. */
export const jobUrlsOf = (urls: ReadonlyArray<string | null>): ReadonlyArray<string> => [
  ...new Set(urls.filter((url) => url !== null))
]

/** The uploads whose jobs {@link LastUpload} names: reports from elsewhere come between those of a hosting platform. */
export const jobsAtMost = 100

/**
 * A job run of the default branch that is an outage, by all of its uploads.
 *
 * `failed` of `passedBefore` tests failed that had passed on its reference; `excused`: its failures do not count in health.
 */
export interface OutageRun extends Pick<
  Report.RunContext,
  "pipelineName" | "jobName" | "runId" | "runAttempt" | "commit"
> {
  readonly at: Instant.Instant
  readonly failed: number
  readonly passedBefore: number
  readonly excused: boolean
}

/** The number of outages that a store yields at most: the latest. */
export const mostOutages = 1000

/** The port that reads tests. All methods but `elsewhere` and `onlyElsewhere` know executions of the default branch only. */
export class TestStore extends Context.Service<
  TestStore,
  {
    /**
     * One page of the identities that match, in the total order of `TestSort.order`, with the number of all that match.
     * Identities without executions in the last 30 days are left out.
     */
    readonly page: (
      ref: Repository.RepositoryRef,
      query: TestQuery
    ) => Effect.Effect<Page.Page<TestSort.Row>, StoreError>
    /**
     * `TestList.find` over the identities with executions in the last 30 days. `now` decides which 30 days count.
     */
    readonly list: (
      ref: Repository.RepositoryRef,
      query: TestList.Query,
      now: Instant.Instant
    ) => Effect.Effect<TestList.Found<TestList.Entry>, StoreError>
    /**
     * `TestFile.count` over the identities with executions in the last 30 days: how many tests of which health each file has.
     *
     * **Details**
     *
     * The file of an identity, here and in `list`, is the one that its reports name. When they name several, it is the one that
     * the latest executions of the default branch name. A driver may look at the latest runs alone: for an identity that did
     * not run in them, any of its files may be found.
     */
    readonly files: (
      ref: Repository.RepositoryRef,
      quarantined: ReadonlySet<string>,
      now: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<TestFile.FileCounts>, StoreError>
    /** The identities of a test, in the order of identities; none when the test is unknown. */
    readonly get: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      now: Instant.Instant
    ) => Effect.Effect<
      Option.Option<readonly [TestDetails.IdentityRecord, ...ReadonlyArray<TestDetails.IdentityRecord>]>,
      StoreError
    >
    /** The health of the identities of these tests; an unknown test is absent. */
    readonly health: (
      ref: Repository.RepositoryRef,
      testIds: ReadonlyArray<TestId.TestId>,
      now: Instant.Instant
    ) => Effect.Effect<ReadonlyMap<TestId.TestId, ReadonlyArray<Quarantine.IdentityHealth>>, StoreError>
    /** Every identity with executions in the last 30 days, in any order. */
    readonly active: (
      ref: Repository.RepositoryRef,
      now: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<ActiveIdentity>, StoreError>
    /** Counts the identities that match and whose status is `status` (null: any), over the last 30 days. */
    readonly count: (
      ref: Repository.RepositoryRef,
      query: {
        readonly filter: TestFilter.TestFilter
        readonly status: HealthStatus.HealthStatus | null
        readonly now: Instant.Instant
      }
    ) => Effect.Effect<RepositoryCount, StoreError>
    /**
     * The job runs of the default branch per UTC day, oldest first, today last; as many days as `count` has. A run belongs to the
     * day on which it finished.
     */
    readonly runs: (
      ref: Repository.RepositoryRef,
      now: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<RunDay.RunDay>, StoreError>
    /**
     * How a test ended in the job runs of other branches that finished at an instant or later: of the latest
     * `BranchRun.bounds.runsPerJob` of each of its jobs; in any order.
     */
    readonly elsewhere: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      since: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<BranchRun.BranchRun>, StoreError>
    /** The same for every identity without an execution on the default branch, in the order of identities. */
    readonly onlyElsewhere: (
      ref: Repository.RepositoryRef,
      since: Instant.Instant,
      now: Instant.Instant
    ) => Effect.Effect<ReadonlyArray<BranchRun.BranchTotals>, StoreError>
    /** The kept job runs that are outages, in `Outages.order`, at most {@link mostOutages}. */
    readonly outages: (ref: Repository.RepositoryRef) => Effect.Effect<ReadonlyArray<OutageRun>, StoreError>
    /** The latest kept upload, of whatever branch. */
    readonly lastUpload: (ref: Repository.RepositoryRef) => Effect.Effect<Option.Option<LastUpload>, StoreError>
  }
>()("@lazaret/store/TestStore") {}
