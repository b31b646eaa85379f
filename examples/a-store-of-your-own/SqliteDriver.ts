/** A driver for another engine: rows and facts in a SQLite file, questions answered in memory. */
import { DatabaseSync } from "node:sqlite"
import { Report, Repository, TestId } from "@lazaret/domain"
import { Driver, MemoryFacts, Settings, type StoreError } from "@lazaret/store/driver"
import { Effect, Layer, Schema } from "effect"
import * as SqliteRows from "./SqliteRows.ts"

/** A change of the facts of a repository, as a line of the file. */
const Line = Schema.fromJsonString(
  Schema.Struct({
    ref: Schema.Struct({ owner: Repository.Owner, repository: Repository.RepositoryName }),
    entry: Schema.Union([
      Schema.TaggedStruct("Report", { report: Schema.toType(Report.Report) }),
      Schema.TaggedStruct("Settings", { settings: Settings.Stored }),
      Schema.TaggedStruct("Horizon", { horizon: Schema.Number }),
      Schema.TaggedStruct("Forgotten", { testId: TestId.TestId })
    ])
  })
)

const decode = Schema.decodeUnknownSync(Line)

/** The facts as lines of a table: when the file is opened they are read again, in the order in which they were written. */
const journalIn = (database: DatabaseSync): MemoryFacts.Journal => {
  database.exec("CREATE TABLE IF NOT EXISTS journal (n INTEGER PRIMARY KEY, line TEXT NOT NULL)")
  const insert = database.prepare("INSERT INTO journal (line) VALUES (?)")
  const remove = database.prepare(
    "DELETE FROM journal WHERE lower(line ->> '$.ref.owner' || '/' || (line ->> '$.ref.repository')) = ?"
  )
  const lines = database.prepare("SELECT line FROM journal ORDER BY n").all()
  return {
    write: (ref, entry) =>
      SqliteRows.attempt("SqliteDriver.write", () => void insert.run(JSON.stringify({ ref, entry }))),
    erase: (ref) => SqliteRows.attempt("SqliteDriver.erase", () => void remove.run(Repository.key(ref))),
    past: lines.map(({ line }) => {
      const { entry, ref } = decode(line)
      return [ref, entry] as const
    })
  }
}

/** The driver over a file, which is created when it does not exist; `:memory:` uses no file. */
export const layer = (file: string): Layer.Layer<Driver, StoreError> =>
  Layer.effect(
    Driver,
    Effect.gen(function* () {
      const open = SqliteRows.attempt("SqliteDriver.open", () => new DatabaseSync(file))
      const database = yield* Effect.acquireRelease(open, (opened) => Effect.sync(() => opened.close()))
      const journal = yield* SqliteRows.attempt("SqliteDriver.open", () => {
        SqliteRows.createTables(database)
        return journalIn(database)
      })
      return Driver.of(yield* MemoryFacts.driver(SqliteRows.make(database), journal))
    })
  )
