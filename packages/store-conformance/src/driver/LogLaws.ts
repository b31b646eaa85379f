/** The law of the log of events: positions grow, are never used twice, and become readable in their order. */
import { type Driver, Rows } from "@lazaret/store"
import type { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Case } from "../law/Case.ts"
import { Law, Sample } from "../law/index.ts"
import { type Engine, event, log, make, read } from "./DriverCase.ts"

const append = (driver: Engine, ref: Repository.RepositoryRef, ids: ReadonlyArray<string>) =>
  driver.transact("Law.log", ref, Sample.noon, (transaction) => transaction.log(ids.map(event)))

const headOf = (driver: Engine, ref: Repository.RepositoryRef) => read(driver, ref, (view) => view.head)

/** The cases of the log. */
export const cases: ReadonlyArray<Case<Driver>> = [
  make("events get the next positions in the order given, and come back as they were logged", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* Law.equal(yield* append(driver, ref, [c, a]), 2)
      yield* Law.equal(yield* append(driver, ref, [b]), 1)
      yield* Law.equal(yield* log(driver, ref), [
        [c, 1],
        [a, 2],
        [b, 3]
      ])
      const rows = yield* read(driver, ref, (view) => view.select(Rows.events, { where: [["id", "=", a]], order: [] }))
      const { at, type } = event(a)
      yield* Law.equal(rows, [{ id: a, position: 2, at, type, event: event(a) }])
    })
  ),

  make("an event whose id is in the log is left out, and not counted", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b } = yield* Sample.ids("a", "b")
      yield* append(driver, ref, [a])
      yield* Law.equal(yield* append(driver, ref, [a, b, b]), 1)
      yield* Law.equal(yield* append(driver, ref, [b, a]), 0)
      yield* Law.equal(yield* append(driver, ref, []), 0)
      yield* Law.equal(yield* log(driver, ref), [
        [a, 1],
        [b, 2]
      ])
    })
  ),

  make("the head is the position of the newest event ever logged, and no position is used twice", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* Law.equal(yield* headOf(driver, ref), 0)
      yield* append(driver, ref, [a, b])
      yield* Law.equal(yield* headOf(driver, ref), 2)
      yield* driver.transact("Law.remove", ref, null, (transaction) => transaction.remove(Rows.events, []))
      yield* Law.equal(yield* headOf(driver, ref), 2, "the head after the events were removed")
      yield* append(driver, ref, [c])
      yield* Law.equal(yield* log(driver, ref), [[c, 3]])
    })
  ),

  make("each repository has a log of its own, in which any id may be", (driver, ref) =>
    Effect.gen(function* () {
      const { a } = yield* Sample.ids("a")
      const other = { ...ref, repository: `${ref.repository}-2` }
      yield* append(driver, ref, [a])
      yield* Law.equal(yield* append(driver, other, [a]), 1)
      yield* Law.equal([yield* log(driver, ref), yield* log(driver, other)], [[[a, 1]], [[a, 1]]])
    })
  ),

  make("an event becomes readable after every event with a lower position", (driver, ref) =>
    Effect.gen(function* () {
      const names = Array.from({ length: 16 }, (_, index) => `e${index}`)
      const ids = Object.values(yield* Sample.ids(...names))
      let isDone = false
      const watch = Effect.gen(function* () {
        for (;;) {
          const isLast = isDone
          const positions = (yield* log(driver, ref)).map(([, position]) => position)
          yield* Law.equal(
            positions,
            Array.from(positions, (_, index) => index + 1),
            "the positions that are readable"
          )
          if (isLast) return positions.length
          yield* Effect.yieldNow
        }
      })
      const write = Effect.forEach(ids, (id) => append(driver, ref, [id]), { concurrency: 4, discard: true })
      const ended = Effect.ensuring(
        write,
        Effect.sync(() => (isDone = true))
      )
      const [count] = yield* Effect.all([watch, ended], { concurrency: 2 })
      yield* Law.equal(count, ids.length)
    })
  )
]
