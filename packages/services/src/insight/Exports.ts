/** The use case of exports: the executions of the default branch, page by page (beyond the interface). */
import { Repository, TestId, type TestIdentity, TestList, TestSort, TimeWindow } from "@lazaret/domain"
import { ExecutionStore, type RecordedExecution, RepositoryStore, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Result } from "effect"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import { Invalid, type RepositoryNotFound } from "../answer/ServiceError.ts"

/** The window of the executions. */
export interface ExportRequest extends Listing.PageRequest {
  readonly bounds: TimeWindow.Bounds
}

/** A test of a pipeline and job with its executions in the window, in order. */
export interface ExportedTest {
  readonly identity: TestIdentity.TestIdentity
  readonly file: string | null
  readonly executions: ReadonlyArray<RecordedExecution>
}

/**
 * Exports what is recorded.
 *
 * **Details**
 *
 * A page holds all executions in the window of some tests, so that its size is bounded by the window. Tests that did not run in the last 30
 * days are left out.
 */
export class Exports extends Context.Service<
  Exports,
  {
    /** The executions of the tests of a page, in the order of names. A test that runs for the first time meanwhile may be missing. */
    readonly executions: (
      ref: Repository.RepositoryRef,
      request: ExportRequest
    ) => Effect.Effect<Listing.Listing<ExportedTest>, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Exports") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Exports,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* ExecutionStore
      const tests = yield* TestStore

      const executions = Effect.fn("Exports.executions")(function* (
        ref: Repository.RepositoryRef,
        { bounds, cursor, perPage }: ExportRequest
      ) {
        yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const resolved = TimeWindow.resolve(bounds, now)
        if (Result.isFailure(resolved)) {
          return yield* new Invalid({
            faults: resolved.failure.map(({ field, message }) => ({ _tag: "InvalidWindow", bound: field, message }))
          })
        }
        const bound = Listing.binding("export", ref, [])
        const from = yield* Listing.from(bound, cursor, TestList.positionSchema)
        const page = yield* tests.list(ref, { ...byName, from, limit: perPage }, now)
        const ids = [...new Set(page.rows.map(({ testName }) => TestId.of(testName)))]
        const found = new Map(
          [...(yield* store.within(ref, ids, resolved.success)).values()]
            .flat()
            .map((each) => [keyOf(each.identity), each.executions])
        )
        const listing = Listing.of(bound, page, (row) => TestList.position(row, "test_name"))
        return {
          ...listing,
          rows: listing.rows.map(({ file, jobName, pipelineName, testName }) => {
            const identity = { testName, pipelineName, jobName }
            return { identity, file, executions: found.get(keyOf(identity)) ?? [] }
          })
        }
      })

      return Exports.of({ executions })
    })
  )
}

const keyOf = ({ jobName, pipelineName, testName }: TestIdentity.TestIdentity): string =>
  `${testName}\0${pipelineName}\0${jobName}`

const byName: Omit<TestList.Query, "from" | "limit"> = {
  filter: TestList.all,
  quarantined: new Set(),
  files: null,
  sort: "test_name",
  direction: "asc" satisfies TestSort.Direction
}
