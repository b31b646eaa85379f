/** The columns of the list of tests. */
import type { Schemas } from "@lazaret/api"
import type { TestList } from "@lazaret/domain"
import * as Session from "../../connection/Session.ts"
import * as Table from "../../terminal/Table.ts"
import { colourOf, type Terminal } from "../../terminal/Terminal.ts"
import { percent } from "./TestText.ts"

type Row = typeof Schemas.ListedTest.Type

const figures: ReadonlyArray<Table.Column<Row>> = [
  {
    heading: "health",
    cell: ({ health_status }) => health_status,
    colour: ({ health_status }) => colourOf(health_status)
  },
  { heading: "failed", cell: failedOf, isNumber: true },
  { heading: "runs", cell: ({ executions_count }) => String(executions_count), isNumber: true }
]

/** A broken test fails in each run: the length of its row says more than a share of 30 days. */
function failedOf({ failure_ratio, failures_in_a_row, health_status }: Row): string {
  return health_status === "broken" && failures_in_a_row > 0 ? `${failures_in_a_row} in a row` : percent(failure_ratio)
}

/** The figure of a sort that has no column otherwise: a list of the slowest tests shows how slow they are. */
const sorted: { readonly [S in TestList.Sort]?: Table.Column<Row> } = {
  mean_duration: {
    heading: "duration",
    cell: ({ mean_duration }) => (mean_duration === null ? "unknown" : `${mean_duration.toFixed(3)} s`),
    isNumber: true
  },
  first_seen_at: { heading: "first seen", cell: ({ first_seen_at }) => Session.minuteOf(first_seen_at) },
  last_failure_at: { heading: "last failure", cell: ({ last_failure_at }) => Session.minuteOf(last_failure_at) }
}

/** "confidence low" next to a proven flake sounds like a doubt about it: the level counts reruns since the status changed. */
const retested: { readonly [C in Row["health_confidence"]]: string } = { low: "rarely", medium: "some", high: "often" }

const names: ReadonlyArray<Table.Column<Row>> = [
  { heading: "retested", cell: ({ health_confidence }) => retested[health_confidence] },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]

const ownerOf = ({ file, owners }: Row): string =>
  owners.length > 0 ? owners.join(" ") : file === null ? "(no file)" : "(no owner)"

const owner: Table.Column<Row> = { heading: "owner", cell: ownerOf, canShrink: true }

const id: Table.Column<Row> = { heading: "id", cell: ({ test_id }) => test_id }

/**
 * The columns of a table of these rows in the order `sort`: that of owners where a test has one. The ids have no place next to the
 * names on a narrow terminal.
 */
export const columnsOn = (
  { columns: width }: Terminal,
  rows: ReadonlyArray<Row>,
  sort: TestList.Sort
): ReadonlyArray<Table.Column<Row>> => [
  ...figures,
  ...(sorted[sort] === undefined ? [] : [sorted[sort]]),
  ...names,
  ...(rows.some(({ owners }) => owners.length > 0) ? [owner] : []),
  ...(width !== null && width < 140 ? [] : [id])
]
