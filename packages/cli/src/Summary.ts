/** What is shown after an upload. */
import * as Table from "./Table.ts"
import { paint, plain, type Terminal } from "./Terminal.ts"
import type { Receipt } from "./Upload.ts"

/** A file and what the server answered to it. */
export interface Row {
  readonly file: string
  readonly receipt: Receipt
}

/** A file that did not go in, and why. */
export interface Failed {
  readonly file: string
  readonly message: string
}

/** The receipts for programs, and what failed. */
export const answer = (rows: ReadonlyArray<Row>, failures: ReadonlyArray<Failed>) => ({
  reports: rows.map(({ file, receipt }) => ({ file, ...receipt })),
  failures
})

/** The receipts for people: a table, and what went wrong below it. */
export const text = (terminal: Terminal, rows: ReadonlyArray<Row>, failures: ReadonlyArray<Failed>): string =>
  [
    ...(rows.length === 0
      ? []
      : [Table.make(terminal, columns, [...rows, ...(rows.length > 1 ? [totals(rows)] : [])])]),
    ...rows.flatMap(({ file, receipt }) =>
      receipt.warnings.map((each) => `${paint(terminal, "yellow", "warning:")} ${plain(`${file}: ${each}`)}`)
    ),
    ...failures.map(({ file, message }) => `${paint(terminal, "red", "failed:")} ${plain(`${file}: ${message}`)}`)
  ].join("\n")

const count = (heading: string, of: (receipt: Receipt) => number): Table.Column<Row> => ({
  heading,
  // Files can share identities, so those have no total.
  cell: ({ receipt }) => (Number.isNaN(of(receipt)) ? "" : String(of(receipt))),
  isNumber: true
})

const columns: ReadonlyArray<Table.Column<Row>> = [
  { heading: "file", cell: ({ file }) => file, canShrink: true },
  count("received", ({ executions }) => executions.received),
  count("recorded", ({ executions }) => executions.recorded),
  count("duplicates", ({ executions }) => executions.duplicates),
  count("skipped", ({ executions }) => executions.skipped),
  count("identities", ({ identities }) => identities)
]

const totals = (rows: ReadonlyArray<Row>): Row => {
  const sum = (of: (receipt: Receipt) => number) => rows.reduce((total, { receipt }) => total + of(receipt), 0)
  return {
    file: "total",
    receipt: {
      report_id: null,
      executions: {
        received: sum(({ executions }) => executions.received),
        recorded: sum(({ executions }) => executions.recorded),
        duplicates: sum(({ executions }) => executions.duplicates),
        skipped: sum(({ executions }) => executions.skipped)
      },
      identities: Number.NaN,
      warnings: []
    }
  }
}
