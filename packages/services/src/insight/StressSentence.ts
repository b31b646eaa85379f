/** The line of a check about the tests that ran again and again on its commit. */
import { type Repository, Stress } from "@lazaret/domain"
import { StressStore, TestStore } from "@lazaret/store"
import { Clock, Effect } from "effect"

/** Yields the outcome of the tests that were stressed on a commit, of each the latest run, in one sentence; null without one. */
export const make = Effect.gen(function* () {
  const store = yield* StressStore
  const tests = yield* TestStore
  return Effect.fnUntraced(function* (ref: Repository.RepositoryRef, commit: string) {
    const rows = yield* store.ofCommit(ref, commit, mostOfCommit)
    if (rows.length === 0) return null
    const latest = new Map(rows.toReversed().map((row) => [row.testId, row]))
    const known = yield* tests.health(ref, [...latest.keys()], yield* Clock.currentTimeMillis)
    return Stress.summaryOf([...latest.values()], known.size === 0)
  })
})

/** The most rows of a commit that its sentence counts: the tests of one stress run at most. */
const mostOfCommit = 1000
