import { Ingestion, Quarantines } from "@lazaret/services"
import { TestId } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, record, ref } from "./builders.ts"

const scenario = <A, E>(body: Effect.Effect<A, E, Quarantines | Ingestion>) =>
  TestClock.setTime(noon).pipe(Effect.andThen(body), Effect.provide(memory))

const everything = { branch: null, testId: null, source: null, cursor: null, perPage: null }

const quarantine = (testName: string, branch: string | null = null) => ({
  testName,
  branch,
  reason: "flaky since Monday",
  source: "manual" as const,
  by: "key 1"
})

describe("Quarantines", () => {
  it.effect("one active record per test and branch; a second one is a conflict", () =>
    scenario(
      Effect.gen(function* () {
        const quarantines = yield* Quarantines
        const { id } = yield* quarantines.create(ref, quarantine("adds"))
        yield* quarantines.create(ref, quarantine("adds", "main"))
        assert.strictEqual((yield* Effect.flip(quarantines.create(ref, quarantine("adds"))))._tag, "QuarantineExists")
        yield* quarantines.remove(ref, id, "key 1")
        assert.strictEqual((yield* Effect.flip(quarantines.remove(ref, id, "key 1")))._tag, "QuarantineNotFound")
        yield* quarantines.create(ref, quarantine("adds"))
      })
    )
  )

  it.effect("a branch filter yields the records of the branch and those of every branch", () =>
    scenario(
      Effect.gen(function* () {
        const quarantines = yield* Quarantines
        yield* quarantines.create(ref, quarantine("adds"))
        yield* quarantines.create(ref, quarantine("adds", "main"))
        yield* quarantines.create(ref, quarantine("subtracts", "release"))
        const list = yield* quarantines.list(ref, { ...everything, branch: "main" })
        assert.deepStrictEqual(
          list.rows.map((row) => [row.testName, row.branch, row.testId]).toSorted(),
          [
            ["adds", "main", TestId.of("adds")],
            ["adds", null, TestId.of("adds")]
          ].toSorted()
        )
        const checked = yield* quarantines.check(ref, ["adds", "subtracts", "adds"], "main")
        assert.deepStrictEqual(checked, { quarantined: ["adds"], others: ["subtracts"] })
      })
    )
  )

  it.effect("paging is opt-in, and pages follow one another", () =>
    scenario(
      Effect.gen(function* () {
        const quarantines = yield* Quarantines
        for (const name of ["a", "b", "c"]) {
          yield* quarantines.create(ref, quarantine(name))
          yield* TestClock.adjust("1 second")
        }
        const all = yield* quarantines.list(ref, everything)
        assert.deepStrictEqual([all.rows.length, all.links.first], [3, false])
        const first = yield* quarantines.list(ref, { ...everything, perPage: 2 })
        const second = yield* quarantines.list(ref, { ...everything, perPage: 2, cursor: first.links.next })
        assert.deepStrictEqual(
          [...first.rows, ...second.rows].map((row) => row.testName),
          ["a", "b", "c"]
        )
        assert.strictEqual(second.links.next, null)
      })
    )
  )

  it.effect("a test that ran clean since, and long after its last failure, has recovered", () =>
    scenario(
      Effect.gen(function* () {
        const quarantines = yield* Quarantines
        yield* record({ commit: "f", hoursAgo: 24 * 9, conclusion: "failed" })
        yield* record(...Array.from({ length: 9 }, (_, index) => ({ commit: `c${index}`, hoursAgo: 100 - index })))
        const { id } = yield* quarantines.create(ref, quarantine("adds"))
        assert.isFalse((yield* quarantines.get(ref, id)).isRecovered)
        yield* TestClock.adjust("1 hour")
        yield* record({ commit: "last", hoursAgo: -1 })
        assert.isTrue((yield* quarantines.get(ref, id)).isRecovered)
      })
    )
  )
})
