/** The plain rows of every repository in SQLite: one statement of each kind, made from the shape of a table. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite"
import { type Event, Repository } from "@lazaret/domain"
import {
  absent,
  type Condition,
  type Query,
  type RowDriver,
  Rows,
  type Shape,
  StoreError,
  type Table,
  type Transaction
} from "@lazaret/store/driver"
import { Effect, Exit, Semaphore } from "effect"

const types = { text: "TEXT", uuid: "TEXT", integer: "INTEGER", instant: "INTEGER", json: "TEXT" } as const

/** Every row says whose it is: the key of its repository, '' for rows of the whole store. */
export const createTables = (database: DatabaseSync): void => {
  for (const { columns, key, name, unique } of Rows.all) {
    const fields = Object.entries(columns).map(([field, type]) => `"${field}" ${types[type]}`)
    const keys = ["place", ...key].map((field) => `"${field}"`).join(", ")
    const also = unique === undefined ? "" : `, UNIQUE ("${unique}")`
    database.exec(
      `CREATE TABLE IF NOT EXISTS "${name}" (place TEXT, ${fields.join(", ")}, PRIMARY KEY (${keys})${also})`
    )
  }
  database.exec("CREATE TABLE IF NOT EXISTS heads (place TEXT PRIMARY KEY, position INTEGER NOT NULL)")
}

/** The rows in a database. One operation runs at a time: SQLite has one writer, and this connection is it. */
export const make = (database: DatabaseSync): RowDriver => {
  const { withPermit } = Semaphore.makeUnsafe(1)

  /** One transaction: committed when the body succeeds, rolled back when it fails or is interrupted. */
  const atomically = <A>(operation: string, body: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
    withPermit(
      Effect.acquireUseRelease(
        attempt(operation, () => database.exec("BEGIN IMMEDIATE")),
        () => body,
        (_, exit) => attempt(operation, () => database.exec(Exit.isSuccess(exit) ? "COMMIT" : "ROLLBACK"))
      )
    )

  const read: RowDriver["read"] = (operation, scope, body) =>
    atomically(operation, body(transactionOf(database, operation, keyOf(scope))))

  const ensure = ({ owner, repository }: Repository.RepositoryRef, createdAt: number): void =>
    void database
      .prepare(`INSERT OR IGNORE INTO repositories VALUES ('', ?, ?, ?, ?, ?)`)
      .run(keyOf({ owner, repository }), owner, repository, createdAt, JSON.stringify(Repository.defaultSettings))

  const exists = (ref: Repository.RepositoryRef): boolean =>
    database.prepare("SELECT 1 FROM repositories WHERE key = ?").get(keyOf(ref)) !== undefined

  return {
    read,
    snapshot: read,
    transact: (operation, scope, at, body) =>
      atomically(
        operation,
        Effect.suspend(() => {
          if (scope !== null && at !== null) ensure(scope, at)
          if (scope !== null && !exists(scope)) return body(absent)
          return body(transactionOf(database, operation, keyOf(scope)))
        })
      ),
    erase: (operation, ref, also) =>
      atomically(
        operation,
        Effect.gen(function* () {
          const key = keyOf(ref)
          const { changes } = database.prepare("DELETE FROM repositories WHERE key = ?").run(key)
          if (changes === 0) return false
          for (const { name } of Rows.all) database.prepare(`DELETE FROM "${name}" WHERE place = ?`).run(key)
          database.prepare("DELETE FROM heads WHERE place = ?").run(key)
          yield* also
          return true
        })
      ),
    scan: (operation, table, where) =>
      withPermit(
        Effect.gen(function* () {
          const refs = yield* select(database, operation, "", Rows.repositories, { where: [], order: [] })
          return yield* Effect.flatMap(
            Effect.forEach(refs, (ref) =>
              Effect.map(select(database, operation, ref.key, table, { where, order: [] }), (rows) =>
                rows.map((row) => ({ ref, row }))
              )
            ),
            (found) => Effect.succeed(found.flat())
          )
        })
      ),
    setSettings: (ref, settings) =>
      Effect.gen(function* () {
        const where = [["key", "=", keyOf(ref)]] as const
        const [row] = yield* select(database, "RepositoryStore.set", "", Rows.repositories, { where, order: [] })
        if (row === undefined) return yield* Effect.die(new Error("the repository is gone"))
        put(database, "", Rows.repositories, [{ ...row, settings }])
        return { owner: row.owner, repository: row.repository, createdAt: row.createdAt, settings }
      })
  }
}

/** A port has one error; what SQLite throws becomes that one. */
export const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, StoreError> =>
  Effect.try({ try: body, catch: (cause) => new StoreError({ operation, reason: "failed", cause }) })

const keyOf = (ref: Repository.RepositoryRef | null): string => (ref === null ? "" : Repository.key(ref))

const transactionOf = (database: DatabaseSync, operation: string, scope: string): Transaction => ({
  select: (table, query) => select(database, operation, scope, table, query),
  page: (table, query) =>
    Effect.all({
      rows: select(database, operation, scope, table, query),
      total: count(database, operation, scope, table, query.where)
    }),
  count: (table, where) => count(database, operation, scope, table, where),
  distinct: (table, field, where) =>
    Effect.map(select(database, operation, scope, table, { where, order: [] }), (rows) => [
      ...new Set(rows.map((row) => row[field]))
    ]),
  head: attempt(operation, () => headOf(database, scope)),
  put: (table, rows) => attempt(operation, () => put(database, scope, table, rows)),
  remove: (table, where) =>
    attempt(operation, () => {
      const { parameters, text } = conditions(scope, where)
      return Number(database.prepare(`DELETE FROM "${table.name}" WHERE ${text}`).run(...parameters).changes)
    }),
  log: (events) => attempt(operation, () => log(database, scope, events))
})

const count = <Row extends object>(
  database: DatabaseSync,
  operation: string,
  scope: string,
  table: Table<Row>,
  where: ReadonlyArray<Condition<Row>>
): Effect.Effect<number, StoreError> =>
  attempt(operation, () => {
    const { parameters, text } = conditions(scope, where)
    return Number(database.prepare(`SELECT count(*) AS n FROM "${table.name}" WHERE ${text}`).get(...parameters)?.["n"])
  })

const select = <Row extends object>(
  database: DatabaseSync,
  operation: string,
  scope: string,
  table: Table<Row>,
  { after, isDescending, limit, order, where }: Query<Row>
): Effect.Effect<ReadonlyArray<Row>, StoreError> => {
  const [direction, beyond] = isDescending === true ? ["DESC", "<"] : ["ASC", ">"]
  const fields = order.map((field) => `"${field}"`)
  const { parameters, text } = conditions(scope, where)
  const position =
    after === undefined ? "" : `AND (${fields.join(", ")}) ${beyond} (${after.map(() => "?").join(", ")})`
  const sorted = order.length === 0 ? "" : `ORDER BY ${fields.map((field) => `${field} ${direction}`).join(", ")}`
  const sql = `SELECT * FROM "${table.name}" WHERE ${text} ${position} ${sorted} LIMIT ?`
  return attempt(operation, () => database.prepare(sql).all(...parameters, ...(after ?? []), limit ?? -1)).pipe(
    Effect.map((rows) => rows.map((row) => parsed(table, row))),
    Effect.flatMap(table.decode),
    Effect.mapError((cause) =>
      cause._tag === "StoreError" ? cause : new StoreError({ operation, reason: "failed", cause })
    )
  )
}

/** A row with its JSON read. */
const parsed = ({ columns }: Shape, row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(columns).map(([field, type]) => {
      const value = row[field]
      return [field, type === "json" && typeof value === "string" ? JSON.parse(value) : value]
    })
  )

const put = (
  database: DatabaseSync,
  scope: string,
  { columns, key, name }: Shape,
  rows: ReadonlyArray<object>
): void => {
  const fields = Object.entries(columns)
  const places = fields.map(() => "?").join(", ")
  const keys = ["place", ...key].map((field) => `"${field}"`).join(", ")
  const changed = fields.map(([field]) => `"${field}" = excluded."${field}"`).join(", ")
  const statement = database.prepare(
    `INSERT INTO "${name}" VALUES (?, ${places}) ON CONFLICT (${keys}) DO UPDATE SET ${changed}`
  )
  for (const row of rows) {
    const values = fields.map(([field, type]) => valueOf(Reflect.get(row, field), type))
    statement.run(scope, ...values)
  }
}

const valueOf = (value: unknown, type: string): SQLInputValue => {
  if (type === "json") return JSON.stringify(value)
  return typeof value === "number" || typeof value === "string" ? value : null
}

const headOf = (database: DatabaseSync, scope: string): number =>
  Number(database.prepare("SELECT position FROM heads WHERE place = ?").get(scope)?.["position"] ?? 0)

const log = (database: DatabaseSync, scope: string, events: ReadonlyArray<Event.Event>): number => {
  const known = database.prepare("SELECT 1 FROM events WHERE place = ? AND id = ?")
  let position = headOf(database, scope)
  let appended = 0
  for (const event of events) {
    if (known.get(scope, event.id) !== undefined) continue
    position += 1
    appended += 1
    put(database, scope, Rows.events, [{ id: event.id, position, type: event.type, at: event.at, event }])
  }
  database.prepare("INSERT OR REPLACE INTO heads VALUES (?, ?)").run(scope, position)
  return appended
}

interface Where {
  readonly text: string
  readonly parameters: ReadonlyArray<SQLInputValue>
}

const conditions = <Row extends object>(scope: string, where: ReadonlyArray<Condition<Row>>): Where => {
  const parts: ReadonlyArray<Where> = where.map((condition) => {
    const field = `"${condition[0]}"`
    if (condition[1] === "in") {
      return { text: `${field} IN (SELECT value FROM json_each(?))`, parameters: [JSON.stringify(condition[2])] }
    }
    return { text: `${field} ${condition[1] === "=" ? "IS" : condition[1]} ?`, parameters: [condition[2]] }
  })
  return {
    text: ["place = ?", ...parts.map(({ text }) => text)].join(" AND "),
    parameters: [scope, ...parts.flatMap(({ parameters }) => parameters)]
  }
}
