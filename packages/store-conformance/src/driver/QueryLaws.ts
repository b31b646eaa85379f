/** The law of queries: what each operator finds, and the order and the pages of the rows. */
import { type Driver, Rows, type Scope } from "@lazaret/store"
import { TestId } from "@lazaret/domain"
import { Effect } from "effect"
import type { Case } from "../law/Case.ts"
import { Law, Sample } from "../law/index.ts"
import { deadLetter, type Engine, make, put, quarantine, read, reasons, select, texts } from "./DriverCase.ts"

/** Quarantines whose reason is their branch, with each of the texts, and one without a branch. */
const worded = (driver: Engine, ref: Scope) =>
  put(driver, ref, Rows.quarantines, [
    ...texts.map((text, record) => quarantine(record, { reason: text, branch: text })),
    quarantine(99, { reason: "no branch", branch: null })
  ])

/** Quarantines of the instants 10, 20 and 30 that end at the same instants, and one that has no end. */
const timed = (driver: Engine, ref: Scope) =>
  put(driver, ref, Rows.quarantines, [
    ...[10, 20, 30].map((at) => quarantine(at, { reason: `${at}`, createdAt: at, expiresAt: at })),
    quarantine(99, { reason: "no end", createdAt: 99, expiresAt: null })
  ])

const comparisons = [
  ["<", ["10"]],
  ["<=", ["10", "20"]],
  [">", ["30"]],
  [">=", ["20", "30"]],
  ["=", ["20"]]
] as const

const ofTexts = [
  ["<", ["", "A", "Z", "a"]],
  ["<=", ["", "A", "Z", "a", "a b"]],
  [">", ["b", "é", "\u{ff5e}", "\u{1f600}"]],
  [">=", ["a b", "b", "é", "\u{ff5e}", "\u{1f600}"]],
  ["=", ["a b"]]
] as const

/** The cases of conditions and order. */
export const cases: ReadonlyArray<Case<Driver>> = [
  ...comparisons.map(([operator, found]) =>
    make(`"${operator}" compares instants, and finds no row whose instant is null`, (driver, ref) =>
      Effect.gen(function* () {
        yield* timed(driver, ref)
        yield* Law.equal(yield* reasons(driver, ref, ["expiresAt", operator, 20]), [...found])
      })
    )
  ),

  ...comparisons.map(([operator, found]) =>
    make(`"${operator}" compares integers`, (driver, ref) =>
      Effect.gen(function* () {
        yield* timed(driver, ref)
        const records = yield* reasons(driver, ref, ["record", operator, 20], ["record", "<", 99])
        yield* Law.equal(records, [...found])
      })
    )
  ),

  ...ofTexts.map(([operator, found]) =>
    make(`"${operator}" compares texts by code points, and finds no row whose text is null`, (driver, ref) =>
      Effect.gen(function* () {
        yield* worded(driver, ref)
        yield* Law.equal(yield* reasons(driver, ref, ["branch", operator, "a b"]), [...found])
      })
    )
  ),

  make('"=" finds null where null is asked for, and nothing else', (driver, ref) =>
    Effect.gen(function* () {
      yield* worded(driver, ref)
      yield* timed(driver, { ...ref, repository: `${ref.repository}-2` })
      yield* Law.equal(yield* reasons(driver, ref, ["branch", "=", null]), ["no branch"])
      yield* Law.equal(yield* reasons(driver, ref, ["branch", "=", ""]), [""])
      const other = { ...ref, repository: `${ref.repository}-2` }
      yield* Law.equal(yield* reasons(driver, other, ["expiresAt", "=", null]), ["no end"])
    })
  ),

  make("no comparison but = finds a row by null", (driver, ref) =>
    Effect.gen(function* () {
      yield* timed(driver, ref)
      for (const operator of ["<", "<=", ">", ">="] as const)
        yield* Law.equal(yield* reasons(driver, ref, ["expiresAt", operator, null]), [], operator)
    })
  ),

  make('"in" finds each of the values, no null, and nothing in an empty list', (driver, ref) =>
    Effect.gen(function* () {
      yield* worded(driver, ref)
      yield* Law.equal(yield* reasons(driver, ref, ["branch", "in", ["é", "", "unknown", "é"]]), ["", "é"])
      yield* Law.equal(yield* reasons(driver, ref, ["branch", "in", []]), [])
      yield* Law.equal(yield* reasons(driver, ref, ["record", "in", [99, 1, 500]]), ["A", "no branch"])
    })
  ),

  make("a UUID is found by its text, and a text that is not a UUID finds no row", (driver, ref) =>
    Effect.gen(function* () {
      yield* timed(driver, ref)
      const [a, b] = [TestId.of("test 10"), TestId.of("test 30")]
      yield* Law.equal(yield* reasons(driver, ref, ["testId", "=", a]), ["10"])
      yield* Law.equal(yield* reasons(driver, ref, ["testId", "in", [b, "no UUID", a]]), ["10", "30"])
      yield* Law.equal(yield* reasons(driver, ref, ["testId", "=", "no UUID"]), [])
      yield* Law.equal(yield* reasons(driver, ref, ["testId", "in", ["no UUID"]]), [])
    })
  ),

  make("a row meets all of the conditions of a query", (driver, ref) =>
    Effect.gen(function* () {
      yield* timed(driver, ref)
      const range = [
        ["createdAt", ">", 10],
        ["createdAt", "<=", 30],
        ["expiresAt", "=", 30]
      ] as const
      yield* Law.equal(yield* reasons(driver, ref, ...range), ["30"])
      const removed = driver.transact("Law.remove", ref, null, (each) => each.remove(Rows.quarantines, range))
      yield* Law.equal(yield* removed, 1)
      yield* Law.equal(yield* reasons(driver, ref, ["createdAt", ">", 10]), ["20", "no end"])
    })
  ),

  make("rows are in the order of the fields, each of which breaks ties of those before it", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, crossed)
      const ascending = yield* select(driver, ref, Rows.quarantines, { order: ["createdAt", "reason"] })
      yield* Law.equal(ascending.map(placeOf), places)
      const descending = { order: ["createdAt", "reason"], isDescending: true } as const
      const turned = yield* select(driver, ref, Rows.quarantines, descending)
      yield* Law.equal(turned.map(placeOf), places.toReversed())
    })
  ),

  make("a limit cuts the rows after they are ordered, and a limit of 0 yields none", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, crossed)
      const first = (limit: number) =>
        Effect.map(select(driver, ref, Rows.quarantines, { order: ["createdAt", "reason"], limit }), (rows) =>
          rows.map(placeOf)
        )
      yield* Law.equal(yield* first(4), places.slice(0, 4))
      yield* Law.equal(yield* first(0), [])
      yield* Law.equal(yield* first(1000), places)
    })
  ),

  make("pages after a position join up to the whole list, whatever their size and direction", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, crossed)
      for (const isDescending of [false, true]) {
        for (const limit of [1, 2, 5, 7, 100]) {
          const found = yield* pages(driver, ref, isDescending, limit)
          const whole = isDescending ? places.toReversed() : places
          yield* Law.equal(found, whole, `pages of ${limit}, ${isDescending ? "descending" : "ascending"}`)
        }
      }
    })
  ),

  make("rows continue after a position that no row has", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, crossed)
      const after = (position: readonly [number, string], isDescending: boolean) =>
        Effect.map(
          select(driver, ref, Rows.quarantines, { order: ["createdAt", "reason"], after: position, isDescending }),
          (rows) => rows.length
        )
      // The four texts after "aa", and all of the last instant.
      yield* Law.equal(yield* after([2, "aa"], false), 4 + texts.length)
      yield* Law.equal(yield* after([0, ""], false), places.length)
      yield* Law.equal(yield* after([0, ""], true), 0)
    })
  ),

  make("a page counts all rows that meet its conditions, also where it has no row", (driver, ref) =>
    Effect.gen(function* () {
      yield* put(driver, ref, Rows.quarantines, crossed)
      const page = (limit: number, after?: readonly [number, string]) =>
        read(driver, ref, (view) =>
          view.page(Rows.quarantines, {
            where: [["createdAt", "<=", 2]],
            order: ["createdAt", "reason"],
            limit,
            ...(after && { after })
          })
        )
      const total = 2 * texts.length
      const first = yield* page(3)
      yield* Law.equal([first.rows.map(placeOf), first.total], [places.slice(0, 3), total])
      const last = yield* page(3, [2, "\u{1f600}"])
      yield* Law.equal([last.rows, last.total], [[], total])
      const none = yield* read(driver, ref, (view) =>
        view.page(Rows.quarantines, { where: [["createdAt", ">", 3]], order: ["createdAt"], limit: 3 })
      )
      yield* Law.equal([none.rows, none.total], [[], 0])
    })
  ),

  make("rows are ordered and continued by UUIDs, too", (driver, ref) =>
    Effect.gen(function* () {
      const { a, b, c } = yield* Sample.ids("a", "b", "c")
      yield* put(driver, ref, Rows.deadLetters, [deadLetter("s", c), deadLetter("s", a), deadLetter("s", b)])
      const ids = (after?: string) =>
        Effect.map(
          select(driver, ref, Rows.deadLetters, { order: ["eventId"], ...(after !== undefined && { after: [after] }) }),
          (rows) => rows.map(({ eventId }) => eventId)
        )
      yield* Law.equal(yield* ids(), [a, b, c])
      yield* Law.equal(yield* ids(a), [b, c])
    })
  )
]

/** Rows of three instants with every text, written in another order than any that is asked for. */
const crossed = texts
  .toReversed()
  .flatMap((text, index) => [2, 3, 1].map((at) => quarantine(10 * index + at, { createdAt: at, reason: text })))

const places = [1, 2, 3].flatMap((at) => texts.map((text) => [at, text] as const))

const placeOf = ({ createdAt, reason }: Rows.QuarantineRow) => [createdAt, reason] as const

/** All rows, read in pages of this size, each after the last row of the one before. */
const pages = Effect.fnUntraced(function* (driver: Engine, ref: Scope, isDescending: boolean, limit: number) {
  const found: Array<readonly [number, string]> = []
  for (;;) {
    const after = found.at(-1)
    const page = yield* select(driver, ref, Rows.quarantines, {
      order: ["createdAt", "reason"],
      isDescending,
      limit,
      ...(after && { after })
    })
    found.push(...page.map(placeOf))
    if (page.length < limit || found.length > places.length) return found
  }
})
