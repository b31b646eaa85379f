/** Tests in PostgreSQL. */
import {
  Flakiness,
  type HealthSeries,
  Instant,
  type Quarantine,
  type Rollup,
  type TestDetails,
  TestFilter,
  type TestId,
  TestIdentity
} from "@lazaret/domain"
import { type ActiveIdentity, type StoreError, TestStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as BlockRows from "./append/BlockRows.ts"
import type { Sql } from "./append/Session.ts"
import type * as BlockCounts from "./codec/BlockCounts.ts"
import type * as BlockState from "./codec/BlockState.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as Descriptions from "./reading/Descriptions.ts"
import * as KnownTests from "./reading/KnownTests.ts"
import * as Names from "./reading/Names.ts"
import * as Snapshot from "./reading/Snapshot.ts"
import * as TestBases from "./reading/TestBases.ts"
import * as TestExecutions from "./reading/TestExecutions.ts"
import * as Windows from "./reading/Windows.ts"
import * as Failures from "./readmodel/Failures.ts"
import * as Figures from "./readmodel/Figures.ts"
import { ReadModel, type View } from "./readmodel/ReadModel.ts"
import * as Search from "./readmodel/Search.ts"
import { RepositoryDirectory } from "./RepositoryDirectory.ts"

/** The test port. */
export const layer: Layer.Layer<TestStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  TestStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const model = new ReadModel(reader)
    return TestStore.of({ ...searching(model), ...single(reader) })
  })
)

const searching = (model: ReadModel): Pick<TestStore["Service"], "page" | "active" | "count"> => ({
  page: (ref, query) =>
    Effect.map(model.view("TestStore.page", ref, query.now), (view) =>
      Search.page(view, Search.matching(view, query.filter), query)
    ),
  active: (ref, now) =>
    Effect.map(model.view("TestStore.active", ref, now), (view) =>
      Array.from(Search.matching(view, TestFilter.all), activeIn(view))
    ),
  count: (ref, { filter, now, status }) =>
    Effect.map(model.view("TestStore.count", ref, now), (view) => {
      const tests = Search.matching(view, filter, status)
      return { tests: tests.length, failedPerDay: Failures.perDay(view.failures, view.days, tests) }
    })
})

const activeIn =
  ({ catalog, figures }: View) =>
  (test: number): ActiveIdentity => ({
    testName: catalog.names[catalog.nameOf[test] ?? -1] ?? "",
    healthStatus: Figures.statuses[figures.status[test] ?? 0] ?? "healthy",
    concluded: figures.concluded[test] ?? 0,
    durationUs: figures.durationUs[test] ?? 0
  })

const single = (reader: Snapshot.Reader): Pick<TestStore["Service"], "get" | "health"> => ({
  get: (ref, testId, now) =>
    Snapshot.ofRepository<Records>(reader, "TestStore.get", ref, Option.none(), (repositoryId) =>
      recordsOf(reader.client.sql, repositoryId, testId, now)
    ),
  health: (ref, testIds, now) =>
    Snapshot.ofRepository<ReadonlyMap<TestId.TestId, ReadonlyArray<Quarantine.IdentityHealth>>>(
      reader,
      "TestStore.health",
      ref,
      new Map(),
      (repositoryId) => healthOf(reader.client.sql, repositoryId, testIds, now)
    )
})

type Records = Option.Option<readonly [TestDetails.IdentityRecord, ...ReadonlyArray<TestDetails.IdentityRecord>]>

/** A test as it is stored: its health, and what it adds up to over the active days. */
interface StoredTest {
  readonly test: KnownTests.KnownTest
  readonly slot: BlockState.Slot
  readonly recent: Rollup.Rollup
}

const storedTests = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  { settings, tests }: KnownTests.KnownTests,
  now: Instant.Instant
) {
  if (tests.length === 0) return []
  const blocks = [...new Set(tests.map(({ blockNo }) => blockNo))]
  const rows = yield* BlockRows.select({ sql, repositoryId }, blocks)
  const states = yield* Effect.forEach(rows.values(), BlockRows.slotsOf)
  const slots = new Map([...rows.keys()].map((blockNo, index) => [blockNo, states[index] ?? []]))
  const days = Windows.active(now, settings.policies.health)
  const windows = yield* Windows.select(sql, repositoryId, [...rows.values()], days)
  const byBlock = new Map(windows.map((window) => [window.blockNo, window]))
  return tests.flatMap((test): ReadonlyArray<StoredTest> => {
    const slot = slots.get(test.blockNo)?.[test.slot]
    const window = byBlock.get(test.blockNo)
    if (slot === undefined || window === undefined) return []
    return [{ test, slot, recent: rollupOf(Windows.test(window, test.slot)) }]
  })
})

const rollupOf = ({ durationUs, executions, failed, reruns, skipped }: BlockCounts.Test): Rollup.Rollup => ({
  executions,
  passed: executions - failed - skipped,
  failed,
  skipped,
  flaky: 0,
  reruns,
  durationUs
})

const healthOf = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  testIds: ReadonlyArray<TestId.TestId>,
  now: Instant.Instant
) {
  const stored = yield* storedTests(sql, repositoryId, yield* KnownTests.select(sql, repositoryId, testIds), now)
  const names = yield* Names.select(sql, repositoryId, Names.ofStates(stored.map(({ slot }) => slot.state)))
  const found = new Map<TestId.TestId, Array<Quarantine.IdentityHealth>>()
  for (const { recent, slot, test } of stored) {
    const lastAt = latest(slot.lastFailureAt, slot.lastSuccessAt)
    const health = { state: Names.state(names, slot.state), lastAt, active: recent.executions > 0 }
    found.set(test.testId, [...(found.get(test.testId) ?? []), health])
  }
  return found
})

const latest = (a: Instant.Instant | null, b: Instant.Instant | null): Instant.Instant | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

const recordsOf = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  testId: TestId.TestId,
  now: Instant.Instant
): Effect.fn.Return<Records, SqlError.SqlError | StoreError> {
  const known = yield* KnownTests.select(sql, repositoryId, [testId])
  if (known.tests.length === 0) return Option.none()
  const stored = yield* storedTests(sql, repositoryId, known, now)
  const executions = new Map(yield* TestExecutions.select(sql, repositoryId, known.tests))
  const bases = yield* TestBases.select(sql, repositoryId, known)
  const marks = stored.map(({ slot }) => slot.last)
  const states = Names.ofStates(stored.map(({ slot }) => slot.state))
  const names = yield* Names.select(sql, repositoryId, {
    executions: [...states.executions, ...[...executions.values(), marks].flatMap((list) => list.map(({ id }) => id))],
    commits: states.commits
  })
  const descriptions = yield* Descriptions.select(sql, repositoryId, executions, names)
  const days = Windows.active(now, known.settings.policies.health)
  const records = stored
    .map(({ recent, slot, test }): TestDetails.IdentityRecord => ({
      identity: test.identity,
      state: Names.state(names, slot.state),
      recent: { ...recent, flaky: flakyIn(executions.get(test) ?? [], bases(test), days) },
      firstSeenAt: slot.firstAt,
      lastAt: slot.last.at,
      lastId: names.execution(slot.last.id),
      lastConclusion: slot.lastConclusion,
      lastFailureAt: slot.lastFailureAt,
      lastSuccessAt: slot.lastSuccessAt,
      ...(descriptions.get(test) ?? Descriptions.none)
    }))
    .toSorted((a, b) => TestIdentity.IdentityOrder(a.identity, b.identity))
  const [first, ...others] = records
  return first === undefined ? Option.none() : Option.some([first, ...others])
})

const flakyIn = (
  executions: ReadonlyArray<TestExecutions.TestExecution>,
  base: HealthSeries.Base | null,
  days: Windows.Days
): number => {
  const isFlaky = Flakiness.among([...Flakiness.remembered(TestBases.stateOf(base)), ...executions])
  return executions.filter((execution) => {
    const day = Instant.utcDay(execution.at)
    return days.first <= day && day <= days.last && isFlaky(execution)
  }).length
}
