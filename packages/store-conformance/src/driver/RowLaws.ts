/** The law of rows: they come back as they were written, and a key has one row. */
import { Instant, TestId } from "@lazaret/domain"
import { type Driver, Rows } from "@lazaret/store"
import { Effect, Exit } from "effect"
import type { Case } from "../law/Case.ts"
import { Law, Plain, Sample } from "../law/index.ts"
import { deadLetter, event, make, put, quarantine, read, reasons, select, texts } from "./DriverCase.ts"

/** The cases of rows. */
export const cases: ReadonlyArray<Case<Driver>> = [
  make("a row comes back as it was written: texts, UUIDs, integers, instants, and what is null", (driver, ref) =>
    Effect.gen(function* () {
      const rows = [
        ...texts.map((reason, index) => quarantine(index, { reason, branch: reason })),
        quarantine(9, {
          reason: "a\nb\t'c' \\ \"d\" % _ {} ${e}",
          createdAt: 0,
          removedAt: Instant.latest,
          removedBy: ""
        }),
        quarantine(Number.MAX_SAFE_INTEGER, { owner: "web", ticket: "https://tickets.example/1", expiresAt: 1 })
      ]
      yield* put(driver, ref, Rows.quarantines, rows)
      yield* Law.equal(yield* select(driver, ref, Rows.quarantines), rows)
    })
  ),

  make("JSON comes back as it was written, whatever it holds", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      const detail = { "": null, "a.b": [1, -0.5, 1e21, true, { deep: [[], {}] }], "\u{1f600}": "\u{1f600}\n\"'\\" }
      const rows = [deadLetter("s", a, { event: { ...event(a), detail } }), deadLetter("s", b)]
      yield* put(driver, ref, Rows.deadLetters, rows)
      yield* Law.equal(yield* select(driver, ref, Rows.deadLetters), rows)
    })
  ),

  make("a row takes the place of the one with its key, in every field", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(1, { branch: "main", expiresAt: 5 }), quarantine(2)])
      const changed = quarantine(1, { reason: "other", testId: TestId.of("other"), removedAt: 7, removedBy: "key 2" })
      yield* put(driver, ref, Rows.quarantines, [changed])
      yield* Law.equal(yield* select(driver, ref, Rows.quarantines), [changed, quarantine(2)])
    })
  ),

  make("of several rows with one key that are written at once the last stays", (driver, ref) =>
    Effect.gen(function* () {
      const rows = ["first", "second", "last"].map((reason) => quarantine(1, { reason }))
      yield* put(driver, ref, Rows.quarantines, [...rows, quarantine(2)])
      yield* Law.equal(yield* reasons(driver, ref), ["last", quarantine(2).reason])
    })
  ),

  make("a key of several fields separates rows that differ in one of them", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      const rows = [deadLetter("s", a), deadLetter("s", b), deadLetter("t", a)]
      yield* put(driver, ref, Rows.deadLetters, rows)
      yield* put(driver, ref, Rows.deadLetters, [deadLetter("s", b, { attempts: 4 })])
      const attempts = (yield* select(driver, ref, Rows.deadLetters)).map((row) => row.attempts)
      yield* Law.equal(attempts, [3, 4, 3])
    })
  ),

  make("a table without a key has one row for each repository", (driver, ref) =>
    Effect.gen(function* () {
      const other = { ...ref, repository: `${ref.repository}-2` }
      yield* put(driver, ref, Rows.pauses, [{ reason: "first", pausedAt: 1 }])
      yield* put(driver, other, Rows.pauses, [{ reason: "elsewhere", pausedAt: 2 }])
      yield* put(driver, ref, Rows.pauses, [{ reason: "second", pausedAt: 3 }])
      yield* Law.equal(yield* select(driver, ref, Rows.pauses), [{ reason: "second", pausedAt: 3 }])
      yield* Law.equal(yield* select(driver, other, Rows.pauses), [{ reason: "elsewhere", pausedAt: 2 }])
    })
  ),

  make("a row that is only its key is written once", (driver, ref) =>
    Effect.gen(function* () {
      const row = { commit: "c1", number: 7 }
      yield* put(driver, ref, Rows.pullNumbers, [row])
      yield* put(driver, ref, Rows.pullNumbers, [row, { commit: "c1", number: 8 }])
      yield* Law.equal(yield* select(driver, ref, Rows.pullNumbers), [row, { commit: "c1", number: 8 }])
    })
  ),

  make("writing no rows changes nothing", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, [quarantine(1)])
      yield* put(driver, ref, Rows.quarantines, [])
      yield* Law.equal(yield* reasons(driver, ref), [quarantine(1).reason])
    })
  ),

  make(
    "a value of a unique field belongs to one row: a second row with it is refused, and nothing is written",
    (driver) =>
      Effect.gen(function* () {
        const { a, b, c } = yield* Sample.ids("a", "b", "c")
        const first = Sample.key(a)
        yield* put(driver, null, Rows.keys, [first])
        const second = Sample.key(b, { hash: first.hash })
        const exit = yield* Effect.exit(put(driver, null, Rows.keys, [Sample.key(c), second]))
        yield* Law.equal(Exit.isFailure(exit), true, "the second row is refused")
        yield* put(driver, null, Rows.keys, [{ ...first, name: "other" }])
        const found = yield* select(driver, null, Rows.keys, { where: [["id", "in", [a, b, c]]] })
        yield* Law.equal(found, [{ ...first, name: "other" }])
      })
  ),

  make("removing yields the number of rows that were removed, and leaves the others", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(
        driver,
        ref,
        Rows.quarantines,
        [1, 2, 3].map((record) => quarantine(record, { createdAt: record }))
      )
      const remove = (below: number) =>
        driver.transact("Law.remove", ref, null, (transaction) =>
          transaction.remove(Rows.quarantines, [["createdAt", "<", below]])
        )
      yield* Law.equal(yield* remove(3), 2)
      yield* Law.equal(yield* remove(3), 0, "the second removal")
      yield* Law.equal(
        (yield* select(driver, ref, Rows.quarantines)).map(({ record }) => record),
        [3]
      )
    })
  ),

  make("counting and the distinct values of a field follow the conditions, null among the values", (driver, ref) =>
    Effect.gen(function* () {
      const branches = ["main", null, "main", "topic", null]
      yield* put(
        driver,
        ref,
        Rows.quarantines,
        branches.map((branch, record) => quarantine(record, { branch, createdAt: record }))
      )
      const counted = read(driver, ref, (view) => view.count(Rows.quarantines, [["branch", "=", "main"]]))
      yield* Law.equal(yield* counted, 2)
      yield* Law.equal(yield* read(driver, ref, (view) => view.count(Rows.quarantines, [])), 5)
      const values = (least: number) =>
        read(driver, ref, (view) => view.distinct(Rows.quarantines, "branch", [["createdAt", ">=", least]]))
      yield* Law.equal(Plain.sorted(yield* values(0)), Plain.sorted(["main", null, "topic"]))
      yield* Law.equal(Plain.sorted(yield* values(3)), Plain.sorted([null, "topic"]))
      yield* Law.equal(yield* values(9), [])
    })
  )
]
