/** The use cases of exports: executions of the default branch and first verdicts, page by page (beyond the interface). */
import {
  type FailurePrecision,
  type Instant,
  Page,
  Repository,
  Steps,
  TestId,
  TestIdentity,
  TestList,
  TestSort,
  TimeWindow
} from "@lazaret/domain"
import {
  ExecutionStore,
  type RecordedExecution,
  RepositoryStore,
  Slices,
  type StoreError,
  TestStore,
  VerdictStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import { Invalid, type RepositoryNotFound } from "../answer/ServiceError.ts"

/** The window of the rows. */
export interface ExportRequest extends Listing.PageRequest {
  readonly bounds: TimeWindow.Bounds
}

/** A test of a pipeline and job with its executions in the window, in order. */
export interface ExportedTest {
  readonly identity: TestIdentity.TestIdentity
  readonly file: string | null
  readonly executions: ReadonlyArray<RecordedExecution>
}

/** A page of tests. `nextStart`: the first instant with executions from the end of the window on, null without one and before the last page. */
export interface ExportedTests {
  readonly listing: Listing.Listing<ExportedTest>
  readonly nextStart: Instant.Instant | null
}

/** A page of first verdicts, the earliest failure first; it links to the page that follows alone. */
export interface ExportedVerdicts {
  readonly verdicts: ReadonlyArray<FailurePrecision.KeptVerdict>
  readonly links: Listing.Links
}

/**
 * Exports what is recorded.
 *
 * **Details**
 *
 * A page of executions holds all executions in the window of some tests, so that its size is bounded by the window. Tests that did not run in
 * the last 30 days are left out. The tests are listed for the first page; the pages that follow it in this process read a copy
 * of that list.
 */
export class Exports extends Context.Service<
  Exports,
  {
    /** The executions of the tests of a page, in the order of names. A test that runs for the first time meanwhile may be missing. */
    readonly executions: (
      ref: Repository.RepositoryRef,
      request: ExportRequest
    ) => Effect.Effect<ExportedTests, Invalid | RepositoryNotFound | StoreError>
    /** The first verdicts on failures in the window, with outcomes and marks. */
    readonly verdicts: (
      ref: Repository.RepositoryRef,
      request: ExportRequest
    ) => Effect.Effect<ExportedVerdicts, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Exports") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const repository = Lookup.repository(repositories)
      const store = yield* ExecutionStore
      const tests = yield* TestStore
      const firstVerdicts = yield* VerdictStore
      const copies = new Map<string, Copy>()

      /** The tests in the order of names; a first page lists them again after a change of the repository. */
      const testsOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: number, isFirst: boolean) {
        const key = Repository.key(ref)
        const version = Option.getOrNull(yield* repositories.version(ref))
        const held = copies.get(key)
        const isGood = held !== undefined && (held.version === version || !isFirst)
        const copy = isGood
          ? held
          : { version, tests: yield* Slices.steps(byName((yield* tests.list(ref, TestList.inAnyOrder, now)).rows)) }
        copies.delete(key)
        copies.set(key, copy)
        for (const oldest of [...copies.keys()].slice(0, Math.max(0, copies.size - mostCopies))) copies.delete(oldest)
        return copy.tests
      })

      const executions = Effect.fn("Exports.executions")(function* (
        ref: Repository.RepositoryRef,
        { bounds, cursor, perPage }: ExportRequest
      ) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const window = yield* windowOf(bounds, now)
        const bound = Listing.binding("export", ref, [])
        const from = yield* Listing.from(bound, cursor, TestList.positionSchema)
        const isEmpty = cursor === null && !(yield* hasExecutions(ref, window))
        const list = isEmpty ? [] : yield* testsOf(ref, now, cursor === null)
        const page = pageOf(list, from, perPage)
        const ids = [...new Set(page.rows.map(({ testName }) => TestId.of(testName)))]
        const found = new Map(
          [...(yield* store.within(ref, ids, window)).values()]
            .flat()
            .map((each) => [keyOf(each.identity), each.executions])
        )
        const listing = Listing.of(bound, page, (row) => TestSort.position(row, sort.sort))
        const nextStart = page.hasNext ? null : Option.getOrNull(yield* store.firstAt(ref, window.end))
        const rows = listing.rows.map(({ file, ...identity }) => ({
          identity,
          file,
          executions: found.get(keyOf(identity)) ?? []
        }))
        return { listing: { ...listing, rows }, nextStart }
      })

      const hasExecutions = (ref: Repository.RepositoryRef, { end, start }: TimeWindow.TimeWindow) =>
        Effect.map(store.firstAt(ref, start), (first) => Option.isSome(first) && first.value < end)

      const verdicts = Effect.fn("Exports.verdicts")(function* (
        ref: Repository.RepositoryRef,
        { bounds, cursor, perPage }: ExportRequest
      ) {
        yield* repository(ref)
        const window = yield* windowOf(bounds, yield* Clock.currentTimeMillis)
        const bound = Listing.binding("export verdicts", ref, [])
        const from = yield* Listing.from(bound, cursor, VerdictPosition)
        const after = from._tag === "After" ? from.position : null
        const rows = yield* firstVerdicts.within(ref, { window, after, limit: perPage + 1 })
        const shown = rows.slice(0, perPage)
        const page = { rows: shown, hasPrevious: false, hasNext: rows.length > perPage, total: rows.length }
        const { next } = Listing.of(bound, page, placeOf).links
        return { verdicts: shown, links: { first: after !== null, previous: null, next, last: null } }
      })

      return Exports.of({ executions, verdicts })
    })
  )
}

const windowOf = (bounds: TimeWindow.Bounds, now: Instant.Instant) => {
  const resolved = TimeWindow.resolve(bounds, now)
  return Result.isSuccess(resolved)
    ? Effect.succeed(resolved.success)
    : Effect.fail(
        new Invalid({
          faults: resolved.failure.map(({ field, message }) => ({ _tag: "InvalidWindow", bound: field, message }))
        })
      )
}

/** A test as the copy holds it. */
interface Listed extends TestIdentity.TestIdentity {
  readonly file: string | null
}

/** The tests of a repository in the order of names, as of a version. */
interface Copy {
  readonly version: string | null
  readonly tests: ReadonlyArray<Listed>
}

/** The tests of at most this many repositories stay in the process: those that were exported last. */
const mostCopies = 4

/** The tests of a list in the order of names, in steps. */
function* byName(rows: ReadonlyArray<TestList.Entry>): Steps.Steps<ReadonlyArray<Listed>> {
  yield
  return yield* Steps.sorted(yield* Steps.map(rows, Steps.ofItems(10_000), listed), TestIdentity.IdentityOrder)
}

const listed = ({ file, jobName, pipelineName, testName }: TestList.Entry): Listed => ({
  testName,
  pipelineName,
  jobName,
  file
})

const sort = { sort: "test_name", direction: "asc" } as const

/** A page of a sorted list; one that follows another is found by bisection. */
const pageOf = (tests: ReadonlyArray<Listed>, from: Page.From<TestSort.Position>, limit: number): Page.Page<Listed> => {
  if (from._tag !== "After") return TestSort.page(tests, { ...sort, from, limit })
  const place = TestSort.restore(tests, sort.sort, from.position)
  const compare = TestSort.comparePosition(sort.sort, sort.direction)
  let low = 0
  let high = tests.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const test = tests[middle]
    if (test !== undefined && compare(test, place) > 0) high = middle
    else low = middle + 1
  }
  const rows = tests.slice(low, low + limit)
  return { rows, hasPrevious: low > 0, hasNext: low + limit < tests.length, total: tests.length }
}

const VerdictPosition = Schema.Struct({ at: Schema.Int, executionId: Schema.String, testId: Schema.String })

const placeOf = ({ at, executionId, testId }: FailurePrecision.KeptVerdict): typeof VerdictPosition.Type => ({
  at,
  executionId,
  testId
})

const keyOf = ({ jobName, pipelineName, testName }: TestIdentity.TestIdentity): string =>
  `${testName}\0${pipelineName}\0${jobName}`
