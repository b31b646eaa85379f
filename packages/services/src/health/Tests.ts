/** The use cases of reading tests (interface 4.1.1 to 4.1.7, 4.1.12). */
import {
  BranchRun,
  BucketSize,
  type Failure,
  FailureRecords,
  HealthSeries,
  HealthStatus,
  HealthTransition,
  Instant,
  type PullRef,
  Repository,
  Rollup,
  Statistic,
  TestDetails,
  TestFilter,
  TestId,
  TestSort,
  TimeWindow,
  ClockSkew
} from "@lazaret/domain"
import {
  ExecutionStore,
  type FailureDetail,
  FailureStore,
  type IdentityCount,
  RepositoryStore,
  type StoreError,
  TestStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import * as ExplainedIdentity from "./ExplainedIdentity.ts"
import * as Lifetime from "../answer/Lifetime.ts"
import * as Lookup from "../answer/Lookup.ts"
import * as Listing from "../answer/Listing.ts"
import { PullRequests } from "./PullRequests.ts"
import {
  FailureNotFound,
  type Fault,
  Invalid,
  type RepositoryNotFound,
  type TestNotFound
} from "../answer/ServiceError.ts"

/** One identity as search shows it (interface 2.3). */
export interface TestRow extends TestSort.Row {
  readonly testId: TestId.TestId
}

/** The request of a search (interface 4.1.1). */
export interface SearchRequest extends Listing.PageRequest {
  readonly filter: TestFilter.TestFilter
  readonly sort: TestSort.SearchSort
  readonly direction: TestSort.Direction
}

const everyTest: SearchRequest = {
  filter: TestFilter.all,
  sort: "test_name",
  direction: "asc",
  cursor: null,
  perPage: 100
}

/** The request of a list of executions (interface 4.1.7). */
export interface ExecutionsRequest extends Listing.PageRequest {
  readonly sort: TestSort.ExecutionsSort
  readonly direction: TestSort.Direction
  readonly bounds: TimeWindow.Bounds
}

/** Test details with the pull request of the first failure (interface 2.4). */
export interface Details extends TestDetails.TestDetails {
  readonly repository: string
  readonly testId: TestId.TestId
  readonly flakyDetectionEnabled: boolean
  readonly firstFailurePull: PullRef.PullRef | null
}

/** Health transitions with their pull requests (interface 2.6). */
export interface Transitions {
  readonly transitions: ReadonlyArray<HealthTransition.HealthTransition & { readonly pull: PullRef.PullRef | null }>
  readonly firstActivityAt: Instant.Instant | null
}

/**
 * Why a test has its status: its identities, the worst first.
 *
 * **Details**
 *
 * A test that has never run on the default branch has no health: `status` is null. `elsewhere` are its job runs on other
 * branches, in the order of `compareRuns`, and `sentence` says what they add up to.
 */
export interface ExplainedTest {
  readonly testId: TestId.TestId
  readonly testName: string
  readonly status: HealthStatus.HealthStatus | null
  readonly identities: ReadonlyArray<ExplainedIdentity.ExplainedIdentity>
  readonly elsewhere: ReadonlyArray<BranchRun.BranchRun>
  readonly sentence: string | null
}

/** A row of the executions list. */
export interface ExecutionsRow {
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
  readonly executionsCount: number
}

type Unknown = RepositoryNotFound | TestNotFound | StoreError
type Unreadable = Invalid | Unknown

/**
 * Reads tests.
 *
 * **Details**
 *
 * The clock is read once per call. An unknown repository or test is `RepositoryNotFound` or `TestNotFound`; an invalid
 * window or a foreign cursor is `Invalid` with every fault.
 */
export class Tests extends Context.Service<
  Tests,
  {
    /** The tests of a request; by default the first 100 of all, by name. */
    readonly search: (
      ref: Repository.RepositoryRef,
      request: Partial<SearchRequest>
    ) => Effect.Effect<Listing.Listing<TestRow>, Unreadable>
    readonly details: (ref: Repository.RepositoryRef, testId: TestId.TestId) => Effect.Effect<Details, Unknown>
    readonly statistic: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      statistic: Statistic.TestStatistic,
      bounds: TimeWindow.Bounds
    ) => Effect.Effect<Statistic.Series, Unreadable>
    readonly transitions: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      bounds: TimeWindow.Bounds
    ) => Effect.Effect<Transitions, Unreadable>
    /**
     * Why a test has its status: what moved it, by which rule, and what is missing for recovery. A test that has run on other
     * branches only is known here.
     */
    readonly explain: (ref: Repository.RepositoryRef, testId: TestId.TestId) => Effect.Effect<ExplainedTest, Unknown>
    readonly failures: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<ReadonlyArray<Failure.Failure>, Unknown>
    readonly failure: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      failureId: Failure.FailureId
    ) => Effect.Effect<FailureDetail, FailureNotFound | RepositoryNotFound | StoreError>
    readonly executions: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      request: ExecutionsRequest
    ) => Effect.Effect<Listing.Listing<ExecutionsRow>, Unreadable>
    readonly repositoryStatistic: (
      ref: Repository.RepositoryRef,
      statistic: Statistic.RepositoryStatistic,
      filter: TestFilter.TestFilter
    ) => Effect.Effect<Statistic.Series, Unknown>
  }
>()("@lazaret/services/Tests") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Tests,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const tests = yield* TestStore
      const executions = yield* ExecutionStore
      const failures = yield* FailureStore
      const pullRequests = yield* PullRequests

      const repository = Lookup.repository(repositories)

      const search = Effect.fn("Tests.search")(function* (
        ref: Repository.RepositoryRef,
        request: Partial<SearchRequest>
      ) {
        yield* repository(ref)
        const { cursor, direction, filter, perPage, sort } = { ...everyTest, ...request }
        const bound = Listing.binding("search", ref, [TestFilter.key(filter), sort, direction])
        const from = yield* Listing.from(bound, cursor, TestSort.positionSchema(sort))
        const now = yield* Clock.currentTimeMillis
        const page = yield* tests.page(ref, { filter, sort, direction, from, limit: perPage, now })
        yield* Lifetime.of(now, Instant.endOfDay(now))
        const listing = Listing.of(bound, page, (row) => TestSort.position(row, sort))
        return { ...listing, rows: listing.rows.map((row) => ({ ...row, testId: TestId.of(row.testName) })) }
      })

      const details = Effect.fn("Tests.details")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        const { repository: name, settings } = yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const records = yield* Effect.flatMap(tests.get(ref, testId, now), Lookup.orNoTest(ref, testId))
        yield* Lifetime.of(now, Instant.endOfDay(now))
        const known = TestDetails.of(records)
        const commits = known.firstFailure === null ? [] : [known.firstFailure.commit]
        const pulls = yield* pullRequests.ofCommits(ref, commits)
        return {
          ...known,
          repository: name,
          // Another test may stand for the one that was asked for.
          testId: TestId.of(records[0].identity.testName),
          flakyDetectionEnabled: settings.flakyDetection,
          firstFailurePull: known.firstFailure === null ? null : (pulls.get(known.firstFailure.commit) ?? null)
        }
      })

      const statistic = Effect.fn("Tests.statistic")(function* (
        ref: Repository.RepositoryRef,
        testId: TestId.TestId,
        name: Statistic.TestStatistic,
        bounds: TimeWindow.Bounds
      ) {
        yield* repository(ref)
        const { now, window } = yield* windowOf(bounds, TimeWindow.resolve)
        const { first, width } = bucketsOf(window)
        const found = yield* Effect.flatMap(
          executions.rollups(ref, testId, ClockSkew.reach(window, now), width),
          Lookup.orNoTest(ref, testId)
        )
        return Statistic.series(name, Rollup.settle(found, { window, width }, now), first, width)
      })

      const transitions = Effect.fn("Tests.transitions")(function* (
        ref: Repository.RepositoryRef,
        testId: TestId.TestId,
        bounds: TimeWindow.Bounds
      ) {
        yield* repository(ref)
        const { now, window } = yield* windowOf(bounds, TimeWindow.resolveBegun)
        const { first, width } = bucketsOf(window)
        const { changes, rollups } = yield* Effect.flatMap(
          executions.series(ref, testId, ClockSkew.reach(window, now), width),
          Lookup.orNoTest(ref, testId)
        )
        const buckets = Rollup.settle(rollups, { window, width }, now)
        const edges = HealthTransition.edges(HealthSeries.worst(changes).map(seenAt(now)), window, width)
        const commits = edges.flatMap((edge) => (edge.episode === null ? [] : [edge.episode.commit]))
        const pulls = yield* pullRequests.ofCommits(ref, commits)
        const active = buckets.findIndex((bucket) => bucket.executions > 0)
        return {
          transitions: edges.map((edge) => ({
            ...edge,
            pull: edge.episode === null ? null : (pulls.get(edge.episode.commit) ?? null)
          })),
          firstActivityAt: active === -1 ? null : first + active * width
        }
      })

      const explain = Effect.fn("Tests.explain")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        const { settings } = yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const since = now - BranchRun.bounds.days * Instant.day
        const elsewhere = (yield* tests.elsewhere(ref, testId, since)).toSorted((a, b) =>
          FailureRecords.compareRuns(a.run, b.run)
        )
        const known = yield* executions.history(ref, testId)
        const histories = yield* Lookup.orNoTest(
          ref,
          testId
        )(Option.orElse(known, () => (elsewhere.length === 0 ? Option.none() : Option.some([]))))
        const { health } = Repository.policies(settings)
        const outages = histories.some(({ executions: list }) => list.some(({ outage }) => outage))
          ? yield* tests.outages(ref)
          : []
        const identities = histories
          .map((history) => ExplainedIdentity.explained(history, outages, now, health))
          .sort(ExplainedIdentity.worstFirst)
        const testName = identities[0]?.testName ?? elsewhere[0]?.testName ?? ""
        return {
          testId: TestId.of(testName),
          testName,
          status: identities[0]?.status ?? null,
          identities,
          elsewhere,
          sentence: BranchRun.sentence(elsewhere, identities.length > 0)
        }
      })

      const failuresOf = Effect.fn("Tests.failures")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        yield* repository(ref)
        yield* Lifetime.of(yield* Clock.currentTimeMillis, Infinity)
        return yield* Effect.flatMap(failures.list(ref, testId), Lookup.orNoTest(ref, testId))
      })

      const failure = Effect.fn("Tests.failure")(function* (
        ref: Repository.RepositoryRef,
        testId: TestId.TestId,
        failureId: Failure.FailureId
      ) {
        yield* repository(ref)
        yield* Lifetime.of(yield* Clock.currentTimeMillis, Infinity)
        return yield* Effect.flatMap(
          failures.get(ref, testId, failureId),
          Lookup.orFail(() => new FailureNotFound({ owner: ref.owner, repository: ref.repository, testId, failureId }))
        )
      })

      const executionsOf = Effect.fn("Tests.executions")(function* (
        ref: Repository.RepositoryRef,
        testId: TestId.TestId,
        request: ExecutionsRequest
      ) {
        yield* repository(ref)
        const { bounds, cursor, direction, perPage, sort } = request
        const bound = Listing.binding("executions", ref, [testId, sort, direction, ...boundsKey(bounds)])
        const position = Listing.from(bound, cursor, TestSort.positionSchema(sort))
        const [from, { now, window }] = yield* both(position, windowOf(bounds, TimeWindow.resolve))
        const found = yield* Effect.flatMap(
          executions.counts(ref, testId, ClockSkew.reach(window, now)),
          Lookup.orNoTest(ref, testId)
        )
        const counts = window.start < now ? found : []
        const page = TestSort.page(counts.map(executionsRow), { sort, direction, from, limit: perPage })
        return Listing.of(bound, page, (row) => TestSort.position(row, sort))
      })

      const repositoryStatistic = Effect.fn("Tests.repositoryStatistic")(function* (
        ref: Repository.RepositoryRef,
        name: Statistic.RepositoryStatistic,
        filter: TestFilter.TestFilter
      ) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const count = yield* tests.count(ref, { filter, status: Statistic.statusOf(name), now })
        yield* Lifetime.of(now, Instant.endOfDay(now))
        return Statistic.perDay(name, count.tests, count.failedPerDay, now)
      })

      return Tests.of({
        search,
        details,
        statistic,
        transitions,
        explain,
        failures: failuresOf,
        failure,
        executions: executionsOf,
        repositoryStatistic
      })
    })
  )
}

const windowOf = Effect.fnUntraced(function* (bounds: TimeWindow.Bounds, resolve: typeof TimeWindow.resolve) {
  const now = yield* Clock.currentTimeMillis
  const resolved = resolve(bounds, now)
  if (Result.isSuccess(resolved)) return { now, window: resolved.success }
  return yield* new Invalid({
    faults: resolved.failure.map(({ field, message }) => ({ _tag: "InvalidWindow", bound: field, message }))
  })
})

/** A change as it is seen at an instant: until the time of a result has come, it moves the verdict now. */
const seenAt = (now: Instant.Instant) => (change: HealthSeries.Change) => ({
  ...change,
  trigger: { ...change.trigger, at: ClockSkew.seenAt(change.trigger.at, now) }
})

/** The buckets that cover a window: their width, and the start of the first one. */
const bucketsOf = (window: TimeWindow.TimeWindow) => {
  const size = BucketSize.choose(window)
  return { width: BucketSize.milliseconds(size), first: BucketSize.floor(window.start, size) }
}

/** Both, or the faults of both. */
const both = Effect.fnUntraced(function* <A, B>(first: Effect.Effect<A, Invalid>, second: Effect.Effect<B, Invalid>) {
  const a = yield* Effect.result(first)
  const b = yield* Effect.result(second)
  if (Result.isSuccess(a) && Result.isSuccess(b)) return [a.success, b.success] as const
  return yield* new Invalid({ faults: [...faultsOf(a), ...faultsOf(b)] })
})

const faultsOf = <A>(result: Result.Result<A, Invalid>): ReadonlyArray<Fault> =>
  Result.isFailure(result) ? result.failure.faults : []

const boundsKey = (bounds: TimeWindow.Bounds): ReadonlyArray<string> => [`${bounds.start ?? ""}`, `${bounds.end ?? ""}`]

const executionsRow = ({ executions, identity }: IdentityCount): ExecutionsRow => ({
  ...identity,
  executionsCount: executions
})
