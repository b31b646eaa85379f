/** Tests as text for people. */
import * as Table from "./Table.ts"
import { colourOf, paint, plain, type Terminal } from "./Terminal.ts"
import type { Details, Execution, Explained, Failure, Identity, Row } from "./TestsAnswer.ts"

/** The rows of a search, and how many there are in all when these are not all. */
export const found = (terminal: Terminal, rows: ReadonlyArray<Row>, total: number): string => {
  if (rows.length === 0) return "no test matches"
  const table = Table.make(terminal, columns, rows)
  return rows.length < total ? `${table}\n\n${rows.length} of ${total}; more with --limit` : table
}

/** What is known of a test. */
export const details = (terminal: Terminal, test: Details, failures: ReadonlyArray<Failure>): string =>
  [
    headingOf(terminal, test),
    "",
    Table.fields([
      ["id", test.test_id],
      ["last", test.last_conclusion],
      ["passed", percent(test.success_ratio)],
      ["failed", percent(test.failure_ratio)],
      ["flaky", percent(test.flakiness_ratio)],
      ["last success", momentOf(test.last_success_at)],
      ["last failure", momentOf(test.last_failure_at)],
      ["first failure", firstFailure(test)],
      ["file", plain(test.test_filepath ?? "unknown")],
      ["framework", plain(test.test_framework ?? "unknown")]
    ]),
    ...(failures.length === 0 ? [] : ["", Table.make(terminal, failureColumns, failures)])
  ].join("\n")

/** Why a test has its health, pipeline by pipeline and job by job. */
export const explained = (terminal: Terminal, test: Explained, most: number): string =>
  [headingOf(terminal, test), ...test.identities.map((each) => identityOf(terminal, each, most))].join("\n\n")

const identityOf = (terminal: Terminal, each: Identity, most: number): string => {
  const status = paint(terminal, colourOf(each.health_status), each.health_status)
  const executions = [...each.evidence, ...each.context].sort(
    (a, b) => Date.parse(a.finished_at) - Date.parse(b.finished_at)
  )
  return [
    `${plain(each.pipeline_name)} / ${plain(each.job_name)}: ${status} since ${momentOf(each.since)} (${ruleOf(each.rule)})`,
    `confidence ${each.confidence}: ${certaintyOf(each)}`,
    ...(each.recovery === null ? [] : [plain(each.recovery.sentence).replace(instant, "$1 $2 UTC")]),
    ...(executions.length === 0 ? [] : [Table.make(terminal, executionColumns, executions.slice(-most))]),
    ...(executions.length <= most ? [] : [`the latest ${most} of ${executions.length} that tell; more with --limit`])
  ].join("\n")
}

const instant = /(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[:.\d]*Z/g

/** The rules of the health model, as short as they can be said; a rule of a later server has its name. */
const rules: Readonly<Record<string, string>> = {
  start: "nothing has spoken against it",
  failure: "failed, and has not passed since",
  in_job_rerun: "failed and passed within one job",
  contradiction: "failed and passed on the same commit",
  repeated_episode: "failed again soon after it had recovered",
  persistent_failure: "failed on several commits in a row",
  passes_in_a_row: "passed often enough in a row",
  clean_passes: "passed long enough without another contradiction"
}

const ruleOf = (rule: string): string => (Object.hasOwn(rules, rule) ? `${rule}: ${rules[rule]}` : plain(rule))

/** The bound follows from the reruns since the last trouble, the confidence from all of them. */
const certaintyOf = ({ clean_reruns, flake_rate_bound, reruns }: Identity): string => {
  const count = reruns === 1 ? "1 rerun" : `${reruns} reruns`
  return flake_rate_bound >= 1
    ? `${count}, none of them clean since it last failed`
    : `${count}, ${clean_reruns} clean since it last failed: it is 95 % certain that it fails by itself in less than ${percent(flake_rate_bound)} of its runs`
}

const headingOf = (terminal: Terminal, test: { readonly test_name: string; readonly health_status: string }): string =>
  `${paint(terminal, "bold", plain(test.test_name))} is ${paint(terminal, colourOf(test.health_status), test.health_status)}`

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

const momentOf = (at: string | null): string => (at === null ? "never" : `${at.slice(0, 16).replace("T", " ")} UTC`)

const firstFailure = ({ first_failure_at, first_failure_commit, first_failure_pull }: Details): string => {
  if (first_failure_at === null) return "never"
  const commit = first_failure_commit === null ? "" : `, commit ${plain(first_failure_commit).slice(0, 12)}`
  const pull = first_failure_pull === null ? "" : `, #${first_failure_pull.number} ${plain(first_failure_pull.title)}`
  return `${momentOf(first_failure_at)}${commit}${pull}`
}

const columns: ReadonlyArray<Table.Column<Row>> = [
  {
    heading: "health",
    cell: ({ metrics }) => metrics.health_status,
    colour: ({ metrics }) => colourOf(metrics.health_status)
  },
  { heading: "confidence", cell: ({ metrics }) => metrics.health_confidence },
  { heading: "impact", cell: ({ metrics }) => metrics.failed_executions_impact ?? "" },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]

const failureColumns: ReadonlyArray<Table.Column<Failure>> = [
  { heading: "failures", cell: ({ failure_count }) => String(failure_count), isNumber: true },
  { heading: "last", cell: ({ last_failure_at }) => momentOf(last_failure_at) },
  { heading: "exception", cell: ({ exception_type }) => exception_type, canShrink: true },
  { heading: "message", cell: ({ exception_message }) => exception_message.split("\n", 1)[0] ?? "", canShrink: true }
]

const executionColumns: ReadonlyArray<Table.Column<Execution>> = [
  { heading: "finished", cell: ({ finished_at }) => momentOf(finished_at) },
  { heading: "commit", cell: ({ commit }) => (commit ?? "").slice(0, 12) },
  {
    heading: "outcome",
    cell: ({ conclusion, flaky }) => (flaky ? `${conclusion}, flaky` : conclusion),
    colour: ({ conclusion, flaky }) => (flaky ? "yellow" : conclusion === "failed" ? "red" : null)
  },
  { heading: "exception", cell: ({ exception_type }) => exception_type ?? "", canShrink: true },
  { heading: "log", cell: ({ job_url }) => job_url ?? "", canShrink: true }
]
