/** Tests in PostgreSQL. */
import {
  BranchRun,
  Flakiness,
  Instant,
  type Quarantine,
  type Rollup,
  RunDay,
  type TestDetails,
  TestFile,
  TestFilter,
  type TestId,
  TestIdentity,
  TestList
} from "@lazaret/domain"
import { type ActiveIdentity, type LastUpload, type OutageRun, TestStore } from "@lazaret/store"
import { Effect, Layer, Option, Result } from "effect"
import * as BlockRows from "../blocks/BlockRows.ts"
import type { Where } from "../blocks/BlockRows.ts"
import type { Sql } from "../repository/Session.ts"
import type * as BlockCounts from "../codec/BlockCounts.ts"
import type * as BlockState from "../codec/BlockState.ts"
import type * as Surrogate from "../codec/Surrogate.ts"
import type * as Damage from "../database/Damage.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as Descriptions from "../reading/Descriptions.ts"
import * as KnownTests from "../reading/KnownTests.ts"
import * as Names from "../blocks/Names.ts"
import * as Outages from "../reading/Outages.ts"
import * as Repair from "../reading/Repair.ts"
import * as RunDays from "../reading/RunDays.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as TestBases from "../reading/TestBases.ts"
import * as TestExecutions from "../reading/TestExecutions.ts"
import * as Windows from "../reading/Windows.ts"
import * as Failures from "../readmodel/Failures.ts"
import * as Figures from "../readmodel/Figures.ts"
import { ReadModel, type View, type Wanted } from "../readmodel/ReadModel.ts"
import * as Search from "../readmodel/Search.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import type { Failure } from "../database/StoreFailure.ts"
import * as OtherBranches from "../triage/OtherBranches.ts"
import * as TriageRuns from "../triage/TriageRuns.ts"

/** The test port. */
export const layer: Layer.Layer<TestStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  TestStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const model = new ReadModel(reader)
    return TestStore.of({
      ...searching(model),
      ...single(reader),
      ...reporting(model, reader),
      ...elsewhere(model, reader)
    })
  })
)

const searching = (model: ReadModel): Pick<TestStore["Service"], "page" | "list" | "files" | "active" | "count"> => ({
  page: (ref, query) =>
    Effect.map(model.view("TestStore.page", ref, query.now), (view) =>
      Search.page(view, view.matcher.matching(view, query.filter), query)
    ),
  list: (ref, query, now) =>
    Effect.map(model.view("TestStore.list", ref, now, { moments: true, names: namesOf(query) }), (view) => {
      const columns = Search.columnsOf(view)
      const found = TestList.find(view.matcher.matching(view, TestFilter.all), columns, query)
      return { ...found, rows: found.rows.map((test) => TestList.entryOf(test, columns)) }
    }),
  files: (ref, quarantined, now) =>
    Effect.map(
      model.view("TestStore.files", ref, now, { moments: true, names: quarantined.size === 0 ? "none" : quarantined }),
      (view) => TestFile.count(view.matcher.matching(view, TestFilter.all), Search.columnsOf(view), quarantined)
    ),
  active: (ref, now) =>
    Effect.map(model.view("TestStore.active", ref, now), (view) =>
      Array.from(view.matcher.matching(view, TestFilter.all), activeIn(view))
    ),
  count: (ref, { filter, now, status }) =>
    Effect.map(model.view("TestStore.count", ref, now, { moments: false, names: namesIn(filter) }), (view) => {
      const { tests, ...counted } = Search.count(view, view.matcher.matching(view, filter), status)
      const failedPerDay = Failures.perDay(view.failures, view.days, tests)
      return { ...counted, tests: tests.length, failedPerDay }
    })
})

/** The names that a list needs: one of tests that are not healthy, whatever their names, needs theirs. */
const namesOf = ({ filter, quarantined }: TestList.Query): Wanted["names"] => {
  const { healthStatus, match, search } = filter
  const isOfUnhealthy = healthStatus.length > 0 && !healthStatus.includes("healthy")
  return isOfUnhealthy && search === "" && namesIn(match) === "none" ? quarantined : "all"
}

const namesIn = ({ testName: { exclude, include } }: TestFilter.TestFilter): "all" | "none" =>
  include.length === 0 && exclude.length === 0 ? "none" : "all"

const reporting = (model: ReadModel, reader: Snapshot.Reader): Pick<TestStore["Service"], "runs" | "lastUpload"> => ({
  runs: (ref, now) =>
    Effect.gen(function* () {
      const { days, figures } = yield* model.view("TestStore.runs", ref, now, { moments: false, names: "none" })
      const statusOf = (testNo: number) => Figures.statuses[figures.status[testNo] ?? 0] ?? "healthy"
      return yield* Snapshot.ofRepository(reader, "TestStore.runs", ref, RunDay.count([], days), (repositoryId) =>
        RunDays.select({ sql: reader.client.sql, repositoryId }, days, statusOf)
      )
    }),
  lastUpload: (ref) =>
    Snapshot.ofRepository<Option.Option<LastUpload>>(
      reader,
      "TestStore.lastUpload",
      ref,
      Option.none(),
      (repositoryId) => RunDays.lastUpload({ sql: reader.client.sql, repositoryId })
    )
})

const elsewhere = (
  model: ReadModel,
  reader: Snapshot.Reader
): Pick<TestStore["Service"], "elsewhere" | "onlyElsewhere" | "outages"> => ({
  elsewhere: (ref, testId, since) =>
    Snapshot.ofRepository<ReadonlyArray<BranchRun.BranchRun>>(reader, "TestStore.elsewhere", ref, [], (repositoryId) =>
      Effect.gen(function* () {
        const place = yield* TriageRuns.placeOf(reader.client.sql, repositoryId)
        return yield* OtherBranches.ofTests(place, yield* OtherBranches.ofId(place, testId), since)
      })
    ),
  onlyElsewhere: (ref, since, now) =>
    Effect.gen(function* () {
      const { catalog, moments } = yield* model.view("TestStore.onlyElsewhere", ref, now, {
        moments: true,
        names: "all"
      })
      const tests: Array<OtherBranches.NamedTest> = []
      for (let testNo = 0; testNo < catalog.size; testNo++) {
        const jobNo = catalog.jobOf[testNo] ?? -1
        if (catalog.nameOf[testNo] === -1 || !Number.isNaN(moments.firstSeenAt[testNo] ?? Number.NaN)) continue
        tests.push({ testNo, jobNo, testName: catalog.names[catalog.nameOf[testNo] ?? -1] ?? "" })
      }
      return yield* Snapshot.ofRepository<ReadonlyArray<BranchRun.BranchTotals>>(
        reader,
        "TestStore.onlyElsewhere",
        ref,
        [],
        (repositoryId) =>
          Effect.flatMap(TriageRuns.placeOf(reader.client.sql, repositoryId), (place) =>
            Effect.map(OtherBranches.ofTests(place, tests, since), BranchRun.totals)
          )
      )
    }),
  outages: (ref) =>
    Snapshot.ofRepository<ReadonlyArray<OutageRun>>(reader, "TestStore.outages", ref, [], (repositoryId) =>
      Outages.select({ sql: reader.client.sql, repositoryId })
    )
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

/** A stored test: its health, and its totals over the active days. */
interface StoredTest {
  readonly test: KnownTests.KnownTest
  readonly slot: BlockState.Slot
  readonly recent: Rollup.Rollup
}

/** Health and totals of a block, or its damage. */
type ReadBlock = Result.Result<Pick<Repair.Repaired, "slots" | "window">, Damage.Damage>

const readBlocks = Effect.fnUntraced(function* (where: Where, blocks: Iterable<number>, days: Windows.Days) {
  const intact: Array<BlockRows.StoredBlock> = []
  const found = new Map<number, ReadBlock>()
  for (const [blockNo, block] of yield* BlockRows.select(where, [...new Set(blocks)])) {
    if (Result.isSuccess(block)) intact.push(block.success)
    else found.set(blockNo, Result.fail(block.failure))
  }
  const windows = yield* Windows.select(where, intact, days)
  for (const { blockNo, slots } of intact) {
    const window = windows.get(blockNo)
    if (window !== undefined)
      found.set(
        blockNo,
        Result.map(window, (each) => ({ slots, window: each }))
      )
  }
  return found
})

const storedTest = (
  test: KnownTests.KnownTest,
  block: Pick<Repair.Repaired, "slots" | "window"> | undefined
): ReadonlyArray<StoredTest> => {
  const slot = block?.slots[test.slot]
  return block === undefined || slot === undefined
    ? []
    : [{ test, slot, recent: rollupOf(Windows.test(block.window, test.slot)) }]
}

/** Tests as they are stored; fails when a block is damaged. */
const intactTests = Effect.fnUntraced(function* (
  where: Where,
  tests: ReadonlyArray<KnownTests.KnownTest>,
  days: Windows.Days
) {
  const blocks = yield* readBlocks(where, tests.map(blockOf), days)
  const found: Array<StoredTest> = []
  for (const test of tests) {
    const block = blocks.get(test.blockNo)
    if (block !== undefined) found.push(...storedTest(test, yield* Effect.fromResult(block)))
  }
  return found
})

/** Tests as they are stored; those of damaged blocks are recomputed from their chunks. */
const repairedTests = Effect.fnUntraced(function* (
  where: Where,
  { damaged, settings, tests }: KnownTests.KnownTests,
  days: Windows.Days
) {
  const blocks = yield* readBlocks(where, tests.map(blockOf), days)
  const broken = new Map(damaged)
  for (const [blockNo, block] of blocks) if (Result.isFailure(block)) broken.set(blockNo, block.failure)
  const repaired =
    broken.size === 0 ? new Map<number, Repair.Repaired>() : yield* Repair.select(where, settings, broken, days)
  return tests.flatMap((test) => {
    const block = blocks.get(test.blockNo)
    const stored = block === undefined || Result.isFailure(block) ? undefined : block.success
    return storedTest(test, repaired.get(test.blockNo) ?? stored)
  })
})

const blockOf = ({ blockNo }: KnownTests.KnownTest): number => blockNo

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
  const known = yield* KnownTests.select(sql, repositoryId, testIds)
  const days = Windows.active(now, known.settings.policies.health)
  const stored = yield* repairedTests({ sql, repositoryId }, known, days)
  const names = yield* Names.select(sql, repositoryId, Names.ofStates(stored.map(({ slot }) => slot.state)))
  const found = new Map<TestId.TestId, Array<Quarantine.IdentityHealth>>()
  for (const { recent, slot, test } of stored) {
    const lastAt = latest(slot.state.failedAt, slot.lastSuccessAt)
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
): Effect.fn.Return<Records, Failure> {
  const known = yield* KnownTests.selectIntact(sql, repositoryId, [testId])
  if (known.tests.length === 0) return Option.none()
  const days = Windows.active(now, known.settings.policies.health)
  const stored = yield* intactTests({ sql, repositoryId }, known.tests, days)
  const executions = new Map(yield* TestExecutions.select(sql, repositoryId, known.tests))
  const bases = yield* TestBases.select(sql, repositoryId, known)
  const marks = stored.map(({ slot }) => slot.last)
  const states = Names.ofStates(stored.map(({ slot }) => slot.state))
  const names = yield* Names.select(sql, repositoryId, {
    executions: [...states.executions, ...[...executions.values(), marks].flatMap((list) => list.map(({ id }) => id))],
    commits: states.commits
  })
  const descriptions = yield* Descriptions.select(sql, repositoryId, executions, names)
  const records = stored
    .map(({ recent, slot, test }): TestDetails.IdentityRecord => ({
      identity: test.identity,
      state: Names.state(names, slot.state),
      recent: { ...recent, flaky: flakyIn(executions.get(test) ?? [], bases(test), days) },
      firstSeenAt: slot.firstAt,
      lastAt: slot.last.at,
      lastId: names.execution(slot.last.id),
      lastConclusion: slot.lastConclusion,
      lastFailureAt: slot.state.failedAt,
      lastSuccessAt: slot.lastSuccessAt,
      ...(descriptions.get(test) ?? Descriptions.none)
    }))
    .toSorted((a, b) => TestIdentity.IdentityOrder(a.identity, b.identity))
  const [first, ...others] = records
  return first === undefined ? Option.none() : Option.some([first, ...others])
})

const flakyIn = (
  executions: ReadonlyArray<TestExecutions.TestExecution>,
  base: Surrogate.SeriesBase | null,
  days: Windows.Days
): number => {
  const isFlaky = Flakiness.among([...Flakiness.remembered(TestBases.stateOf(base)), ...executions])
  return executions.filter((execution) => {
    const day = Instant.utcDay(execution.at)
    return days.first <= day && day <= days.last && isFlaky(execution)
  }).length
}
