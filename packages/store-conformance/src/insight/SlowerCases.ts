/** The law of slower tests: their rounds, and what they leave. */
import { Instant, type Repository, type Slower, SlowerKnown, SlowerPolicy, TestId } from "@lazaret/domain"
import { EventStore, RepositoryStore, SlowerStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample } from "../law/index.ts"

const line = (testName: string | null, parts: Partial<Slower.Slower> = {}): Slower.Slower => ({
  kind: testName === null ? "job" : "test",
  testName,
  pipelineName: "CI",
  jobName: "unit",
  tests: 1,
  beforeMs: 1200.5,
  afterMs: 3400,
  at: Sample.noon - Instant.day,
  lastCommit: "1",
  firstCommit: "2",
  confidence: "medium",
  executionsPerWeek: 10.5,
  addedPerWeekMs: 23_000,
  latestMs: [1200.5, 3400],
  ...parts
})

const round =
  (lines: ReadonlyArray<Slower.Slower>, now: Instant.Instant) => (before: Pick<SlowerKnown.SlowerKnown, "reported">) =>
    SlowerKnown.of({ days: 60, tests: 5, lines }, before, now, SlowerPolicy.defaults)

const leases = Leased.of(SlowerStore)

/** The cases of slower tests. All rounds are one case: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("SlowerStore", "rounds of slower tests are leased once, report each change once, and end with it", inTurn)
]

function inTurn(ref: Repository.RepositoryRef) {
  return Effect.gen(function* () {
    const store = yield* SlowerStore
    const emoji = line("\u{1f600}")
    yield* Law.equal(yield* store.known(ref), Option.none(), "before the first round")
    yield* Leased.inRounds(ref, SlowerStore, (leased, times) =>
      store.replace(
        leased,
        times,
        round(times.computedAt === Sample.noon + 8 ? [line("late")] : [emoji, line(null)], times.computedAt)
      )
    )
    const computedAt = Sample.noon + Instant.hour
    const linesOf = Effect.map(store.known(ref), (found) =>
      Option.map(found, ({ computedAt: at, days, lines, tests }) => ({ at, days, lines, tests }))
    )
    const first = { at: computedAt, days: 60, lines: [emoji, line(null)], tests: 5 }
    yield* Law.equal(yield* linesOf, Option.some(first))
    const types = EventStore.use((events) =>
      Effect.map(events.after(ref, 0, 10), (all) => all.map(({ detail, type }) => [type, detail["total"]]))
    )
    yield* Law.equal(yield* types, [["tests.slower", 2]], "the same changes of several rounds")

    yield* store.request(ref, computedAt)
    const later = Sample.noon + Instant.day
    const longer = line("\u{1f600}", { afterMs: 9000 })
    const times = { computedAt: later, againAt: later }
    const taken = yield* leases.only(ref, later)
    yield* Law.equal(yield* store.replace(taken, times, round([longer, line("a")], later)), true)
    yield* Law.equal(
      yield* types,
      [
        ["tests.slower", 2],
        ["tests.slower", 2]
      ],
      "a test that grew again, and another one"
    )
    yield* Law.equal(yield* store.replace(taken, times, round([], later)), false, "without a lease")

    yield* RepositoryStore.use((all) => all.removeTest(ref, TestId.of("\u{1f600}")))
    yield* Law.equal(yield* linesOf, Option.some({ ...first, at: later, lines: [line("a")] }), "after its removal")
    const again = yield* leases.only(ref, later)
    yield* Law.equal(yield* store.replace(again, times, round([longer], later)), true)
    yield* Law.equal((yield* types).length, 3, "a removed test is not known to have been reported")
    yield* Law.equal(yield* store.known(yield* Case.repository), Option.none(), "another repository")
    yield* RepositoryStore.use(({ remove }) => remove(ref))
    yield* Law.equal(yield* store.known(ref), Option.none(), "after the removal of the repository")
  })
}
