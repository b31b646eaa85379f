/** Sinks of an export: lines of JSON on the output or in a file, or a Parquet file. */
import { existsSync } from "node:fs"
import { Console, Effect, Option, type Scope } from "effect"
import * as CommandFailure from "../terminal/CommandFailure.ts"
import { load, type MissingPackage } from "../terminal/MissingPackage.ts"
import { plain } from "../terminal/Terminal.ts"
import * as ExportColumns from "./ExportColumns.ts"

/** A row as the server sent it. */
export type Row = Readonly<Record<string, unknown>>

/** Writes rows; at most {@link rowsAtOnce} and one page of them are in memory. */
export type Write = (rows: ReadonlyArray<Row>) => Effect.Effect<void, CommandFailure.CommandFailure>

/** The rows of a group of a Parquet file, which is written at once. */
const rowsAtOnce = 20_000

/** The format of an export, and its file; without a file the rows are printed. */
export interface Target {
  readonly kind: ExportColumns.Kind
  readonly format: "ndjson" | "parquet"
  readonly output: Option.Option<string>
}

/**
 * Opens the target. The end of the scope completes the file, also after a failure: it then holds the rows that arrived.
 */
export const open = ({
  format,
  kind,
  output
}: Target): Effect.Effect<Write, CommandFailure.CommandFailure | MissingPackage, Scope.Scope> => {
  if (Option.isNone(output)) {
    return Effect.succeed((rows) => (rows.length === 0 ? Effect.void : Console.log(linesOf(rows).join("\n"))))
  }
  return format === "parquet" ? parquet(output.value, kind) : ndjson(output.value)
}

/**
 * Fails where the target cannot be one, before a server is asked.
 *
 * **Details**
 *
 * A file that exists is a fault of usage: it may hold the first part of an export.
 */
export const check = ({
  format,
  output
}: Pick<Target, "format" | "output">): Effect.Effect<void, CommandFailure.CommandFailure> => {
  if (Option.isNone(output)) {
    return format === "parquet"
      ? Effect.fail(CommandFailure.usage("A Parquet file is not printed: name it with --output executions.parquet."))
      : Effect.void
  }
  return existsSync(output.value)
    ? Effect.fail(CommandFailure.usage(`${plain(output.value)} exists: name another file, or remove this one.`))
    : Effect.void
}

const linesOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => rows.map((row) => JSON.stringify(row))

/** A step of writing a file; an error of the file system is a fault of usage. */
const step = <A>(file: string, write: () => A): Effect.Effect<A, CommandFailure.CommandFailure> =>
  Effect.try({
    try: write,
    catch: (error) =>
      CommandFailure.usage(
        `${plain(file)} cannot be written (${error instanceof Error ? error.message : String(error)}).`
      )
  })

const ndjson = Effect.fnUntraced(function* (file: string) {
  const { appendFileSync, writeFileSync } = yield* load(() => import("node:fs"))
  yield* step(file, () => writeFileSync(file, "", { flag: "wx" }))
  const write: Write = (rows) =>
    step(file, () =>
      appendFileSync(
        file,
        linesOf(rows)
          .map((line) => `${line}\n`)
          .join("")
      )
    )
  return write
})

const parquet = Effect.fnUntraced(function* (file: string, kind: ExportColumns.Kind) {
  const { ParquetWriter, fileWriter, schemaFromColumnData } = yield* load(() => import("hyparquet-writer"))
  const columns = Object.entries(ExportColumns.columns[kind])
  const dataOf = (rows: ReadonlyArray<Row>) =>
    columns.map(([name, type]) => ({ name, type, nullable: true, data: rows.map((row) => valueOf(row[name], type)) }))
  const writer = yield* step(
    file,
    () =>
      new ParquetWriter({
        writer: fileWriter(file),
        schema: schemaFromColumnData({ columnData: dataOf([]) }),
        createdBy: "lazaret"
      })
  )
  let held: Array<Row> = []
  const flush = step(file, () => {
    if (held.length > 0) void writer.write({ columnData: dataOf(held), rowGroupSize: rowsAtOnce })
    held = []
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      flush,
      step(file, () => void writer.finish())
    ).pipe(Effect.catch(({ message }) => Console.error(`lazaret: ${message}`)))
  )
  const write: Write = (rows) =>
    Effect.suspend(() => {
      held.push(...rows)
      return held.length < rowsAtOnce ? Effect.void : flush
    })
  return write
})

/** The value of a column; what is absent or not of its type is null. */
const valueOf = (value: unknown, type: ExportColumns.ColumnType): unknown => {
  if (value === null || value === undefined) return null
  switch (type) {
    case "TIMESTAMP":
      return typeof value === "string" ? new Date(value) : null
    case "INT64":
      return typeof value === "number" ? BigInt(Math.trunc(value)) : null
    case "DOUBLE":
      return typeof value === "number" ? value : null
    case "BOOLEAN":
      return typeof value === "boolean" ? value : null
    case "STRING":
      return typeof value === "string" ? value : null
    case "JSON":
      return value
  }
}
