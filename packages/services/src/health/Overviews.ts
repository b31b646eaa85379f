/** The use cases of looking over a repository: its tests as people look for them, and what they add up to (beyond the interface). */
import {
  BranchRun,
  type HealthStatus,
  Instant,
  NameSearch,
  Ownership,
  Page,
  Repository,
  type RunDay,
  SourceLinks,
  TestDetails,
  TestFilter,
  TestId,
  TestList,
  TestSort,
  Trend
} from "@lazaret/domain"
import {
  EventStore,
  type LoggedEvent,
  type OutageRun,
  QuarantineStore,
  QueueStore,
  RepositoryStore,
  type StoreError,
  TestStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import * as Lifetime from "../answer/Lifetime.ts"
import * as Listing from "../answer/Listing.ts"
import { Owners, type OwnersSource } from "./Owners.ts"
import type { Invalid, RepositoryNotFound, TestNotFound } from "../answer/ServiceError.ts"

/** The request of a list of tests; `owners` are names that tests are found by (`Ownership.Owner`), none for every test. */
export interface TestListRequest extends Listing.PageRequest {
  readonly filter: TestList.Filter
  readonly owners: ReadonlyArray<string>
  readonly sort: TestList.Sort
  readonly direction: TestSort.Direction
}

/** One identity of the list, with the owners of its file. */
export interface ListedTest extends TestList.Entry {
  readonly testId: TestId.TestId
  readonly owners: ReadonlyArray<string>
  readonly isQuarantined: boolean
}

/** A page of the list, how many listed identities come before it, and the facets. */
export interface ListedTests extends Listing.Listing<ListedTest> {
  readonly offset: number
  readonly facets: TestList.Facets
}

/** The tests of each owner; without a CODEOWNERS (`source` null), nobody owns a test. */
export interface OwnerOverview {
  readonly source: OwnersSource | null
  readonly owners: ReadonlyArray<Ownership.OwnerCounts>
}

/**
 * A repository in short.
 *
 * **Details**
 *
 * - `tests`: the identities that ran in the last 30 days, by status. `quarantines`: the active records.
 * - `links`: where the hosting platform shows it, as the settings say, else the latest job of a known platform.
 * - `hasQueue`: whether it has a merge queue: events of the last 30 days, a configuration or a pause.
 */
export interface Summary extends Repository.RepositoryRef {
  readonly tests: { readonly [S in HealthStatus.HealthStatus]: number }
  readonly quarantines: number
  readonly lastUploadAt: Instant.Instant | null
  readonly links: SourceLinks.SourceLinks | null
  readonly hasQueue: boolean
}

/** A UTC day of a repository: counts at its end, its job runs, and its failed executions. */
export interface TrendDay extends Trend.Trend, RunDay.RunDay {
  readonly failedExecutions: number
}

/** The last 30 UTC days of a repository, oldest first, and its passed and failed executions in them. */
export interface RepositoryTrend {
  readonly executions: number
  readonly days: ReadonlyArray<TrendDay>
}

/** The file of a test, as far as reports name it, and its owners; without a CODEOWNERS (`source` null), nobody owns it. */
export interface TestOwners {
  readonly source: OwnersSource | null
  readonly file: string | null
  readonly owners: ReadonlyArray<string>
}

/** The request of a list of tests that run on other branches only; `search` is a `NameSearch`. */
export interface BranchTestsRequest extends Listing.PageRequest {
  readonly search: string
}

/** An identity that has never run on the default branch. */
export interface BranchTest extends BranchRun.BranchTotals {
  readonly testId: TestId.TestId
}

/** Looks over repositories. All methods but `branchTests` know executions of the default branch only. */
export class Overviews extends Context.Service<
  Overviews,
  {
    /** A page of the list of tests. */
    readonly tests: (
      ref: Repository.RepositoryRef,
      request: TestListRequest
    ) => Effect.Effect<ListedTests, Invalid | RepositoryNotFound | StoreError>
    /** A repository in short. */
    readonly summary: (ref: Repository.RepositoryRef) => Effect.Effect<Summary, RepositoryNotFound | StoreError>
    /** The last 30 days of a repository. */
    readonly trend: (ref: Repository.RepositoryRef) => Effect.Effect<RepositoryTrend, RepositoryNotFound | StoreError>
    /** A page of the identities that run on other branches only, those with the most job runs first. */
    readonly branchTests: (
      ref: Repository.RepositoryRef,
      request: BranchTestsRequest
    ) => Effect.Effect<Listing.Listing<BranchTest>, Invalid | RepositoryNotFound | StoreError>
    /** A page of the outages, the latest first. */
    readonly outages: (
      ref: Repository.RepositoryRef,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<OutageRun>, Invalid | RepositoryNotFound | StoreError>
    /** The tests of each owner (`Ownership.byOwner`). */
    readonly ownership: (ref: Repository.RepositoryRef) => Effect.Effect<OwnerOverview, RepositoryNotFound | StoreError>
    /** The owners of the file of a test (`Owners`). */
    readonly owners: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<TestOwners, RepositoryNotFound | TestNotFound | StoreError>
  }
>()("@lazaret/services/Overviews") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Overviews,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const tests = yield* TestStore
      const quarantines = yield* QuarantineStore
      const queues = yield* QueueStore
      const events = yield* EventStore
      const { ofFiles, rulesOf } = yield* Owners

      const repository = Lookup.repository(repositories)

      const count = (ref: Repository.RepositoryRef, now: Instant.Instant) =>
        tests.count(ref, { filter: TestFilter.all, status: null, now })

      /** The active quarantines; an answer that shows them holds until the first of them ends, and for the day at most. */
      const quarantinesIn = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: Instant.Instant) {
        const every = { branch: null, testId: null, source: null, from: Page.start, limit: null, now }
        const { rows } = yield* quarantines.page(ref, every)
        const ends = rows.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]))
        yield* Lifetime.of(
          now,
          ends.reduce((a, b) => Math.min(a, b), Instant.endOfDay(now))
        )
        return rows
      })

      const quarantinedIn = (ref: Repository.RepositoryRef, now: Instant.Instant) =>
        Effect.map(quarantinesIn(ref, now), (rows) => new Set(rows.map(({ testName }) => testName)))

      /** How many tests each file has, and the owners of all of these files. */
      const ownedFiles = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        quarantined: ReadonlySet<string>,
        now: Instant.Instant
      ) {
        const counts = yield* tests.files(ref, quarantined, now)
        const found = yield* ofFiles(
          ref,
          counts.map(({ file }) => file)
        )
        return { counts, ownersOf: (file: string) => found.get(file) ?? [] }
      })

      const list = Effect.fn("Overviews.tests")(function* (ref: Repository.RepositoryRef, request: TestListRequest) {
        yield* repository(ref)
        const { cursor, direction, filter, perPage, sort } = request
        const bound = Listing.binding("tests", ref, [
          TestList.key(filter),
          ...Ownership.keyOf(request.owners),
          sort,
          direction
        ])
        const from = yield* Listing.from(bound, cursor, TestList.positionSchema)
        const now = yield* Clock.currentTimeMillis
        const quarantined = yield* quarantinedIn(ref, now)
        const files = request.owners.length === 0 ? null : yield* filesOf(ref, request.owners, now)
        const query = { filter, quarantined, files, sort, direction, from, limit: perPage }
        const found = yield* tests.list(ref, query, now)
        yield* Lifetime.of(now, now + ownersHold)
        const { facets, offset } = found
        const listing = Listing.of(bound, found, (entry) => TestList.position(entry, sort))
        const owned = yield* ofFiles(
          ref,
          listing.rows.map(({ file }) => file)
        )
        const rows = listing.rows.map((entry) => ({
          ...entry,
          testId: TestId.of(entry.testName),
          owners: owned.get(entry.file ?? "") ?? [],
          isQuarantined: quarantined.has(entry.testName)
        }))
        return { ...listing, rows, offset, facets }
      })

      const hasQueue = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: Instant.Instant) {
        const window = { start: Instant.startOfLastDays(now, 30), end: Instant.startOfLastDays(now, 0) }
        if ((yield* queues.baseRefs(ref, window)).length > 0) return true
        return Option.isSome(yield* queues.configuration(ref)) || Option.isSome(yield* queues.pause(ref))
      })

      const summary = Effect.fn("Overviews.summary")(function* (ref: Repository.RepositoryRef) {
        const { owner, repository: name, settings } = yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const upload = Option.getOrNull(yield* tests.lastUpload(ref))
        return {
          owner,
          repository: name,
          tests: (yield* count(ref, now)).byStatus,
          quarantines: (yield* quarantinesIn(ref, now)).length,
          lastUploadAt: upload?.receivedAt ?? null,
          links: SourceLinks.of(settings.repositoryUrl, upload?.jobUrls ?? [], { owner, repository: name }),
          hasQueue: yield* hasQueue(ref, now)
        }
      })

      const trend = Effect.fn("Overviews.trend")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const { byStatus, concluded, failedPerDay } = yield* count(ref, now)
        const runs = yield* tests.runs(ref, now)
        const counts = {
          flaky: byStatus.flaky,
          broken: byStatus.broken,
          quarantined: (yield* quarantinesIn(ref, now)).length
        }
        const log = yield* events.page(ref, { types: Trend.eventTypes, from: Page.start, limit: mostEvents })
        const last = Instant.utcDay(now)
        const days = { first: last - runs.length + 1, last, knownSince: knownSince(log) }
        const trends = Trend.of(counts, log.rows, days)
        return {
          executions: concluded,
          days: runs.flatMap((day, index) => {
            const atEnd = trends[index]
            return atEnd === undefined ? [] : [{ ...day, ...atEnd, failedExecutions: failedPerDay[index] ?? 0 }]
          })
        }
      })

      const branchTests = Effect.fn("Overviews.branchTests")(function* (
        ref: Repository.RepositoryRef,
        { cursor, perPage, search }: BranchTestsRequest
      ) {
        yield* repository(ref)
        const bound = Listing.binding("branch-tests", ref, [search])
        const from = yield* Listing.from(bound, cursor, positions)
        const now = yield* Clock.currentTimeMillis
        const isFound = NameSearch.compile(search)
        const found = yield* tests.onlyElsewhere(ref, now - BranchRun.bounds.days * Instant.day, now)
        const page = TestSort.pageBy(
          found.filter(({ testName }) => isFound(testName)),
          byRuns,
          { direction: "desc", from, limit: perPage }
        )
        const rows = page.rows.map((row) => ({ ...row, testId: TestId.of(row.testName) }))
        return Listing.of(bound, { ...page, rows }, (row) => TestSort.positionBy(row, byRuns))
      })

      const outages = Effect.fn("Overviews.outages")(function* (
        ref: Repository.RepositoryRef,
        { cursor, perPage }: Listing.PageRequest
      ) {
        yield* repository(ref)
        const bound = Listing.binding("outages", ref, [])
        const from = yield* Listing.from(bound, cursor, positions)
        const page = TestSort.pageBy(yield* tests.outages(ref), byEnd, { direction: "desc", from, limit: perPage })
        return Listing.of(bound, page, (row) => TestSort.positionBy(row, byEnd))
      })

      const filesOf = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        names: ReadonlyArray<string>,
        now: Instant.Instant
      ) {
        const { counts, ownersOf } = yield* ownedFiles(ref, new Set(), now)
        return Ownership.filesOf(
          counts.map(({ file }) => file),
          names,
          ownersOf
        )
      })

      const ownership = Effect.fn("Overviews.ownership")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const { source } = yield* rulesOf(ref)
        const { counts, ownersOf } = yield* ownedFiles(ref, yield* quarantinedIn(ref, now), now)
        yield* Lifetime.of(now, now + ownersHold)
        return { source, owners: Ownership.byOwner(counts, ownersOf) }
      })

      const owners = Effect.fn("Overviews.owners")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const records = yield* Effect.flatMap(tests.get(ref, testId, now), Lookup.orNoTest(ref, testId))
        const { filepath } = TestDetails.of(records)
        const { ownersOf, source } = yield* rulesOf(ref)
        return { source, file: filepath, owners: filepath === null ? [] : ownersOf(filepath) }
      })

      return Overviews.of({ tests: list, summary, trend, branchTests, outages, ownership, owners })
    })
  )
}

/** The time for which answers with owners are kept: CODEOWNERS at the hosting platform changes without a write here. */
const ownersHold = Instant.minute

/** Positions with a number as their key. */
const positions = TestSort.positionSchema("executions_count")

const byRuns: TestSort.FieldsBy<BranchRun.BranchTotals> = {
  key: ({ failed, passed }) => passed + failed,
  testName: ({ testName }) => testName,
  pipelineName: ({ pipelineName }) => pipelineName,
  jobName: ({ jobName }) => jobName
}

const byEnd: TestSort.FieldsBy<OutageRun> = {
  key: ({ at }) => at,
  testName: ({ commit, runAttempt, runId }) => `${runId} ${runAttempt} ${commit}`,
  pipelineName: ({ pipelineName }) => pipelineName,
  jobName: ({ jobName }) => jobName
}

/** The most events that a trend reads: more than a busy repository has in 30 days. */
const mostEvents = 5000

/** The day after which the log is read completely. */
const knownSince = ({ hasNext, rows }: Page.Page<LoggedEvent>): number => {
  const oldest = rows.at(-1)
  return hasNext && oldest !== undefined ? Instant.utcDay(oldest.at) + 1 : -Infinity
}
