/**
 * The warm-up of a server that has just started: it asks the store what the overview and the list of tests ask, for the repositories
 * that got reports last, so that the first person who opens one does not wait until their tests are read into memory.
 */
import { type Repository, TestFilter, TestList } from "@lazaret/domain"
import { RepositoryStore, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Effect, Layer, Option } from "effect"

/**
 * The most repositories that are read ahead. One of 200,000 tests takes half a second of processor time: without a limit, a server of many
 * repositories would do nothing else for minutes after each start.
 */
export const mostRepositories = 5

/** The most repositories whose last uploads are compared, one statement for each: of more, those that were created last. */
export const mostCompared = 1000

const logged = Effect.catch((error: StoreError) => Effect.logWarning("A repository was not read ahead", error))

/**
 * Reads the repositories one after another: first what their overviews need, then the names of all tests. A failure is logged: the first
 * question reads what is missing.
 */
export const run: Effect.Effect<void, never, RepositoryStore | TestStore> = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const tests = yield* TestStore

  const readOverview = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
    const now = yield* Clock.currentTimeMillis
    yield* tests.list(ref, unhealthy, now)
    yield* tests.count(ref, { filter: TestFilter.all, status: null, now })
    yield* tests.runs(ref, now)
    yield* Effect.yieldNow
  }, logged)

  const readNames = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
    yield* tests.list(ref, firstPage, yield* Clock.currentTimeMillis)
    yield* Effect.yieldNow
  }, logged)

  const all = (yield* repositories.list).toSorted((a, b) => b.createdAt - a.createdAt)
  const uploads = yield* Effect.forEach(all.slice(0, mostCompared), (ref) =>
    Effect.map(tests.lastUpload(ref), (upload) => Option.toArray(upload).map(({ receivedAt }) => ({ ref, receivedAt })))
  )
  const latest = uploads.flat().toSorted((a, b) => b.receivedAt - a.receivedAt)
  const first = latest.slice(0, mostRepositories)
  yield* Effect.forEach(first, ({ ref }) => readOverview(ref), { discard: true })
  yield* Effect.forEach(first, ({ ref }) => readNames(ref), { discard: true })
}).pipe(logged, Effect.withSpan("WarmUp.run"))

/** The list of the overview, which a store may answer without the names of healthy tests. */
const unhealthy: TestList.Query = {
  ...TestList.everything,
  filter: { ...TestList.all, healthStatus: ["broken", "flaky"] },
  sort: "attention",
  direction: "desc",
  limit: 8
}

const firstPage: TestList.Query = { ...TestList.everything, sort: "attention", direction: "desc", limit: 25 }

/** Reads ahead in the background. */
export const layer = Layer.effectDiscard(Effect.forkScoped(run))
