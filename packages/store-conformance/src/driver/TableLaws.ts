/** The law of tables: each of `Rows.all` keeps every value that the schema of its rows allows. */
import { Instant, TestId } from "@lazaret/domain"
import { type Condition, type Driver, Rows, type Shape, type Table } from "@lazaret/store"
import { Effect } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import type { Case } from "../law/Case.ts"
import * as Law from "../law/Law.ts"
import { make, put, select } from "./DriverCase.ts"

/** The tables that a driver writes in operations of their own, and those of merge queues, whose cases write every kind of row. */
const left: ReadonlyArray<string> = [Rows.repositories, Rows.events, Rows.queueEvents, Rows.engineStates].map(
  ({ name }) => name
)

/** The cases of tables. */
export const cases: ReadonlyArray<Case<Driver>> = Rows.all
  .filter(({ name }) => !left.includes(name))
  .map((shape) =>
    make(`rows of "${shape.name}" come back with every field, whatever their schema allows`, (driver, ref) => {
      // Only the types of the fields are lost in a list of all tables.
      const table = shape as Table<Record<string, never>>
      const scope = shape.scope === "repository" ? ref : null
      return Law.forAll(
        Arbitrary.schema(table.row),
        (generated) =>
          Effect.gen(function* () {
            const row = storable(table, generated)
            yield* put(driver, scope, table, [row])
            const where = table.key.map((field): Condition<Record<string, never>> => [field, "=", row[field] ?? null])
            yield* Law.equal(yield* select(driver, scope, table, { where }), [row], "the rows with that key")
            // The next row may have its unique value.
            yield* driver.transact("Law.remove", scope, null, (transaction) => transaction.remove(table, where))
          }),
        // Lists of lists of a hundred values have no field that shorter ones lack.
        { runs: 10, size: 15 }
      )
    })
  )

/** The row with values that each type of column can keep. */
const storable = <Row extends object>({ columns }: Shape, row: Row): Row =>
  // Each field keeps its type.
  Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, valueOf(columns[field] ?? "json", value)])
  ) as Row

const valueOf = (type: Shape["columns"][string], value: unknown): unknown => {
  if (value === null) return null
  switch (type) {
    case "integer":
      return wholeWithin(value, 2_147_483_647)
    case "instant":
      return wholeWithin(value, Instant.latest)
    case "uuid":
      return TestId.of(String(value))
    case "text":
    case "json":
      return plain(value)
  }
}

const wholeWithin = (value: unknown, most: number): number => Math.trunc(Math.abs(finite(Number(value)))) % most

const finite = (value: number): number => (Number.isFinite(value) ? value + 0 : 0)

/** JSON without texts and numbers that an engine refuses: NUL, halves of characters, what is not finite. */
const plain = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed()
  if (typeof value === "number") return finite(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [plain(name), plain(part)]))
}
