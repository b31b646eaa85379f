/** The computation of slower tests over the storage ports. */
import {
  DurationSeries,
  Instant,
  type Repository,
  Slower,
  SlowerPolicy,
  Steps,
  TestId,
  Text,
  type TimeWindow
} from "@lazaret/domain"
import { type ActiveIdentity, ExecutionStore, Slices, TestStore } from "@lazaret/store"
import { Clock, Effect } from "effect"

/** The tests and jobs that became slower, at the instant of the computation. `tests`: how many tests were compared, over the last `days` days. */
export interface SlowerFound {
  readonly computedAt: Instant.Instant
  readonly days: number
  readonly tests: number
  readonly lines: ReadonlyArray<Slower.Slower>
}

/**
 * The bounds of a computation (our choice).
 *
 * **Details**
 *
 * - `tests`: the most tests per pipeline and job; those that take most time in all. A test that takes less than the least added time cannot
 *   have become slower by it.
 * - `executions`: the most executions, about 200 of each test; with more in `days` days, fewer days are read, at least `leastDays`.
 * - `minutes`: for how long an answer is kept in this process, before the first round.
 */
export const slowerBounds = { tests: 1000, executions: 200_000, days: 60, leastDays: 3, minutes: 10 } as const

/** Computes the lasting growths of a repository on the default branch, those that add most time each week first. */
export const make = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const tests = yield* TestStore
  const policy = SlowerPolicy.defaults

  /** The points of some tests; their executions are not kept. */
  const timed = Effect.fnUntraced(function* (
    ref: Repository.RepositoryRef,
    names: ReadonlyArray<string>,
    window: TimeWindow.TimeWindow
  ) {
    const found = yield* executions.within(ref, names.map(TestId.of), window)
    yield* Effect.yieldNow
    return [...found.values()].flat().map((each): Slower.TimedTest => ({
      identity: each.identity,
      points: DurationSeries.of(each.executions, policy.nothingMs),
      executions: each.executions.length
    }))
  })

  return Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
    const now = yield* Clock.currentTimeMillis
    const { days, names } = yield* chosen(yield* tests.active(ref, now), policy)
    const window = { start: now - days * Instant.day, end: now + 1 }
    const slices = Array.from({ length: Math.ceil(names.length / testsAtOnce) }, (_, index) =>
      names.slice(index * testsAtOnce, (index + 1) * testsAtOnce)
    )
    const compared = (yield* Effect.forEach(slices, (slice) => timed(ref, slice, window))).flat()
    const lines = yield* Slices.steps(Slower.found(compared, policy))
    return { computedAt: now, days, tests: compared.length, lines }
  })
})

const testsAtOnce = 50

/** The names of the tests that may have become slower, and over how many days they are read. */
const chosen = Effect.fnUntraced(function* (
  tests: ReadonlyArray<ActiveIdentity>,
  { leastPerWeekMs }: SlowerPolicy.SlowerPolicy
) {
  yield* Effect.yieldNow
  const possible = tests.filter(({ durationUs }) => durationUs >= 1000 * leastPerWeekMs)
  const timed = (yield* Slices.steps(Steps.sorted(possible, longestFirst))).slice(0, slowerBounds.tests)
  const inMonth = timed.reduce((sum, { concluded }) => sum + concluded, 0)
  const affordable = Math.floor((30 * slowerBounds.executions) / Math.max(1, inMonth))
  return {
    days: Math.max(slowerBounds.leastDays, Math.min(slowerBounds.days, affordable)),
    names: [...new Set(timed.map(({ testName }) => testName))]
  }
})

const longestFirst = (a: ActiveIdentity, b: ActiveIdentity): number =>
  b.durationUs - a.durationUs || Text.compare(a.testName, b.testName)
