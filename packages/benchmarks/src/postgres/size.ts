/** The size of the tables on disk. */
import type { Client } from "pg"

/** Bytes with all indexes: of everything, of the executions, and of what is computed from them. */
export interface Size {
  readonly executions: number
  readonly total: number
  readonly chunks: number
  readonly computed: number
  readonly failures: number
}

/** Measures all tables of the product; before that, what was overwritten is cleared away. */
export const measure = async (connection: Client): Promise<Size> => {
  await connection.query("VACUUM ANALYZE")
  const { rows } = await connection.query<{ readonly [name in keyof Size]: string }>(`
    SELECT
      (SELECT sum(results) FROM uploads) AS executions,
      sum(pg_total_relation_size(oid)) AS total,
      sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'result_chunks%') AS chunks,
      sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'block%' OR relname = 'failed_days') AS computed,
      sum(pg_total_relation_size(oid)) FILTER (WHERE relname LIKE 'failure_%') AS failures
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
  const [row] = rows
  if (row === undefined) throw new Error("the sizes of tables are missing")
  return {
    executions: Number(row.executions),
    total: Number(row.total),
    chunks: Number(row.chunks),
    computed: Number(row.computed),
    failures: Number(row.failures)
  }
}

/** Bytes for each execution of the largest tables, partitions together: rows, rows that are stored aside, and indexes. */
export const tables = async (connection: Client, executions: number): Promise<ReadonlyArray<string>> => {
  const { rows } = await connection.query<{
    readonly [name in "name" | "rows" | "main" | "toast" | "indexes"]: string
  }>(`
    SELECT
      regexp_replace(relname, '_[0-9]+(_[0-9]+)*$', '') AS name,
      sum(greatest(reltuples, 0)) AS rows,
      sum(pg_relation_size(oid)) AS main,
      sum(pg_table_size(oid) - pg_relation_size(oid)) AS toast,
      sum(pg_indexes_size(oid)) AS indexes
    FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
    GROUP BY 1
    ORDER BY sum(pg_total_relation_size(oid)) DESC
    LIMIT 20`)
  const each = (bytes: string) => (Number(bytes) / executions).toFixed(2)
  return rows.map(
    ({ indexes, main, name, rows: count, toast }) =>
      `    ${name}: ${count} rows, ${each(main)} + ${each(toast)} aside + ${each(indexes)} of indexes`
  )
}

/** The line of a measurement. */
export const line = ({ chunks, computed, executions, failures, total }: Size): string => {
  const each = (bytes: number) => (bytes / executions).toFixed(1)
  return (
    `  ${each(total)} bytes on disk per execution: ${each(chunks)} for executions, ${each(computed)} for what is computed, ` +
    `${each(failures)} for failures, ${each(total - chunks - computed - failures)} for names, runs and the rest`
  )
}
