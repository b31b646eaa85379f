/** Every answer that the reading methods of a store can give about one repository. */
import {
  BucketSize,
  type FailureFacts,
  FailurePolicy,
  Instant,
  Page,
  type Repository,
  TestFilter,
  TestId,
  TestList,
  TestSort,
  type TimeWindow
} from "@lazaret/domain"
import {
  type AskedRun,
  ExecutionStore,
  FailureStore,
  type Stores,
  QuarantineStore,
  QueueStore,
  RepositoryStore,
  type StoreError,
  TestStore,
  TriageStore
} from "@lazaret/store"
import { Effect, Option } from "effect"
import * as JobRun from "./JobRun.ts"
import * as Plain from "./Plain.ts"
import * as Sample from "./Sample.ts"

/**
 * Everything that can be asked about a repository of generated job runs (`JobRun`), as plain JSON.
 *
 * **Details**
 *
 * The name of the repository is left out, so that two repositories can be compared, and so is the last upload, which is the
 * one fact that depends on the order of arrival. `names` are the tests that are asked about one by one.
 */
export const everything = (
  ref: Repository.RepositoryRef,
  now: Instant.Instant = Sample.noon,
  names: ReadonlyArray<string> = JobRun.testNames
): Effect.Effect<unknown, StoreError, Stores.Stores> =>
  Effect.map(
    Effect.all(
      {
        repository: withoutName(ref),
        tests: Effect.forEach(names, (testName) => ofTest(ref, TestId.of(testName), now), together),
        health: healths(ref, now, names),
        searches: searches(ref, now),
        lists: lists(ref, now, names),
        runs: TestStore.use((store) => store.runs(ref, now)),
        active: Effect.map(
          TestStore.use((store) => store.active(ref, now)),
          Plain.sorted
        ),
        counts: Effect.forEach([null, "healthy", "flaky", "broken"] as const, (status) =>
          TestStore.use((store) => store.count(ref, { filter: TestFilter.all, status, now }))
        ),
        quarantines: QuarantineStore.use((store) => store.page(ref, Sample.listing())),
        queue: queue(ref),
        triage: triage(ref, names)
      },
      together
    ),
    Plain.of
  )

/** Nothing is written meanwhile, so the questions need not wait for each other: an adapter answers some of them at once. */
const together = { concurrency: 4 } as const

/**
 * Everything that can be asked about one test.
 *
 * **Details**
 *
 * Lists that the law leaves without an order are sorted.
 */
export const ofTest = (
  ref: Repository.RepositoryRef,
  testId: TestId.TestId,
  now: Instant.Instant
): Effect.Effect<unknown, StoreError, Stores.Stores> =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const failures = yield* FailureStore
    const groups = yield* failures.list(ref, testId)
    return Plain.of({
      rollups: yield* Effect.forEach(windows(now), ({ size, window }) =>
        executions.rollups(ref, testId, window, BucketSize.milliseconds(size))
      ),
      changes: Option.map(yield* executions.changes(ref, testId), Plain.sorted),
      series: yield* Effect.forEach(windows(now), ({ size, window }) =>
        Effect.map(
          executions.series(ref, testId, window, BucketSize.milliseconds(size)),
          Option.map(({ changes, rollups }) => ({ changes: Plain.sorted(changes), rollups }))
        )
      ),
      counts: yield* Effect.forEach(windows(now), ({ window }) =>
        Effect.map(executions.counts(ref, testId, window), Option.map(Plain.sorted))
      ),
      within: Plain.sorted(
        (yield* executions.within(ref, [testId, noTest], { start: now - 5 * Instant.day, end: now })).get(testId) ?? []
      ),
      history: Option.map(yield* executions.history(ref, testId), Plain.sorted),
      groups,
      failures: yield* Effect.forEach(
        Option.getOrElse(groups, () => []),
        ({ id }) => failures.get(ref, testId, id)
      ),
      records: yield* TestStore.use((store) => store.get(ref, testId, now)),
      past: yield* QuarantineStore.use((store) => store.past(ref, testId))
    })
  })

const windows = (
  now: Instant.Instant
): ReadonlyArray<{ readonly size: BucketSize.BucketSize; readonly window: TimeWindow.TimeWindow }> => [
  { size: "1h", window: { start: now - Instant.day - 1, end: now } },
  { size: "4h", window: { start: now - 12 * Instant.day, end: now - 5 * Instant.day } },
  { size: "2d", window: { start: JobRun.origin, end: now + 1 } }
]

/** The facts on the failures of every commit, and on failures that were not reported. */
const triage = (ref: Repository.RepositoryRef, names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* TriageStore
    const commits = JobRun.commits().filter((_, index) => index % 10 === 8)
    const ofCommits = yield* Effect.forEach(commits, (commit) =>
      store.failures(ref, { _tag: "Commit", commit, heads: [] }, FailurePolicy.defaults)
    )
    const ofRun = yield* store.failures(ref, { _tag: "Run", runId: "run 11" }, FailurePolicy.defaults)
    return {
      found: [...ofCommits, ofRun].map(
        Option.map(({ expected, failures, runs }) => ({
          runs: Plain.sorted(runs),
          expected: Plain.sorted(expected),
          failures: Plain.sorted(failures.map(sortedFacts))
        }))
      ),
      asked: (yield* store.asked(ref, askedOf(names), FailurePolicy.defaults)).map(sortedFacts),
      signatures: yield* store.signatures(
        ref,
        names.map((testName) => ({ testName, until: Sample.daysAgo(7) }))
      )
    }
  })

const askedOf = (names: ReadonlyArray<string>): AskedRun => ({
  run: Sample.run({ runId: "asked", commit: "c20", branch: "topic", baseBranch: "main" }),
  at: Sample.noon,
  passed: 1,
  failures: names.map((testName) => ({
    testName,
    attempts: 1,
    exceptionType: "Error",
    message: "1 is not 2",
    file: null
  }))
})

/** The lists of facts have no order. */
export const sortedFacts = (facts: FailureFacts.FailureFacts): unknown => {
  const { record } = facts.run
  const run = { ...facts.run, record: { ...record, base: Plain.sorted(record.base) } }
  return Object.fromEntries(
    Object.entries({ ...facts, run }).map(([name, value]) => [name, Array.isArray(value) ? Plain.sorted(value) : value])
  )
}

const withoutName = (ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* RepositoryStore
    const unnamed = Option.map(yield* store.get(ref), ({ createdAt, settings }) => ({ createdAt, settings }))
    return { unnamed, pulls: yield* store.pulls(ref, JobRun.commits()) }
  })

const queue = (ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* QueueStore
    return {
      queue: yield* store.queue(ref),
      snapshot: yield* store.snapshot(ref),
      pause: yield* store.pause(ref),
      configuration: yield* store.configuration(ref),
      baseRefs: yield* store.baseRefs(ref, { start: Sample.noon, end: Sample.noon + 20 * Instant.second })
    }
  })

const healths = (ref: Repository.RepositoryRef, now: Instant.Instant, names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const store = yield* TestStore
    const health = yield* store.health(ref, names.map(TestId.of), now)
    return new Map(Array.from(health, ([testId, list]) => [testId, Plain.sorted(list)]))
  })

const searches = (ref: Repository.RepositoryRef, now: Instant.Instant) =>
  Effect.forEach(TestSort.SearchSort.literals, (sort) =>
    Effect.forEach(TestSort.Direction.literals, (direction) =>
      TestStore.use((store) => store.page(ref, Sample.search({ sort, direction, now, from: Page.start })))
    )
  )

const lists = (ref: Repository.RepositoryRef, now: Instant.Instant, names: ReadonlyArray<string>) =>
  Effect.forEach(TestList.Sort.literals, (sort, index) => {
    const quarantined = new Set(names.slice(0, index % 3))
    const filter = { ...TestList.all, search: index % 2 === 0 ? "" : "ADD" }
    const query = { filter, quarantined, files: null, sort, direction: "desc", from: Page.start, limit: 5 } as const
    // The file of a test that has moved is the choice of the driver.
    return Effect.map(
      TestStore.use((store) => store.list(ref, query, now)),
      (found) => ({ ...found, rows: found.rows.map((row) => ({ ...row, file: null })) })
    )
  })

/**
 * An answer in which every execution id is the same.
 *
 * **Details**
 *
 * The id of an execution follows from the key of its report: it differs where a job run was cut into other uploads.
 */
export const withoutIds = (answer: unknown): unknown =>
  JSON.parse(Plain.text(answer).replace(/"[0-9a-f]{8}-[0-9a-f-]{27}\.\d+"/gu, '"execution"'))

const noTest = TestId.of("a test that never ran")
