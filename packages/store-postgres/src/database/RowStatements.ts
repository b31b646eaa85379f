/** The statements on the plain rows of a driver: one per kind, used for every table. */
import type { Condition, Paged, Query, Shape, Table, Value } from "@lazaret/store"
import { Effect, Schema } from "effect"
import type { SqlError, Statement } from "effect/sql"
import * as Parameter from "./Parameter.ts"
import type { PostgresClient } from "./PostgresClient.ts"

type Sql = PostgresClient["Service"]["sql"]

/** The scope of rows: a repository by its number, or null for the whole store. */
export interface Place {
  readonly sql: Sql
  readonly repositoryId: number | null
}

type Rows<A> = Effect.Effect<A, SqlError.SqlError | Schema.SchemaError>

/** The rows of a query. With `isLocked`, locks them until the transaction ends. */
export const select = <Row extends object>(
  place: Place,
  table: Table<Row>,
  query: Query<Row>,
  isLocked = false
): Rows<ReadonlyArray<Row>> =>
  Effect.flatMap(
    place.sql<object>`${selection(place, table, query)} ${isLocked ? place.sql`FOR NO KEY UPDATE` : place.sql``}`,
    table.decode
  )

/** The rows of a query, and how many rows meet its conditions. Without rows the count comes alone. */
export const page = <Row extends object>(place: Place, table: Table<Row>, query: Query<Row>): Rows<Paged<Row>> => {
  const { sql } = place
  return Effect.flatMap(
    sql<Counted>`
      SELECT n.total, r.*
      FROM (SELECT count(*) AS total FROM ${sql.literal(table.name)} t WHERE ${matching(place, table, query.where)}) n
      LEFT JOIN LATERAL (SELECT true AS "isRow", s.* FROM (${selection(place, table, query)}) s) r ON true
      ${ordered(sql, table, query, (field) => `r."${field}"`)}`,
    (found) =>
      Effect.map(table.decode(found.filter(({ isRow }) => isRow)), (rows) => ({ rows, total: found[0]?.total ?? 0 }))
  )
}

interface Counted {
  readonly total: number
  readonly isRow: boolean | null
}

const selection = <Row extends object>(place: Place, table: Table<Row>, query: Query<Row>): Statement.Fragment => {
  const { sql } = place
  const { after, isDescending, limit, order, where } = query
  const conditions = matching(place, table, where)
  return sql`
    SELECT ${sql.literal(selected(table))} FROM ${sql.literal(table.name)} t
    WHERE ${after === undefined ? conditions : sql.and([conditions, beyond(sql, table, order, after, isDescending)])}
    ${ordered(sql, table, query, (field) => `t.${column(table, field)}`)}
    ${limit === undefined ? sql`` : sql`LIMIT ${Parameter.int8(limit)}`}`
}

/** The `ORDER BY` of a query: texts by code points. */
const ordered = <Row extends object>(
  sql: Sql,
  table: Table<Row>,
  { isDescending, order }: Query<Row>,
  columnOf: (field: keyof Row & string) => string
): Statement.Fragment => {
  const direction = isDescending === true ? "DESC" : "ASC"
  const terms = order.map((field) => `${collated(table, field, columnOf(field))} ${direction}`)
  return order.length === 0 ? sql`` : sql`ORDER BY ${sql.literal(terms.join(", "))}`
}

/** The rows of all repositories that meet the conditions, each with the name of its repository. */
export const scan = <Row extends object>(
  sql: Sql,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Effect.Effect<ReadonlyArray<Named<Row>>, SqlError.SqlError | Schema.SchemaError> =>
  sql<NamedRow>`
    SELECT ${sql.literal(selected(table))}, r.owner AS "ref.owner", r.name AS "ref.repository"
    FROM ${sql.literal(table.name)} t
    JOIN repositories r ON r.repository_id = t.repository_id
    WHERE ${sql.and(where.map((condition) => meets(sql, table, condition)))}`.pipe(
    Effect.flatMap((found) =>
      Effect.map(table.decode(found), (rows) =>
        rows.flatMap((row, index): ReadonlyArray<Named<Row>> => {
          const name = found[index]
          return name === undefined
            ? []
            : [{ ref: { owner: name["ref.owner"], repository: name["ref.repository"] }, row }]
        })
      )
    )
  )

/** How many rows meet the conditions. */
export const count = <Row extends object>(
  place: Place,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Rows<number> =>
  Effect.map(
    place.sql<{ readonly count: number }>`
      SELECT count(*) AS count FROM ${place.sql.literal(table.name)} t WHERE ${matching(place, table, where)}`,
    ([row]) => row?.count ?? 0
  )

/** The distinct values of a field in the rows that meet the conditions. */
export const distinct = <Row extends object, Field extends keyof Row & string>(
  place: Place,
  table: Table<Row>,
  field: Field,
  where: ReadonlyArray<Condition<Row>>
): Rows<ReadonlyArray<Row[Field]>> =>
  Effect.map(
    place.sql<{ readonly value: Row[Field] }>`
      SELECT DISTINCT t.${place.sql.literal(column(table, field))} AS value FROM ${place.sql.literal(table.name)} t
      WHERE ${matching(place, table, where)}`,
    (rows) => rows.map(({ value }) => value)
  )

/** Writes rows, each replacing the row with the same key. */
export const put = <Row extends object>(
  { repositoryId, sql }: Place,
  table: Table<Row>,
  given: ReadonlyArray<Row>
): Rows<void> => {
  if (given.length === 0) return Effect.void
  // One statement may not write a row twice.
  const rows = [...new Map(given.map((row) => [JSON.stringify(table.key.map((field) => row[field])), row])).values()]
  const fields = fieldsOf(table)
  const columns = fields.map((field) => column(table, field))
  const owner = repositoryId === null ? [] : ["repository_id"]
  const key = [...owner, ...table.key.map((field) => column(table, field))]
  const changed = columns.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`)
  // A row that is its key has nothing to change.
  const outcome = changed.length === 0 ? "NOTHING" : `UPDATE SET ${changed.join(", ")}`
  return sql`
    INSERT INTO ${sql.literal(table.name)} (${sql.literal([...owner, ...columns].join(", "))})
    SELECT ${repositoryId === null ? sql`` : sql`${repositoryId},`} n.*
    FROM unnest(${sql.csv(fields.map((field) => sql`${parameters(table, field, rows)}`))}) AS n
    ON CONFLICT (${sql.literal(key.join(", "))}) DO ${sql.literal(outcome)}`.pipe(Effect.asVoid)
}

/** Removes the rows that meet the conditions, and yields their number. */
export const remove = <Row extends object>(
  place: Place,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Rows<number> =>
  Effect.map(
    place.sql`DELETE FROM ${place.sql.literal(table.name)} t WHERE ${matching(place, table, where)} RETURNING 1`,
    (rows) => rows.length
  )

/** A row with the repository that it belongs to. */
interface Named<Row> {
  readonly ref: { readonly owner: string; readonly repository: string }
  readonly row: Row
}

interface NamedRow {
  readonly "ref.owner": string
  readonly "ref.repository": string
}

const fieldsOf = <Row extends object>(table: Table<Row>): ReadonlyArray<keyof Row & string> =>
  // The columns are those of the row, by the type of the table.
  Object.keys(table.columns) as Array<keyof Row & string>

/** The columns whose name differs from that of their field. */
const columnNames: { readonly [table: string]: { readonly [field: string]: string } } = {
  repositories: { repository: "name" },
  application_keys: { id: "key_id" },
  sessions: { id: "session_id" },
  assigned_roles: { id: "role_id" },
  origin_pins: { id: "pin_id" },
  audit_entries: { id: "entry_id" },
  pulls: { commit: "commit_sha", id: "pull_id" },
  pull_numbers: { commit: "commit_sha" },
  pull_heads: { commit: "commit_sha" },
  quarantines: { id: "quarantine_id", testId: "name_key", record: "record_no" },
  events: { id: "event_id" },
  subscriptions: { id: "subscription_id" },
  notifiers: { id: "notifier_id" },
  wide_notifiers: { id: "notifier_id" },
  queue_events: { id: "event_id" },
  publications: { commit: "commit_sha" },
  first_verdicts: { commit: "commit_sha" },
  causes: { from: "came_from" },
  test_issues: { writtenAt: "told_at" }
}

const column = ({ name }: { readonly name: string }, field: string): string =>
  columnNames[name]?.[field] ?? field.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

const selected = <Row extends object>(table: Table<Row>): string =>
  fieldsOf(table)
    .map((field) => `t.${column(table, field)} AS "${field}"`)
    .join(", ")

/** A column as it is compared: texts by code points. */
const sorted = <Row extends object>(table: Table<Row>, field: keyof Row & string): string =>
  collated(table, field, `t.${column(table, field)}`)

const collated = <Row extends object>(table: Table<Row>, field: keyof Row & string, name: string): string =>
  table.columns[field] === "text" ? `${name} COLLATE "C"` : name

const matching = <Row extends object>(
  { repositoryId, sql }: Place,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Statement.Fragment =>
  sql.and([
    repositoryId === null ? sql`true` : sql`repository_id = ${repositoryId}`,
    ...where.map((condition) => meets(sql, table, condition))
  ])

const meets = <Row extends object>(sql: Sql, table: Table<Row>, condition: Condition<Row>): Statement.Fragment => {
  const [field, operator] = condition
  const left = sql.literal(sorted(table, field))
  if (condition[1] === "in") return sql`${left} = ANY(${list(table.columns[field], condition[2])})`
  const value = condition[2]
  if (value === null) return operator === "=" ? sql`${left} IS NULL` : sql`false`
  // A text that is not a UUID matches no row.
  if (table.columns[field] === "uuid" && !isUuid(value)) return sql`false`
  return sql`${left} ${sql.literal(operator)} ${single(table.columns[field], value)}`
}

const beyond = <Row extends object>(
  sql: Sql,
  table: Table<Row>,
  order: ReadonlyArray<keyof Row & string>,
  after: ReadonlyArray<string | number>,
  isDescending: boolean | undefined
): Statement.Fragment => {
  const columns = sql.literal(order.map((field) => sorted(table, field)).join(", "))
  const values = order.map((field, index) => sql`${single(table.columns[field], after[index] ?? null)}`)
  return sql`(${columns}) ${sql.literal(isDescending === true ? "<" : ">")} (${sql.csv(values)})`
}

const isUuid = (value: Value): boolean => Schema.is(Schema.String.check(Schema.isUUID()))(value)

type ColumnType = Shape["columns"][string]

const single = (type: ColumnType, value: Value) => {
  switch (type) {
    case "integer":
      return Parameter.int8(value === null ? null : Number(value))
    case "instant":
      return Parameter.instant(value === null ? null : Number(value))
    case "uuid":
      return Parameter.uuid(value === null ? null : String(value))
    case "text":
    case "json":
      return Parameter.text(value === null ? null : String(value))
  }
}

const list = (type: ColumnType, values: ReadonlyArray<string | number>) => {
  switch (type) {
    case "integer":
      return Parameter.int8s(values.map(Number))
    case "instant":
      return Parameter.instants(values.map(Number))
    case "uuid":
      return Parameter.uuids(values.map(String).filter(isUuid))
    case "text":
    case "json":
      return Parameter.texts(values.map(String))
  }
}

/** The values of a field, as an array of the type of its column. */
const parameters = <Row extends object>(table: Table<Row>, field: keyof Row & string, rows: ReadonlyArray<Row>) => {
  const values: ReadonlyArray<unknown> = rows.map((row) => row[field])
  const orNull = <A>(read: (value: unknown) => A) => values.map((value) => (value === null ? null : read(value)))
  switch (table.columns[field]) {
    case "integer":
      return Parameter.int8s(orNull(Number))
    case "instant":
      return Parameter.instants(orNull(Number))
    case "uuid":
      return Parameter.uuids(orNull(String))
    case "text":
      return Parameter.texts(orNull(String))
    case "json":
      return Parameter.jsons(values)
  }
}
