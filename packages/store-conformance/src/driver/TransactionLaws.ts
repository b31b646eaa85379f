/** The law of transactions: atomic, serialised, and reading what they have written. */
import { type Driver, Rows, type Scope, StoreError, type Transaction, type View } from "@lazaret/store"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import type { Case } from "../law/Case.ts"
import { Law, Sample } from "../law/index.ts"
import { type Engine, event, log, make, put, quarantine, reasons, select } from "./DriverCase.ts"

const failure = Effect.fail(new StoreError({ operation: "Law.fail", reason: "failed", cause: "the body gives up" }))

/** Runs a body that fails after its writes, and yields whether the transaction failed. */
const failing = (
  driver: Engine,
  scope: Scope,
  writes: (transaction: Transaction) => Effect.Effect<unknown, StoreError>
) =>
  Effect.map(
    Effect.exit(
      driver.transact("Law.fail", scope, Sample.noon, (transaction) => Effect.andThen(writes(transaction), failure))
    ),
    Exit.isFailure
  )

/** Writes the next number: the count of the rows that are there. */
const countUp = (driver: Engine, ref: Scope) =>
  driver.transact("Law.countUp", ref, Sample.noon, (transaction) =>
    Effect.gen(function* () {
      const count = yield* transaction.count(Rows.quarantines, [])
      yield* Effect.yieldNow
      yield* transaction.put(Rows.quarantines, [quarantine(count)])
    })
  )

/** Reads the number of rows many times, and lets others run in between. */
const countsOf = (view: View) =>
  Effect.forEach(Array.from({ length: 50 }), () => Effect.andThen(Effect.yieldNow, view.count(Rows.quarantines, [])))

const answer = () => Effect.succeed("answer")

/** The cases of transactions. */
export const cases: ReadonlyArray<Case<Driver>> = [
  make("a transaction reads what it has written, removed and logged", (driver, ref) =>
    Effect.gen(function* () {
      const { a } = yield* Sample.ids("a")
      yield* put(driver, ref, Rows.quarantines, [quarantine(1), quarantine(2)])
      const found = yield* driver.transact("Law.own", ref, null, (transaction) =>
        Effect.gen(function* () {
          yield* transaction.put(Rows.quarantines, [quarantine(2, { reason: "changed" }), quarantine(3)])
          yield* transaction.remove(Rows.quarantines, [["record", "=", 1]])
          yield* transaction.log([event(a)])
          const rows = yield* transaction.select(Rows.quarantines, { where: [], order: ["record"] })
          const count = yield* transaction.count(Rows.quarantines, [])
          return [rows.map(({ reason }) => reason), count, yield* transaction.head]
        })
      )
      yield* Law.equal(found, [["changed", quarantine(3).reason], 2, 1])
    })
  ),

  make("a body that fails leaves rows and log as they were", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      yield* put(driver, ref, Rows.quarantines, [quarantine(1), quarantine(2)])
      yield* driver.transact("Law.log", ref, null, (transaction) => transaction.log([event(a)]))
      const failed = yield* failing(driver, ref, (transaction) =>
        Effect.gen(function* () {
          yield* transaction.remove(Rows.quarantines, [["record", "=", 1]])
          yield* transaction.put(Rows.quarantines, [quarantine(2, { reason: "changed" }), quarantine(3)])
          yield* transaction.log([event(b)])
        })
      )
      yield* Law.equal(failed, true, "the transaction failed")
      yield* Law.equal(yield* select(driver, ref, Rows.quarantines), [quarantine(1), quarantine(2)])
      yield* Law.equal(yield* log(driver, ref), [[a, 1]])
    })
  ),

  make("a body that fails creates no repository", (driver, ref) =>
    Effect.gen(function* () {
      yield* failing(driver, ref, (transaction) => transaction.put(Rows.quarantines, [quarantine(1)]))
      yield* Law.equal(yield* driver.version("Law.version", ref), Option.none())
      yield* Law.equal(yield* reasons(driver, ref), [])
    })
  ),

  make("a body that fails leaves the rows of the whole store as they were", (driver) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      yield* put(driver, null, Rows.keys, [Sample.key(a)])
      yield* failing(driver, null, (transaction) =>
        Effect.gen(function* () {
          yield* transaction.remove(Rows.keys, [["id", "=", a]])
          yield* transaction.put(Rows.keys, [Sample.key(b)])
        })
      )
      const found = yield* select(driver, null, Rows.keys, { where: [["id", "in", [a, b]]] })
      yield* Law.equal(found, [Sample.key(a)])
    })
  ),

  make("concurrent transactions of a repository run one after another, also those that create it", (driver, ref) =>
    Effect.gen(function* () {
      const all = Array.from({ length: 12 }, () => countUp(driver, ref))
      yield* Effect.all(all, { concurrency: "unbounded", discard: true })
      const records = (yield* select(driver, ref, Rows.quarantines)).map(({ record }) => record)
      yield* Law.equal(records, Array.from(all.keys()))
    })
  ),

  make("concurrent transactions of the whole store run one after another", (driver) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      yield* put(driver, null, Rows.keys, [Sample.key(a, { createdAt: 0 })])
      const countKey = driver.transact("Law.countUp", null, null, (transaction) =>
        Effect.gen(function* () {
          const [key] = yield* transaction.select(Rows.keys, { where: [["id", "=", a]], order: [] })
          yield* Effect.yieldNow
          yield* transaction.put(Rows.keys, [Sample.key(a, { createdAt: (key?.createdAt ?? 0) + 1 })])
        })
      )
      yield* Effect.all(
        Array.from({ length: 12 }, () => countKey),
        { concurrency: "unbounded", discard: true }
      )
      const [key] = yield* select(driver, null, Rows.keys, { where: [["id", "in", [a, b]]] })
      yield* Law.equal(key?.createdAt, 12)
    })
  ),

  make("a snapshot sees one moment, whatever is written meanwhile", (driver, ref) =>
    Effect.gen(function* () {
      yield* countUp(driver, ref)
      const isOpen = yield* Deferred.make<void>()
      const writer = yield* Effect.forkChild(Effect.andThen(Deferred.await(isOpen), countUp(driver, ref)))
      const counts = yield* driver.snapshot("Law.snapshot", ref, (view) =>
        Effect.gen(function* () {
          const before = yield* view.count(Rows.quarantines, [])
          yield* Deferred.succeed(isOpen, undefined)
          return [before, ...(yield* countsOf(view))]
        })
      )
      yield* Fiber.join(writer)
      yield* Law.equal([...new Set(counts)], [1])
      yield* Law.equal((yield* reasons(driver, ref)).length, 2, "the rows afterwards")
    })
  ),

  make("the answer of a read, a snapshot and a transaction is that of its body", (driver, ref) =>
    Effect.gen(function* () {
      yield* Law.equal(yield* driver.transact("Law.answer", ref, Sample.noon, answer), "answer")
      yield* Law.equal(yield* driver.read("Law.answer", ref, answer), "answer")
      yield* Law.equal(yield* driver.snapshot("Law.answer", ref, answer), "answer")
    })
  )
]
