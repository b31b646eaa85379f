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

/** The ids have no place next to the names on a narrow terminal. */
export const columnsOn = ({ columns: width }: Terminal): ReadonlyArray<Table.Column<Row>> =>
  width !== null && width < 140 ? columns : [...columns, { heading: "id", cell: ({ test_id }) => test_id }]
