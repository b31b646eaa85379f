import { QuarantineDebts, QuarantineLives, Quarantines } from "@lazaret/services"
import { Instant, QuarantineLife, Repository, TestId } from "@lazaret/domain"
import { EventStore, RepositoryStore } from "@lazaret/store"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { memory, noon, record, ref, testsWith } from "../builders.ts"

const test = testsWith(memory)

const everything = { branch: null, testId: null, source: null, cursor: null, perPage: null }

const quarantine = (testName: string, branch: string | null = null) => ({
  testName,
  branch,
  reason: "flaky since Monday",
  source: "manual" as const,
  by: "key 1"
})

describe("Quarantines", () => {
  test("one active record per test and branch; a second one is a conflict", function* () {
    const quarantines = yield* Quarantines
    const { id } = yield* quarantines.create(ref, quarantine("adds"))
    yield* quarantines.create(ref, quarantine("adds", "main"))
    assert.strictEqual((yield* Effect.flip(quarantines.create(ref, quarantine("adds"))))._tag, "QuarantineExists")
    yield* quarantines.remove(ref, id, "key 1")
    assert.strictEqual((yield* Effect.flip(quarantines.remove(ref, id, "key 1")))._tag, "QuarantineNotFound")
    yield* quarantines.create(ref, quarantine("adds"))
  })

  test("a branch filter yields the records of the branch and those of every branch", function* () {
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

  test("paging is opt-in, and pages follow one another", function* () {
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

  test("a test that ran clean since, and long after its last failure, has recovered", function* () {
    const quarantines = yield* Quarantines
    yield* record({ commit: "f", hoursAgo: 24 * 9, conclusion: "failed" })
    yield* record(...Array.from({ length: 9 }, (_, index) => ({ commit: `c${index}`, hoursAgo: 100 - index })))
    const { id } = yield* quarantines.create(ref, quarantine("adds"))
    assert.isFalse((yield* quarantines.get(ref, id)).isRecovered)
    yield* TestClock.adjust("1 hour")
    yield* record({ commit: "last", hoursAgo: -1 })
    assert.isTrue((yield* quarantines.get(ref, id)).isRecovered)
  })

  test("the setting of a repository decides the end of a new quarantine, and whether it needs a reason", function* () {
    const quarantines = yield* Quarantines
    const first = yield* quarantines.create(ref, quarantine("adds"))
    assert.deepStrictEqual([first.expiresAt, first.remindAt], [null, null])
    yield* RepositoryStore.use((store) =>
      store.set(
        ref,
        { ...Repository.defaultSettings, quarantineReason: "required", quarantine: { expiryDays: 14 } },
        noon
      )
    )
    const second = yield* quarantines.create(ref, quarantine("subtracts"))
    assert.deepStrictEqual([second.expiresAt, second.remindAt], [noon + 14 * Instant.day, noon + 11 * Instant.day])
    const refused = yield* Effect.flip(quarantines.create(ref, { ...quarantine("divides"), reason: " " }))
    assert.deepInclude(refused, { _tag: "Invalid", faults: [{ _tag: "ReasonRequired" }] })
  })

  test("a quarantine with an end gates again on time, and each of its events comes once, however late the round", function* () {
    const quarantines = yield* Quarantines
    const { round } = yield* QuarantineLives
    const { id } = yield* quarantines.create(ref, quarantine("adds"))
    const terms = { ...QuarantineLife.unlimited, expiresAt: noon + 5 * Instant.day, owner: "@acme/web" }
    const life = { terms, by: "key 1" }
    yield* quarantines.setLife(ref, id, life)
    const isQuarantined = Effect.map(
      quarantines.check(ref, ["adds"], "main"),
      ({ quarantined }) => quarantined.length > 0
    )
    assert.strictEqual(yield* round, 0)
    yield* TestClock.adjust("2 days")
    assert.deepStrictEqual([yield* round, yield* round, yield* isQuarantined], [1, 0, true])
    yield* TestClock.adjust("3 days")
    assert.isFalse(yield* isQuarantined)
    assert.strictEqual((yield* Effect.flip(quarantines.get(ref, id)))._tag, "QuarantineNotFound")
    const late = yield* Effect.flip(quarantines.setLife(ref, id, life))
    assert.deepInclude(late, { _tag: "Invalid", faults: [{ _tag: "EndInThePast" }] })
    yield* TestClock.adjust("9 days")
    yield* Effect.all([round, round], { concurrency: 2 })
    const events = yield* EventStore.use((store) => store.after(ref, 0, 100))
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["quarantine.created", "quarantine.changed", "quarantine.expiring", "quarantine.expired"]
    )
    assert.strictEqual(events[3]?.detail["owner"], "@acme/web")
  })

  test("the debt names the age, the owner, the runs that were let through, and the failures that are new", function* () {
    const quarantines = yield* Quarantines
    yield* record({ commit: "a", hoursAgo: 100 }, { commit: "b", hoursAgo: 99, conclusion: "failed", exception: "Old" })
    yield* TestClock.setTime(noon - 50 * Instant.hour)
    yield* quarantines.create(ref, quarantine("adds"))
    yield* TestClock.setTime(noon)
    yield* record(
      { commit: "c", hoursAgo: 40, conclusion: "failed", exception: "Old" },
      { commit: "d", hoursAgo: 30, conclusion: "failed", exception: "New" }
    )
    yield* quarantines.create(ref, { ...quarantine("subtracts", "release/*"), reason: "" })
    const { items, owners, total } = yield* QuarantineDebts.use(({ report }) => report(ref))
    assert.deepStrictEqual(
      items.map((item) => [item.quarantine.testName, item.ageDays, item.blockedRuns, item.newFailures]),
      [
        ["adds", 2, 2, 1],
        ["subtracts", 0, 0, 0]
      ]
    )
    assert.include(items[0]?.latestFailure, "New")
    assert.deepStrictEqual(owners, [
      { owner: null, quarantines: 2, blockedRuns: 2, oldestAt: noon - 50 * Instant.hour }
    ])
    assert.strictEqual(total, 2)
  })
})
