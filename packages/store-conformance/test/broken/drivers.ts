/** Drivers that each break a promise, with the laws of the driver that they must turn red. */
import { Repository } from "@lazaret/domain"
import { Rows, type Query, type Scope, type Table, type Transaction, type View } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as TableLaws from "../../src/driver/TableLaws.ts"
import { type Engine, unserialised, withScopes, withTransactions, withViews } from "./Broken.ts"

/** A fault: how it changes a driver, and the laws that it breaks. */
export interface BrokenDriver {
  readonly fault: string
  readonly laws: ReadonlyArray<string>
  readonly change: (driver: Engine) => Engine
}

type Rewritten = <Row extends object>(query: Query<Row>, table: Table<Row>) => Query<Row>

/** Changes what is read, in transactions and outside of them. */
const withReads = (driver: Engine, change: (view: View) => Partial<View>): Engine =>
  withViews(withTransactions(driver, change), change)

/** Asks for other rows than those of the query. */
const withQueries = (driver: Engine, change: Rewritten): Engine =>
  withReads(driver, ({ page, select }) => ({
    select: (table, query) => select(table, change(query, table)),
    page: (table, query) => page(table, change(query, table))
  }))

/** Compares by other operators. */
const withOperators = (driver: Engine, others: Readonly<Record<string, "=" | "<" | "<=" | ">" | ">=">>): Engine =>
  withQueries(driver, (query) => ({
    ...query,
    where: query.where.map((one) =>
      one[1] === "in" || one[2] === null ? one : [one[0], others[one[1]] ?? one[1], one[2]]
    )
  }))

/** Yields other rows than those that were found. */
const withRows = (driver: Engine, change: (row: object) => object): Engine =>
  withReads(driver, ({ select }) => ({
    select: (table, query) =>
      // The rows keep their type in all but the fault.
      Effect.map(select(table, query), (rows) => rows.map((row) => change(row) as typeof row))
  }))

/** Takes tables for other ones when it writes. */
const withTables = (driver: Engine, change: <Row extends object>(table: Table<Row>) => Table<Row>): Engine =>
  withTransactions(driver, ({ put }) => ({ put: (table, rows) => put(change(table), rows) }))

/** The operations of a transaction, each in a transaction of its own. */
const apart = (driver: Engine, operation: string, scope: Scope, at: number | null): Transaction => ({
  ...reading(driver, operation, scope),
  put: (...what) => driver.transact(operation, scope, at, (each) => each.put(...what)),
  remove: (...what) => driver.transact(operation, scope, at, (each) => each.remove(...what)),
  log: (events) => driver.transact(operation, scope, at, (each) => each.log(events))
})

const reading = (driver: Engine, operation: string, scope: Scope): View => ({
  select: (...what) => driver.read(operation, scope, (view) => view.select(...what)),
  page: (...what) => driver.read(operation, scope, (view) => view.page(...what)),
  count: (...what) => driver.read(operation, scope, (view) => view.count(...what)),
  distinct: (...what) => driver.read(operation, scope, (view) => view.distinct(...what)),
  head: driver.read(operation, scope, (view) => view.head)
})

const keyOf = <Row extends object>(table: Table<Row>, row: Row): string =>
  JSON.stringify(table.key.map((field) => row[field]))

const isNull = (value: unknown): boolean => value === null

const kinds = ["compares integers", "compares instants, and finds no row whose instant is null"] as const
const texts = "compares texts by code points, and finds no row whose text is null"
const every = [...kinds, texts] as const

/** Drivers that break what is promised of rows. */
const ofRows: ReadonlyArray<BrokenDriver> = [
  {
    fault: "keeps an empty text in place of null",
    laws: ["a row comes back as it was written: texts, UUIDs, integers, instants, and what is null"],
    change: (driver) =>
      withRows(driver, (row) =>
        Object.fromEntries(Object.entries(row).map(([field, value]) => [field, isNull(value) ? "" : value]))
      )
  },
  {
    fault: "loses the last field of every table",
    laws: TableLaws.cases.map(({ name }) => name),
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        select: (table, query) =>
          Effect.map(select(table, query), (rows) =>
            rows.map((row) => ({ ...row, [Object.keys(table.columns).at(-1) ?? ""]: "lost" }))
          )
      }))
  },
  {
    fault: "keeps JSON without its details",
    laws: ["JSON comes back as it was written, whatever it holds"],
    change: (driver) =>
      withRows(driver, (row) => ("event" in row ? { ...row, event: { ...Object(row.event), detail: {} } } : row))
  },
  {
    fault: "keeps the row that was there before",
    laws: [
      "a row takes the place of the one with its key, in every field",
      "a key of several fields separates rows that differ in one of them",
      "a table without a key has one row for each repository"
    ],
    change: (driver) =>
      withTransactions(driver, ({ put, select }) => ({
        put: (table, rows) =>
          Effect.flatMap(select(table, { where: [], order: [] }), (found) => {
            const known = new Set(found.map((row) => keyOf(table, row)))
            return put(
              table,
              rows.filter((row) => !known.has(keyOf(table, row)))
            )
          })
      }))
  },
  {
    fault: "keeps the first of several rows with one key",
    laws: ["of several rows with one key that are written at once the last stays"],
    change: (driver) => withTransactions(driver, ({ put }) => ({ put: (table, rows) => put(table, rows.toReversed()) }))
  },
  {
    fault: "knows rows by the first field of their key alone",
    laws: [
      "a key of several fields separates rows that differ in one of them",
      "a row that is only its key is written once"
    ],
    change: (driver) => withTables(driver, (table) => ({ ...table, key: table.key.slice(0, 1) }))
  },
  {
    fault: "empties the table when it writes",
    laws: ["writing no rows changes nothing", "a row takes the place of the one with its key, in every field"],
    change: (driver) =>
      withTransactions(driver, ({ put, remove }) => ({
        put: (table, rows) => Effect.andThen(remove(table, []), put(table, rows))
      }))
  },
  {
    fault: "does not know unique fields",
    laws: ["a value of a unique field belongs to one row: a second row with it is refused, and nothing is written"],
    change: (driver) => withTables(driver, ({ unique: _unique, ...table }) => table)
  },
  {
    fault: "removes every row of a table",
    laws: [
      "removing yields the number of rows that were removed, and leaves the others",
      "a row meets all of the conditions of a query"
    ],
    change: (driver) => withTransactions(driver, ({ remove }) => ({ remove: (table) => remove(table, []) }))
  },
  {
    fault: "says that it removed a row which was not there",
    laws: [
      "removing yields the number of rows that were removed, and leaves the others",
      "forgetting a test removes the rows of its body, and yields whether anything was removed"
    ],
    change: (driver) => ({
      ...withTransactions(driver, ({ remove }) => ({ remove: (...what) => Effect.map(remove(...what), () => 1) })),
      forget: (...what) => Effect.as(driver.forget(...what), true)
    })
  },
  {
    fault: "yields a value twice",
    laws: ["counting and the distinct values of a field follow the conditions, null among the values"],
    change: (driver) =>
      withReads(driver, ({ distinct }) => ({
        distinct: (...what) => Effect.map(distinct(...what), (values) => [...values, ...values])
      }))
  },
  {
    fault: "counts one row too many",
    laws: [
      "counting and the distinct values of a field follow the conditions, null among the values",
      "rows of one repository are not those of another, nor of the whole store"
    ],
    change: (driver) =>
      withReads(driver, ({ count }) => ({ count: (...what) => Effect.map(count(...what), (found) => found + 1) }))
  }
]

/** Drivers that break what is promised of queries. */
const ofQueries: ReadonlyArray<BrokenDriver> = [
  {
    fault: "takes a bound for one that is not inclusive, and the other way round",
    laws: ["<", "<=", ">", ">="].flatMap((operator) => every.map((kind) => `"${operator}" ${kind}`)),
    change: (driver) => withOperators(driver, { "<": "<=", "<=": "<", ">": ">=", ">=": ">" })
  },
  {
    fault: "finds greater values, too, where equal ones are asked for",
    laws: [
      ...every.map((kind) => `"=" ${kind}`),
      "a UUID is found by its text, and a text that is not a UUID finds no row"
    ],
    change: (driver) => withOperators(driver, { "=": ">=" })
  },
  {
    fault: "finds any value where null is asked for",
    laws: ['"=" finds null where null is asked for, and nothing else', "no comparison but = finds a row by null"],
    change: (driver) =>
      withQueries(driver, (query) => ({ ...query, where: query.where.filter((one) => one[2] !== null) }))
  },
  {
    fault: "looks for the first of several values alone",
    laws: [
      '"in" finds each of the values, no null, and nothing in an empty list',
      "a UUID is found by its text, and a text that is not a UUID finds no row"
    ],
    change: (driver) =>
      withQueries(driver, (query) => ({
        ...query,
        where: query.where.map((one) => (one[1] === "in" ? [one[0], "in", one[2].slice(0, 1)] : one))
      }))
  },
  {
    fault: "ignores the last condition of a query",
    laws: ["a row meets all of the conditions of a query"],
    change: (driver) => withQueries(driver, (query) => ({ ...query, where: query.where.slice(0, -1) }))
  },
  {
    fault: "orders by the first field alone",
    laws: [
      "rows are in the order of the fields, each of which breaks ties of those before it",
      "pages after a position join up to the whole list, whatever their size and direction",
      "a limit cuts the rows after they are ordered, and a limit of 0 yields none"
    ],
    change: (driver) =>
      withQueries(driver, ({ after, ...query }) => ({
        ...query,
        order: query.order.slice(0, 1),
        ...(after && { after: after.slice(0, 1) })
      }))
  },
  {
    fault: "orders by UTF-16 code units",
    laws: ["rows are in the order of the fields, each of which breaks ties of those before it"],
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        select: (table, query) =>
          Effect.map(select(table, query), (rows) =>
            query.order.length === 2
              ? rows.toSorted((a, b) =>
                  JSON.stringify(placeOf(a, query)) < JSON.stringify(placeOf(b, query)) ? -1 : 1
                )
              : rows
          )
      }))
  },
  {
    fault: "ignores the limit of a query",
    laws: [
      "a limit cuts the rows after they are ordered, and a limit of 0 yields none",
      "a page counts all rows that meet its conditions, also where it has no row"
    ],
    change: (driver) => withQueries(driver, ({ limit: _limit, ...query }) => query)
  },
  {
    fault: "ignores the position after which rows are asked for",
    laws: [
      "pages after a position join up to the whole list, whatever their size and direction",
      "rows continue after a position that no row has",
      "rows are ordered and continued by UUIDs, too"
    ],
    change: (driver) => withQueries(driver, ({ after: _after, ...query }) => query)
  },
  {
    fault: "counts the rows of a page alone",
    laws: ["a page counts all rows that meet its conditions, also where it has no row"],
    change: (driver) =>
      withReads(driver, ({ page }) => ({
        page: (...what) => Effect.map(page(...what), ({ rows }) => ({ rows, total: rows.length }))
      }))
  }
]

const placeOf = <Row extends object>(row: Row, { order }: Query<Row>) => order.map((field) => row[field])

/** Drivers that break what is promised of transactions and of the log. */
const ofTransactions: ReadonlyArray<BrokenDriver> = [
  {
    fault: "writes at the end of the body, after others may have read the same",
    laws: [
      "a transaction reads what it has written, removed and logged",
      "concurrent transactions of a repository run one after another, also those that create it",
      "concurrent transactions of the whole store run one after another"
    ],
    change: unserialised
  },
  {
    fault: "keeps the writes of a body that fails",
    laws: [
      "a body that fails leaves rows and log as they were",
      "a body that fails creates no repository",
      "a body that fails leaves the rows of the whole store as they were"
    ],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) => body(apart(driver, operation, scope, at))
    })
  },
  {
    fault: "reads each answer of a snapshot at a moment of its own",
    laws: ["a snapshot sees one moment, whatever is written meanwhile"],
    change: (driver) => ({
      ...driver,
      snapshot: (operation, scope, body) => body(reading(driver, operation, scope))
    })
  },
  {
    fault: "fails after a body that succeeds",
    laws: ["the answer of a read, a snapshot and a transaction is that of its body"],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) =>
        driver.transact(operation, scope, at, (transaction) =>
          Effect.andThen(body(transaction), Effect.die("the answer is lost"))
        )
    })
  },
  {
    fault: "turns the order of events round",
    laws: ["events get the next positions in the order given, and come back as they were logged"],
    change: (driver) => withTransactions(driver, ({ log }) => ({ log: (events) => log(events.toReversed()) }))
  },
  {
    fault: "counts events that are in the log already",
    laws: ["an event whose id is in the log is left out, and not counted"],
    change: (driver) =>
      withTransactions(driver, ({ log }) => ({ log: (events) => Effect.as(log(events), events.length) }))
  },
  {
    fault: "takes the last event that is there for the newest one ever logged",
    laws: ["the head is the position of the newest event ever logged, and no position is used twice"],
    change: (driver) =>
      withReads(driver, ({ select }) => ({
        head: Effect.map(
          select(Rows.events, { where: [], order: ["position"], isDescending: true, limit: 1 }),
          ([row]) => row?.position ?? 0
        )
      }))
  },
  {
    fault: "has one log for all repositories",
    laws: ["each repository has a log of its own, in which any id may be"],
    change: (driver) => withScopes(driver, ({ owner }) => ({ owner, repository: "log" }))
  },
  {
    fault: "shows an event before the one that precedes it",
    laws: ["an event becomes readable after every event with a lower position"],
    change: (driver) =>
      withViews(driver, ({ select }) => ({
        select: (table, query) => {
          const found = select(table, query)
          return table.name === Rows.events.name
            ? Effect.map(found, (rows) => rows.filter((_, index) => index !== rows.length - 2))
            : found
        }
      }))
  }
]

/** Drivers that break what is promised of repositories. */
const ofRepositories: ReadonlyArray<BrokenDriver> = [
  {
    fault: "keeps all repositories in one place",
    laws: [
      "rows of one repository are not those of another, nor of the whole store",
      "a table without a key has one row for each repository"
    ],
    change: (driver) => withScopes(driver, ({ owner }) => ({ owner, repository: "place" }))
  },
  {
    fault: "separates repositories by the case of their names",
    laws: ["owner and name match in any case, and stay as they were first written, with their instant"],
    change: (driver) =>
      withScopes(driver, ({ owner, repository }) => ({ owner: Buffer.from(owner).toString("hex"), repository }))
  },
  {
    fault: "creates a repository that is only read",
    laws: ["a repository that does not exist has no rows and no log, and reading does not create it"],
    change: (driver) => ({
      ...driver,
      read: (operation, scope, body) => driver.transact(operation, scope, scope === null ? null : 0, body)
    })
  },
  {
    fault: "creates the repository of every write",
    laws: [
      "without an instant, a transaction of a repository that does not exist writes nothing",
      "a regrouping writes its rows or none of them, and creates the repository where it has an instant"
    ],
    change: (driver) => ({
      ...driver,
      transact: (operation, scope, at, body) => driver.transact(operation, scope, at ?? 0, body),
      regroup: (operation, ref, at, body) => driver.regroup(operation, ref, at ?? 0, body)
    })
  },
  {
    fault: "finds no row of other repositories",
    laws: ["a scan finds the rows of all repositories that meet the conditions, each with its repository"],
    change: (driver) => ({ ...driver, scan: () => Effect.succeed([]) })
  },
  {
    fault: "decides settings from the defaults",
    laws: ["settings are decided from those that hold; concurrent changes all hold"],
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        driver.configure(operation, ref, at, () => decide(Repository.defaultSettings))
    })
  },
  {
    fault: "creates the repository before settings are decided",
    laws: ["settings whose decision fails stay as they were, and create no repository"],
    change: (driver) => ({
      ...driver,
      configure: (operation, ref, at, decide) =>
        Effect.andThen(
          driver.transact(operation, ref, at, () => Effect.void),
          driver.configure(operation, ref, at, decide)
        )
    })
  },
  {
    fault: "removes no repository",
    laws: ["of a removed repository nothing is left, its log begins again, and others stay"],
    change: (driver) => ({ ...driver, erase: () => Effect.succeed(true) })
  },
  {
    fault: "removes a repository and brings its rows back",
    laws: ["a transaction that waits for a removal creates a new repository, or writes nothing"],
    change: (driver) => ({
      ...driver,
      erase: (operation, ref) =>
        Effect.gen(function* () {
          const query = { where: [], order: [] }
          const rows = yield* driver.read(operation, ref, (view) => view.select(Rows.quarantines, query))
          const isErased = yield* driver.erase(operation, ref)
          yield* driver.transact(operation, ref, 0, (transaction) => transaction.put(Rows.quarantines, rows))
          return isErased
        })
    })
  },
  {
    fault: "has one version for all time",
    laws: ["every transaction that writes gives a repository a version that it never had, and no read does"],
    change: (driver) => ({ ...driver, version: () => Effect.succeed(Option.some("1")) })
  },
  {
    fault: "regroups in several transactions",
    laws: ["a regrouping writes its rows or none of them, and creates the repository where it has an instant"],
    change: (driver) => ({
      ...driver,
      regroup: (operation, ref, at, body) => body(apart(driver, operation, ref, at))
    })
  }
]

/** Every broken driver. */
export const all: ReadonlyArray<BrokenDriver> = [...ofRows, ...ofQueries, ...ofTransactions, ...ofRepositories]
