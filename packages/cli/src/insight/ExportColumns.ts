/** The columns of exported rows in a Parquet file. */
import type { Schemas } from "@lazaret/api"

/** The exports by name. */
export const kinds = ["executions", "verdicts", "causes", "costs"] as const

/** The name of an export. */
export type Kind = (typeof kinds)[number]

/** The type of a column; `JSON` holds lists, any column may be null. */
export type ColumnType = "STRING" | "TIMESTAMP" | "BOOLEAN" | "INT64" | "DOUBLE" | "JSON"

/** A cost, with the table that its row belongs to. */
export type CostRow = typeof Schemas.CostRow.Type & { readonly by: string }

const executions: { readonly [F in keyof typeof Schemas.ExportedExecution.Type]: ColumnType } = {
  execution_id: "STRING",
  test_id: "STRING",
  test_name: "STRING",
  pipeline_name: "STRING",
  job_name: "STRING",
  file: "STRING",
  run_id: "STRING",
  commit: "STRING",
  finished_at: "TIMESTAMP",
  conclusion: "STRING",
  flaky: "BOOLEAN",
  reruns: "INT64",
  duration_seconds: "DOUBLE",
  exception_type: "STRING",
  excused: "BOOLEAN"
}

const verdicts: { readonly [F in keyof typeof Schemas.ExportedVerdict.Type]: ColumnType } = {
  test_id: "STRING",
  execution_id: "STRING",
  test_name: "STRING",
  pipeline_name: "STRING",
  job_name: "STRING",
  commit: "STRING",
  run_id: "STRING",
  finished_at: "TIMESTAMP",
  verdict: "STRING",
  probability_flaky: "DOUBLE",
  outcome: "STRING",
  marked: "STRING",
  marked_by: "STRING",
  marked_at: "TIMESTAMP"
}

const causes: { readonly [F in keyof typeof Schemas.SharedCause.Type]: ColumnType } = {
  id: "STRING",
  name: "STRING",
  kind: "STRING",
  state: "STRING",
  tests: "INT64",
  test_names: "JSON",
  test_ids: "JSON",
  exception_type: "STRING",
  message: "STRING",
  first_at: "TIMESTAMP",
  last_at: "TIMESTAMP",
  job_runs: "INT64",
  share: "DOUBLE",
  weeks: "JSON",
  jobs: "JSON",
  examples: "JSON",
  from: "JSON",
  owner: "STRING",
  ticket: "STRING",
  silenced_until: "TIMESTAMP",
  closed_at: "TIMESTAMP",
  changed_by: "STRING",
  changed_at: "TIMESTAMP"
}

const costs: { readonly [F in keyof CostRow]: ColumnType } = {
  by: "STRING",
  name: "STRING",
  test_id: "STRING",
  cause_id: "STRING",
  week: "TIMESTAMP",
  tests: "INT64",
  job_runs: "DOUBLE",
  failed_minutes: "DOUBLE",
  run_again_minutes: "DOUBLE",
  repeated_in_jobs_minutes: "DOUBLE",
  machine_minutes: "DOUBLE",
  waiting_minutes: "DOUBLE",
  amount: "DOUBLE",
  share: "DOUBLE"
}

/** The columns of each export, in their order. */
export const columns: { readonly [K in Kind]: Readonly<Record<string, ColumnType>> } = {
  executions,
  verdicts,
  causes,
  costs
}
