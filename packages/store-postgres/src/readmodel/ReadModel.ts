/**
 * The tests of repositories as columns in memory: loaded once, then updated when the version of the repository changes.
 *
 * Every query reads the version from the database first, so that an answer is never older than the query. Each process
 * has its own read model.
 */
import { type Instant, Repository, TestId } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect, Option, Result, Semaphore } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import type { Sql } from "../repository/Session.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockGroups from "../codec/BlockGroups.ts"
import * as StoreMetrics from "../database/StoreMetrics.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Repair from "../reading/Repair.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as Windows from "../reading/Windows.ts"
import { RecentlyUsed } from "../repository/RecentlyUsed.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import type { Failure } from "../database/StoreFailure.ts"
import * as Catalog from "./Catalog.ts"
import * as Failures from "./Failures.ts"
import * as Figures from "./Figures.ts"
import * as Files from "./Files.ts"
import * as Moments from "./Moments.ts"
import { type Columns, Matcher } from "./Search.ts"

/** The data of a repository for search and statistics, at one version. */
export interface View extends Columns {
  readonly days: Windows.Days
  readonly failures: Failures.Failures
  readonly moments: Moments.Moments
  readonly files: Files.Files
  readonly matcher: Matcher
}

/**
 * The columns that a question needs.
 *
 * **Details**
 *
 * - `moments`: `moments` and `files` are those of the version only when they are asked for.
 * - `names`: `all`, `none`, or a set: the names of the tests that are not healthy, and of those that have a name of the set. Names are
 *   most of what is read after a start. Any question may find more of them than it asked for.
 */
export interface Wanted {
  readonly moments: boolean
  readonly names: "all" | "none" | ReadonlySet<string>
}

/** A cache of the most recently queried repositories. */
export class ReadModel {
  private readonly reader: Snapshot.Reader
  private readonly repositories: RecentlyUsed<number, RepositoryModel>

  /** `capacity` is the number of tests in the cache, over all repositories. */
  constructor(reader: Snapshot.Reader, capacity = 2_000_000) {
    this.reader = reader
    this.repositories = new RecentlyUsed(capacity, ({ size }) => size)
  }

  /** The current version of the repository; without tests when the repository does not exist. */
  readonly view = Effect.fnUntraced(function* (
    this: ReadModel,
    operation: string,
    ref: Repository.RepositoryRef,
    now: Instant.Instant,
    wanted: Wanted = { moments: false, names: "all" }
  ): Effect.fn.Return<View, StoreError> {
    const { client, directory } = this.reader
    const repositoryId = yield* client.run(operation, directory.find(ref))
    if (Option.isNone(repositoryId)) return emptyView(now)
    const model = this.repositories.get(repositoryId.value, () => new RepositoryModel(repositoryId.value))
    return yield* model.view(this.reader, operation, now, wanted)
  })
}

interface State {
  readonly version: number
  readonly catalog: Catalog.Catalog
  /** Whether the catalog has the names of all tests; else it has none. */
  readonly hasNames: boolean
  readonly days: Windows.Days
  readonly figures: Figures.Figures
  readonly failures: Failures.Failures
  readonly moments: Moments.Moments
  readonly files: Files.Files
}

class RepositoryModel {
  private readonly repositoryId: number
  private readonly refreshing = Semaphore.makeUnsafe(1)
  private readonly matcher = new Matcher()
  private state: State | null = null

  constructor(repositoryId: number) {
    this.repositoryId = repositoryId
  }

  get size(): number {
    return this.state?.catalog.size ?? 0
  }

  readonly view = Effect.fnUntraced(function* (
    this: RepositoryModel,
    reader: Snapshot.Reader,
    operation: string,
    now: Instant.Instant,
    wanted: Wanted
  ): Effect.fn.Return<View, StoreError> {
    const { client } = reader
    const state = yield* this.current(reader, operation, now, wanted)
    if (typeof wanted.names === "string" || state.hasNames) return this.viewOf(state)
    const where = { sql: client.sql, repositoryId: this.repositoryId }
    const some = yield* client.run(operation, selectSome(where, state, wanted.names))
    if (some !== null) return { ...this.viewOf(state), some }
    return this.viewOf(yield* this.current(reader, operation, now, { ...wanted, names: "all" }))
  })

  private readonly current = Effect.fnUntraced(function* (
    this: RepositoryModel,
    reader: Snapshot.Reader,
    operation: string,
    now: Instant.Instant,
    wanted: Wanted
  ): Effect.fn.Return<State, StoreError> {
    const { client } = reader
    const head = yield* client.run(operation, selectHead(client.sql, this.repositoryId))
    if (this.state !== null && isCurrent(this.state, head, now, wanted)) return this.state
    return yield* this.refreshing.withPermit(Snapshot.read(reader, operation, this.refresh(client.sql, now, wanted)))
  })

  private readonly refresh = Effect.fnUntraced(function* (
    this: RepositoryModel,
    sql: Sql,
    now: Instant.Instant,
    wanted: Wanted
  ): Effect.fn.Return<State, Failure> {
    const head = yield* selectHead(sql, this.repositoryId)
    // Another fiber may have refreshed it meanwhile.
    if (this.state !== null && isCurrent(this.state, head, now, wanted)) return this.state
    const state = yield* load({ sql, repositoryId: this.repositoryId }, this.state, head, { ...wanted, now })
    this.state = state
    return state
  })

  private viewOf(state: State): View {
    return { ...state, matcher: this.matcher, some: new Map() }
  }
}

const emptyView = (now: Instant.Instant): View => {
  const days = Windows.active(now, Repository.policies(Repository.defaultSettings).health)
  const matcher = new Matcher()
  return {
    catalog: Catalog.empty,
    figures: Figures.make(0),
    days,
    failures: new Map(),
    moments: Moments.empty,
    files: Files.empty(),
    matcher,
    some: new Map()
  }
}

interface Head {
  readonly version: number
  readonly recalculated: number
  readonly policies: Repository.Policies
}

const selectHead = (sql: Sql, repositoryId: number) =>
  Effect.flatMap(
    sql<{ readonly version: number; readonly recalculated: number; readonly settings: unknown }>`
      SELECT coalesce(h.version, 0) AS version, coalesce(h.recalculated, 0) AS recalculated, r.settings
      FROM repositories r
      LEFT JOIN repository_heads h ON h.repository_id = ${repositoryId}
      WHERE r.repository_id = ${repositoryId}`,
    ([row]) =>
      Effect.map(RepositorySettings.decode(row?.settings), (settings): Head => ({
        version: row?.version ?? 0,
        recalculated: row?.recalculated ?? 0,
        policies: Repository.policies(settings)
      }))
  )

const isCurrent = (state: State, head: Head, now: Instant.Instant, wanted: Wanted): boolean =>
  state.version === head.version &&
  (!wanted.moments || state.moments.version === head.version) &&
  (wanted.names !== "all" || state.hasNames) &&
  isSame(state.days, Windows.active(now, head.policies.health))

const isSame = (a: Windows.Days, b: Windows.Days): boolean => a.first === b.first && a.last === b.last

const load = Effect.fnUntraced(function* (
  where: Where,
  before: State | null,
  head: Head,
  { now, ...wanted }: Wanted & { readonly now: Instant.Instant }
) {
  const { repositoryId, sql } = where
  const days = Windows.active(now, head.policies.health)
  const isUsable = before !== null && isSame(before.days, days) && before.version >= head.recalculated
  const known = before?.version ?? -1
  // A test may have been removed with the last write that recomputed everything.
  const catalogBefore = before !== null && before.version >= head.recalculated ? before.catalog : null
  // Names that were read once are kept up to date.
  const hasNames = wanted.names === "all" || before?.hasNames === true
  const earlier = before !== null && before.moments.version >= head.recalculated ? before.moments : Moments.empty
  const filesBefore = before !== null && before.files.version >= head.recalculated ? before.files : Files.empty()
  const [{ blocks, failures }, moments, files, tests, jobs] = yield* together(
    loadBlocks(where, isUsable ? { before: before.failures, known } : null, days),
    wanted.moments ? loadMoments(where, earlier, head.version, days) : Effect.succeed(earlier),
    wanted.moments ? Files.load(where, filesBefore, head.version) : Effect.succeed(filesBefore),
    hasNames
      ? selectTests(sql, repositoryId, catalogBefore !== null && before?.hasNames === true ? known : -1)
      : Effect.succeed([]),
    selectJobs(sql, repositoryId, catalogBefore?.jobs.length ?? 0)
  )
  const extended =
    tests.length === 0 && jobs.length === 0 && catalogBefore !== null
      ? catalogBefore
      : Catalog.extend(catalogBefore ?? Catalog.empty, tests, jobs)
  const unplaced = [...blocks.keys()].filter((blockNo) => !Catalog.isPlaced(extended, blockNo))
  const catalog = unplaced.length === 0 ? extended : Catalog.place(extended, yield* selectPlaces(where, unplaced))
  const figures = isUsable ? Figures.reserve(before.figures, catalog.size) : Figures.make(catalog.size)
  for (const block of blocks.values()) Figures.replace(figures, block, head.policies.health)
  const state: State = { version: head.version, catalog, hasNames, days, figures, failures, moments, files }
  yield* StoreMetrics.load(before === null ? "whole" : "new")
  return state
})

/**
 * Statements of one connection, which sends the next while the rows of the one before are unpacked: those first that are read fast and
 * unpacked slowly. The database sorts the names meanwhile.
 */
const together = <const E extends ReadonlyArray<Effect.Effect<unknown, Failure>>>(...effects: E) =>
  Effect.all(effects, { concurrency: "unbounded" })

const loadBlocks = Effect.fnUntraced(function* (
  where: Where,
  earlier: { readonly before: Failures.Failures; readonly known: number } | null,
  days: Windows.Days
) {
  const [windows, loaded] = yield* together(
    Windows.after(where, earlier?.known ?? -1, days),
    Failures.load(where, days, earlier)
  )
  return { blocks: yield* repaired(where, windows, loaded, days), failures: loaded.failures }
})

/** The windows of all blocks. Damaged blocks, including their failures, are recomputed from their chunks. */
const repaired = Effect.fnUntraced(function* (
  where: Where,
  windows: Windows.BlockWindows,
  { damaged, failures }: Effect.Success<ReturnType<typeof Failures.load>>,
  days: Windows.Days
) {
  const intact = new Map<number, Windows.BlockWindow>()
  const broken = new Map(damaged)
  for (const [blockNo, window] of windows) {
    if (Result.isSuccess(window)) intact.set(blockNo, window.success)
    else broken.set(blockNo, window.failure)
  }
  if (broken.size === 0) return intact
  const settings = yield* RepositorySettings.select(where.sql, where.repositoryId)
  for (const [blockNo, block] of yield* Repair.select(where, settings, broken, days)) {
    intact.set(blockNo, block.window)
    Failures.replace(failures, blockNo, block.failures)
  }
  return intact
})

/** The moments of all blocks. Those of damaged blocks are recomputed from their chunks. */
const loadMoments = Effect.fnUntraced(function* (
  where: Where,
  before: Moments.Moments,
  version: number,
  days: Windows.Days
) {
  const { damaged, moments } = yield* Moments.load(where, before, version)
  if (damaged.size === 0) return moments
  const settings = yield* RepositorySettings.select(where.sql, where.repositoryId)
  for (const [blockNo, { slots }] of yield* Repair.select(where, settings, damaged, days)) {
    Moments.replace(moments, blockNo, BlockGroups.of(slots))
  }
  return moments
})

const selectTests = (sql: Sql, repositoryId: number, after: number) => sql<Catalog.CatalogTest>`
  SELECT t.test_no, j.job_no, t.test_name
  FROM jobs j
  CROSS JOIN LATERAL (
    SELECT test_no, test_name
    FROM tests
    WHERE repository_id = ${repositoryId} AND job_no = j.job_no AND version > ${Parameter.int8(after)}
    OFFSET 0
  ) t
  WHERE j.repository_id = ${repositoryId} AND j.version > ${Parameter.int8(after)}
  ORDER BY t.test_name COLLATE "C"`

/** The jobs of blocks: all tests of a block are of the same job. */
const selectPlaces = ({ repositoryId, sql }: Where, blocks: ReadonlyArray<number>) => sql<Catalog.BlockPlace>`
  SELECT n.block_no, t.job_no
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT job_no
    FROM tests
    WHERE repository_id = ${repositoryId}
      AND test_no >= n.block_no * ${BlockCounts.slots}::int AND test_no < (n.block_no + 1) * ${BlockCounts.slots}::int
    LIMIT 1
  ) t`

/** The most tests whose names are read by their numbers: of more, all names are read. */
const mostNamed = 5000

/**
 * The names of the tests that are not healthy, and of those with some names; null when there are too many of them, or one was removed
 * meanwhile.
 */
const selectSome = Effect.fnUntraced(function* (where: Where, { figures }: State, names: ReadonlySet<string>) {
  const unhealthy = Figures.unhealthy(figures)
  if (unhealthy.length + names.size > mostNamed) return null
  const numbered = unhealthy.length === 0 ? [] : yield* selectNumbered(where, unhealthy)
  const named = names.size === 0 ? [] : yield* selectNamed(where, [...names].map(TestId.of))
  if (numbered.length < unhealthy.length) return null
  return new Map([...numbered, ...named].map(({ test_name, test_no }) => [test_no, test_name]))
})

interface NamedTest {
  readonly test_no: number
  readonly test_name: string
}

const selectNumbered = ({ repositoryId, sql }: Where, numbers: ReadonlyArray<number>) => sql<NamedTest>`
  SELECT test_no, test_name
  FROM tests
  WHERE repository_id = ${repositoryId} AND test_no = ANY(${Parameter.int4s(numbers)})`

const selectNamed = ({ repositoryId, sql }: Where, ids: ReadonlyArray<TestId.TestId>) => sql<NamedTest>`
  SELECT test_no, test_name
  FROM tests
  WHERE repository_id = ${repositoryId} AND test_id = ANY(${Parameter.uuids(ids)})`

/** Job numbers have no gaps. */
const selectJobs = (sql: Sql, repositoryId: number, from: number) =>
  Effect.map(
    sql<{ readonly job_no: number; readonly pipeline_name: string; readonly job_name: string }>`
      SELECT job_no, pipeline_name, job_name
      FROM jobs
      WHERE repository_id = ${repositoryId} AND job_no >= ${from}`,
    (rows) =>
      rows.map((row): Catalog.CatalogJob => ({
        jobNo: row.job_no,
        pipelineName: row.pipeline_name,
        jobName: row.job_name
      }))
  )
