/** The comparison after the crashes: every answer over HTTP, and every history in the stores. */
import { type Repository, TestId } from "@lazaret/domain"
import { Plain } from "@lazaret/store-conformance"
import { ExecutionStore, FailureStore, type Stores, TestStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option } from "effect"

/** Asks for a path and yields the text of the answer. */
export type Ask = (path: string) => Promise<string>

/** Paths to which two servers answer differently; `names` gets the names of all tests that were found. */
export const overHttp = async (
  one: Ask,
  other: Ask,
  repository: string,
  names: Set<string>
): Promise<Array<string>> => {
  const base = `/v1/ci/acme/repositories/${repository}`
  const differing: Array<string> = []
  const both = async (path: string): Promise<string> => {
    const [left, right] = await Promise.all([one(base + path), other(base + path)])
    if (left !== right) differing.push(`${repository}${path}: ${left.slice(0, 300)} instead of ${right.slice(0, 300)}`)
    return left
  }
  const ids = new Map<string, string>()
  for (const status of ["healthy", "flaky", "broken"]) {
    // An answer of another shape fails the comparison.
    const { tests, total } = JSON.parse(
      await both(`/search/tests?sort=test_name&direction=asc&per_page=100&health_status=${status}`)
    ) as {
      readonly tests: ReadonlyArray<{ readonly test_id: string; readonly test_name: string }>
      readonly total: number
    }
    for (const { test_id, test_name } of tests) ids.set(test_id, test_name)
    if (total > 0 && tests.length === 0) differing.push(`${repository}: a page without tests of ${total}`)
  }
  for (const name of ids.values()) names.add(name)
  // The histories of all are compared in the stores.
  for (const id of [...ids.keys()].filter((_, index) => index % 5 === 0)) {
    for (const path of ["", "/health-transitions?start=2020-01-01T00:00:00Z", "/failures"])
      await both(`/tests/${id}${path}`)
  }
  return differing
}

const everything = (ref: Repository.RepositoryRef, testName: string, now: number) =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const testId = TestId.of(testName)
    return Plain.of({
      history: Option.map(yield* executions.history(ref, testId), Plain.sorted),
      changes: Option.map(yield* executions.changes(ref, testId), Plain.sorted),
      failures: yield* FailureStore.use((store) => store.list(ref, testId)),
      records: yield* TestStore.use((store) => store.get(ref, testId, now))
    })
  })

/** Every history of a repository, and what follows from it, by test name; `now` ends the last 30 days. */
export const histories = (
  ref: Repository.RepositoryRef,
  names: Iterable<string>,
  now: number
): Effect.Effect<ReadonlyMap<string, unknown>, unknown, Stores.Stores> =>
  Effect.map(
    Effect.forEach(names, (name) => Effect.map(everything(ref, name, now), (found) => [name, found] as const)),
    (entries) => new Map(entries)
  )

/** The differences that the store itself finds, before and after it has recomputed everything. */
export const upkeep = (ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* UpkeepStore
    const before = yield* store.verify(ref)
    yield* store.refold(ref)
    return [...before, ...(yield* store.verify(ref))]
  })
