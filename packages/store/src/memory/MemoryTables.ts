/** The plain rows of one repository, or of the whole store, in memory. */
import { type Event, Text } from "@lazaret/domain"
import { Effect, Semaphore } from "effect"
import type { Transaction } from "../Driver.ts"
import { events } from "../Rows.ts"
import type { Condition, Query, Shape, Table, Value } from "../driver/Table.ts"
import { StoreError } from "../StoreError.ts"

/** The rows of each table by their key, the position of the newest event, and the lock of all of it. */
export interface MemoryTables {
  readonly rows: Map<string, Map<string, object>>
  readonly lock: Semaphore.Semaphore
  head: number
}

/** The steps that take back the writes of a transaction, the latest last. */
type Undo = Array<() => void>

/** Tables without rows. */
export const make = (): MemoryTables => ({ rows: new Map(), lock: Semaphore.makeUnsafe(1), head: 0 })

/** Runs a body while nobody else reads or writes the tables; what it has written is taken back when it fails. */
export const transact = <A, E>(
  tables: MemoryTables,
  operation: string,
  body: (transaction: Transaction) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  tables.lock.withPermit(
    Effect.suspend(() => {
      const undo: Undo = []
      return Effect.onError(body(transaction(tables, operation, undo)), () =>
        Effect.sync(() => undo.toReversed().forEach((step) => step()))
      )
    })
  )

const transaction = (tables: MemoryTables, operation: string, undo: Undo): Transaction => ({
  select: (table, query) => Effect.sync(() => select(tables, table, query)),
  page: (table, query) =>
    Effect.sync(() => ({ rows: select(tables, table, query), total: matching(tables, table, query.where).length })),
  count: (table, where) => Effect.sync(() => matching(tables, table, where).length),
  distinct: (table, field, where) =>
    Effect.sync(() => [...new Set(matching(tables, table, where).map((row) => row[field]))]),
  head: Effect.sync(() => tables.head),
  put: (table, rows) =>
    Effect.suspend(() => {
      put(tables, table, rows, undo)
      return hasTwice(tables, table) ? refused(operation, table) : Effect.void
    }),
  remove: (table, where) => Effect.sync(() => remove(tables, table, where, undo)),
  log: (happened) => Effect.sync(() => log(tables, happened, undo))
})

const refused = (operation: string, { name, unique }: Shape): Effect.Effect<never, StoreError> => {
  const cause = new Error(`two rows of "${name}" would have the same "${unique}"`)
  return Effect.fail(new StoreError({ operation, reason: "failed", cause }))
}

/** Whether two rows of a table share a value of its unique field. */
const hasTwice = ({ rows }: MemoryTables, { name, unique }: Shape): boolean => {
  if (unique === undefined) return false
  const values = Array.from(rows.get(name)?.values() ?? [], (row) => valueOf(row, unique)).filter(
    (value) => value !== null
  )
  return new Set(values).size < values.length
}

/** Writes rows, each in the place of the row with its key. */
export const put = <Row extends object>(
  tables: MemoryTables,
  table: Table<Row>,
  rows: ReadonlyArray<Row>,
  undo: Undo = []
): void => {
  for (const row of rows) write(tables, table, keyOf(table, row), row, undo)
}

/** Removes the rows that meet the conditions, and yields how many. */
export const remove = <Row extends object>(
  tables: MemoryTables,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>,
  undo: Undo = []
): number => {
  const found = matching(tables, table, where)
  for (const row of found) write(tables, table, keyOf(table, row), undefined, undo)
  return found.length
}

/** Appends the events whose id is not in the log, and yields how many. */
const log = (tables: MemoryTables, happened: ReadonlyArray<Event.Event>, undo: Undo = []): number => {
  const before = tables.head
  undo.push(() => void (tables.head = before))
  for (const event of happened) {
    if (tables.rows.get(events.name)?.has(keyOf(events, event)) === true) continue
    tables.head += 1
    const { at, id, type } = event
    put(tables, events, [{ id, position: tables.head, type, at, event }], undo)
  }
  return tables.head - before
}

/** The rows that a query asks for. */
export const select = <Row extends object>(
  tables: MemoryTables,
  table: Table<Row>,
  { after, isDescending, limit, order, where }: Query<Row>
): ReadonlyArray<Row> => {
  const sign = isDescending === true ? -1 : 1
  const found = matching(tables, table, where)
  const beyond =
    after === undefined
      ? found
      : found.filter(
          (row) =>
            sign *
              compareAll(
                order.map((field) => valueOf(row, field)),
                after
              ) >
            0
        )
  return beyond
    .toSorted(
      (a, b) =>
        sign *
        compareAll(
          order.map((field) => valueOf(a, field)),
          order.map((field) => valueOf(b, field))
        )
    )
    .slice(0, limit)
}

const matching = <Row extends object>(
  { rows }: MemoryTables,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): ReadonlyArray<Row> => {
  // A table holds rows of its own type only: `put` is the one way in.
  const all = rows.get(table.name) as Map<string, Row> | undefined
  if (all === undefined) return []
  return [...candidates(all, table, where)].filter((row) => where.every((condition) => meets(row, condition)))
}

/** The rows by key where a condition names them, else all. */
const candidates = <Row extends object>(
  all: Map<string, Row>,
  { key }: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Iterable<Row> => {
  const named = key.length === 1 ? where.find(([field, operator]) => field === key[0] && operator === "in") : undefined
  if (named?.[1] !== "in") return all.values()
  return named[2].flatMap((value) => all.get(JSON.stringify([value])) ?? [])
}

const meets = <Row extends object>(row: Row, condition: Condition<Row>): boolean => {
  const value = valueOf(row, condition[0])
  if (condition[1] === "in") return value !== null && condition[2].includes(value)
  const [, operator, other] = condition
  if (operator === "=") return value === other
  if (value === null || other === null) return false
  const order = compare(value, other)
  switch (operator) {
    case "<":
      return order < 0
    case "<=":
      return order <= 0
    case ">":
      return order > 0
    case ">=":
      return order >= 0
  }
}

const write = ({ rows }: MemoryTables, { name }: Shape, key: string, row: object | undefined, undo: Undo): void => {
  const all = rows.get(name) ?? new Map<string, object>()
  rows.set(name, all)
  const before = all.get(key)
  undo.push(() => set(all, key, before))
  set(all, key, row)
}

const set = (all: Map<string, object>, key: string, row: object | undefined): void => {
  if (row === undefined) all.delete(key)
  else all.set(key, row)
}

const keyOf = (table: Shape, row: object): string => JSON.stringify(table.key.map((field) => valueOf(row, field)))

/** The value of a field that rows are compared by: those of JSON fields are never asked for. */
const valueOf = (row: object, field: string): Value => {
  const value: unknown = Reflect.get(row, field)
  return typeof value === "string" || typeof value === "number" ? value : null
}

const compareAll = (a: ReadonlyArray<Value>, b: ReadonlyArray<Value>): number => {
  for (const [index, value] of a.entries()) {
    const order = compare(value, b[index] ?? null)
    if (order !== 0) return order
  }
  return 0
}

const compare = (a: Value, b: Value): number => {
  if (typeof a === "string" && typeof b === "string") return Text.compare(a, b)
  return Number(a) - Number(b)
}
