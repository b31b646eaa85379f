/**
 * The same executions as plain rows, which is what uploads are measured against: `COPY` into a table without an index,
 * and `INSERT` into one with a primary key.
 *
 * The references are spared the work of finding out which test a name is: their rows hold numbers.
 */
import { once } from "node:events"
import type { Report } from "@lazaret/domain"
import { Parameter, PostgresClient } from "@lazaret/store-postgres"
import { Effect } from "effect"
import type { Client } from "pg"
import { from } from "pg-copy-streams"
import type { Database } from "./Database.ts"

const columns = `
  repository_id bigint NOT NULL,
  test_no int NOT NULL,
  upload_no int NOT NULL,
  at timestamptz NOT NULL,
  duration_us bigint NOT NULL,
  conclusion smallint NOT NULL,
  flaky boolean NOT NULL,
  reruns smallint NOT NULL,
  exception_type text,
  exception_message text,
  stacktrace text`

const names = columns.match(/^ {2}\w+/gmu)?.map((name) => name.trim()) ?? []

/** Makes the tables; the one with a key holds as many rows as the product has executions. */
export const create = async (connection: Client, executions: number): Promise<void> => {
  await connection.query(`CREATE TABLE plain_rows (${columns})`)
  await connection.query(`CREATE TABLE keyed_rows (${columns}, PRIMARY KEY (repository_id, test_no, at, upload_no))`)
  await connection.query(
    `INSERT INTO keyed_rows
     SELECT 1, i % 200000, i / 50000, now() - (i % 90) * interval '1 day', 1000, 0, false, 0, NULL, NULL, NULL
     FROM generate_series(1, ${executions}) AS i`
  )
  await connection.query("VACUUM ANALYZE keyed_rows")
}

/** Copies the executions of a report, in the binary format, into the table without an index. */
export const copy = async (connection: Client, uploadNo: number, report: Report.Report): Promise<void> => {
  const rows = encode(uploadNo, report)
  const stream = connection.query(from("COPY plain_rows FROM STDIN (FORMAT binary)"))
  stream.end(rows)
  await once(stream, "finish")
}

/** Deletes the copied rows. */
export const clear = (connection: Client): Promise<unknown> => connection.query("TRUNCATE plain_rows")

/** Inserts the executions of a report into the table with a key: one statement, arrays in the binary format. */
export const insert = (database: Database, uploadNo: number, { executions }: Report.Report): Promise<unknown> =>
  database.run(
    Effect.flatMap(
      PostgresClient,
      ({ sql }) => sql`
        INSERT INTO keyed_rows
        SELECT 1, n.*
        FROM unnest(
          ${Parameter.int4s(executions.map((_, index) => index))},
          ${Parameter.int4s(executions.map(() => uploadNo))},
          ${Parameter.instants(executions.map(({ at }) => at))},
          ${Parameter.int8s(executions.map(({ durationMs }) => Math.round(durationMs * 1000)))},
          ${Parameter.int2s(executions.map(({ conclusion }) => conclusions.indexOf(conclusion)))},
          ${Parameter.bools(executions.map(({ flaky }) => flaky))},
          ${Parameter.int2s(executions.map(({ reruns }) => reruns))},
          ${Parameter.texts(executions.map(({ exception }) => exception?.type ?? null))},
          ${Parameter.texts(executions.map(({ exception }) => exception?.message ?? null))},
          ${Parameter.texts(executions.map(({ exception }) => exception?.stacktrace ?? null))}
        ) AS n`
    )
  )

const conclusions = ["passed", "failed", "skipped"]

/** The layout of `COPY`: a signature and two empty fields, the rows, and the end marker (-1 columns). */
const encode = (uploadNo: number, { executions }: Report.Report): Uint8Array => {
  const texts = executions.reduce((sum, { exception }) => sum + (exception === null ? 0 : sizeOf(exception)), 0)
  const bytes = new Uint8Array(signature.length + executions.length * widest + texts + 2)
  const view = new DataView(bytes.buffer)
  bytes.set(signature)
  let offset = signature.length
  for (let index = 0; index < executions.length; index++) {
    const execution = executions[index]
    if (execution !== undefined) offset = writeRow(view, offset, { execution, index, uploadNo })
  }
  view.setInt16(offset, -1)
  return bytes.subarray(0, offset + 2)
}

interface Row {
  readonly execution: Report.Report["executions"][number]
  readonly index: number
  readonly uploadNo: number
}

/** Fields at fixed places, each behind its length, then the three texts. */
const writeRow = (view: DataView, start: number, { execution, index, uploadNo }: Row): number => {
  view.setInt16(start, names.length)
  view.setInt32(start + 2, 8)
  view.setInt32(start + 10, 1)
  view.setInt32(start + 14, 4)
  view.setInt32(start + 18, index)
  view.setInt32(start + 22, 4)
  view.setInt32(start + 26, uploadNo)
  view.setInt32(start + 30, 8)
  setInteger(view, start + 34, (execution.at - epoch) * 1000)
  view.setInt32(start + 42, 8)
  setInteger(view, start + 46, Math.round(execution.durationMs * 1000))
  view.setInt32(start + 54, 2)
  view.setInt16(start + 58, conclusions.indexOf(execution.conclusion))
  view.setInt32(start + 60, 1)
  view.setInt8(start + 64, execution.flaky ? 1 : 0)
  view.setInt32(start + 65, 2)
  view.setInt16(start + 69, execution.reruns)
  const { exception } = execution
  let offset = writeText(view, start + 71, exception?.type ?? null)
  offset = writeText(view, offset, exception?.message ?? null)
  return writeText(view, offset, exception?.stacktrace ?? null)
}

const signature = Uint8Array.from(Buffer.from("PGCOPY\n\u00ff\r\n\0\0\0\0\0\0\0\0\0", "latin1"))

/** Midnight of the year 2000, where PostgreSQL begins to count. */
const epoch = Date.UTC(2000, 0)

const widest = 83

const sizeOf = (exception: NonNullable<Row["execution"]["exception"]>): number =>
  3 * ((exception.type?.length ?? 0) + (exception.message?.length ?? 0) + (exception.stacktrace?.length ?? 0))

const setInteger = (view: DataView, offset: number, value: number): void => {
  view.setInt32(offset, Math.floor(value / 0x1_0000_0000))
  view.setUint32(offset + 4, value % 0x1_0000_0000)
}

const encoder = new TextEncoder()

const writeText = (view: DataView, offset: number, text: string | null): number => {
  if (text === null) {
    view.setInt32(offset, -1)
    return offset + 4
  }
  const { written } = encoder.encodeInto(text, new Uint8Array(view.buffer, offset + 4))
  view.setInt32(offset, written)
  return offset + 4 + written
}
