/** The columns of the list of tests. */
import type { Schemas } from "@lazaret/api"
import * as Table from "../../Table.ts"
import { colourOf, type Terminal } from "../../Terminal.ts"
import { percent } from "./TestText.ts"

type Row = typeof Schemas.ListedTest.Type

const columns: ReadonlyArray<Table.Column<Row>> = [
  {
    heading: "health",
    cell: ({ health_status }) => health_status,
    colour: ({ health_status }) => colourOf(health_status)
  },
  { heading: "failed", cell: ({ failure_ratio }) => percent(failure_ratio), isNumber: true },
  { heading: "runs", cell: ({ executions_count }) => String(executions_count), isNumber: true },
  { heading: "confidence", cell: ({ health_confidence }) => health_confidence },
  { heading: "test", cell: ({ test_name }) => test_name, canShrink: true },
  { heading: "pipeline", cell: ({ pipeline_name }) => pipeline_name, canShrink: true },
  { heading: "job", cell: ({ job_name }) => job_name, canShrink: true }
]

const ownerOf = ({ file, owners }: Row): string =>
  owners.length > 0 ? owners.join(" ") : file === null ? "(no file)" : "(no owner)"

const owner: Table.Column<Row> = { heading: "owner", cell: ownerOf, canShrink: true }

const id: Table.Column<Row> = { heading: "id", cell: ({ test_id }) => test_id }

/**
 * The columns of a table of these rows: that of owners where a test has one. The ids have no place next to the names on a narrow
 * terminal.
 */
export const columnsOn = ({ columns: width }: Terminal, rows: ReadonlyArray<Row>): ReadonlyArray<Table.Column<Row>> => [
  ...columns,
  ...(rows.some(({ owners }) => owners.length > 0) ? [owner] : []),
  ...(width !== null && width < 140 ? [] : [id])
]
