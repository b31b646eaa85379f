/** The tools of the cases of the driver: rows of tables that have every type of column, and reads of one statement. */
import { type Event, Event as Events, type Repository, TestId } from "@lazaret/domain"
import { type Condition, Driver, type Query, Rows, type Scope, type Table, type View } from "@lazaret/store"
import { Effect } from "effect"
import type { Case } from "../law/Case.ts"
import { Sample } from "../law/index.ts"
import * as Cases from "../law/Case.ts"

/** A driver. */
export type Engine = Driver["Service"]

/** The case of a driver with this body, which gets the name of a new repository. */
export const make = (
  name: string,
  body: (driver: Engine, ref: Repository.RepositoryRef) => Effect.Effect<void, unknown>
): Case<Driver> => ({
  name,
  port: "Driver",
  run: Effect.gen(function* () {
    yield* body(yield* Driver, yield* Cases.repository)
  })
})

/** Writes rows in a transaction of their own, which creates the repository at {@link Sample.noon}. */
export const put = <Row extends object>(driver: Engine, scope: Scope, table: Table<Row>, rows: ReadonlyArray<Row>) =>
  driver.transact("Law.put", scope, Sample.noon, (transaction) => transaction.put(table, rows))

/** One read. */
export const read = <A>(driver: Engine, scope: Scope, ask: (view: View) => Effect.Effect<A, unknown>) =>
  driver.read("Law.read", scope, (view) => Effect.orDie(ask(view)))

/** The rows that a query asks for. */
export const select = <Row extends object>(
  driver: Engine,
  scope: Scope,
  table: Table<Row>,
  query: Partial<Query<Row>> = {}
) => read(driver, scope, (view) => view.select(table, { where: [], order: table.key, ...query }))

/** The reasons of the quarantines that meet conditions, in the order of their records. */
export const reasons = (
  driver: Engine,
  ref: Repository.RepositoryRef,
  ...where: ReadonlyArray<Condition<Rows.QuarantineRow>>
) => Effect.map(select(driver, ref, Rows.quarantines, { where }), (rows) => rows.map(({ reason }) => reason))

/** Texts in the order of their code points, which is not that of any language, nor that of UTF-16. */
export const texts = ["", "A", "Z", "a", "a b", "b", "é", "\u{ff5e}", "\u{1f600}"] as const

/** A quarantine that is the row of this number: it has texts, a UUID, an integer, instants, and fields that are null. */
export const quarantine = (record: number, parts: Partial<Rows.QuarantineRow> = {}): Rows.QuarantineRow => ({
  ...Sample.quarantine(`q${record}`),
  record,
  testId: TestId.of(`test ${record}`),
  ...parts
})

/** A delivery that was given up: its key has two fields, and it holds JSON. */
export const deadLetter = (
  subscriptionId: string,
  eventId: string,
  parts: Partial<Rows.DeadLetterRow> = {}
): Rows.DeadLetterRow => ({
  subscriptionId,
  eventId,
  at: Sample.noon,
  attempts: 3,
  error: "HTTP 500",
  event: event(eventId),
  ...parts
})

/** An event with this id, a UUID. */
export const event = (id: string): Event.Event => ({
  ...Events.paused({ reason: `pause \u{1f600} "quoted" ${id}`, pauseDate: Sample.noon }, Sample.noon, "key 1"),
  id
})

/** The ids and positions of the log of a repository, in its order. */
export const log = (driver: Engine, ref: Repository.RepositoryRef) =>
  Effect.map(select(driver, ref, Rows.events, { order: ["position"] }), (rows) =>
    rows.map(({ id, position }) => [id, position] as const)
  )
