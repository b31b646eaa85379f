/** The summary after an upload. */
import * as Table from "../terminal/Table.ts"
import { paint, plain, type Terminal } from "../terminal/Terminal.ts"
import type { Receipt } from "./Upload.ts"

/** A file, its receipt, and the receipt as the server sent it. */
export interface Row {
  readonly file: string
  readonly receipt: Receipt
  readonly body: unknown
}

/** A file that was not uploaded, and why. */
export interface Failed {
  readonly file: string
  readonly message: string
}

/** The receipts and the failures, for programs. */
export const answer = (rows: ReadonlyArray<Row>, failures: ReadonlyArray<Failed>) => ({
  reports: rows.map(({ body, file }) => ({ file, ...(typeof body === "object" ? body : {}) })),
  failures
})

/** A table of the receipts, the warnings and the failures, for people. */
export const text = (terminal: Terminal, rows: ReadonlyArray<Row>, failures: ReadonlyArray<Failed>): string =>
  [
    ...(rows.length === 0 ? [] : [Table.make(terminal, columns, [...rows.map(figuresOf), ...totals(rows)])]),
    ...rows.flatMap(({ file, receipt }) =>
      receipt.warnings.map((each) => `${paint(terminal, "yellow", "warning:")} ${plain(`${file}: ${each}`)}`)
    ),
    ...failures.map(({ file, message }) => `${paint(terminal, "red", "failed:")} ${plain(`${file}: ${message}`)}`)
  ].join("\n")

/** A line of the table. The total has no identities: files can share them. */
interface Figures {
  readonly file: string
  readonly executions: Receipt["executions"]
  readonly identities: number | null
}

const figuresOf = ({ file, receipt: { executions, identities } }: Row): Figures => ({ file, executions, identities })

const number = (heading: string, of: (line: Figures) => number | null): Table.Column<Figures> => ({
  heading,
  cell: (line) => String(of(line) ?? ""),
  isNumber: true
})

const columns: ReadonlyArray<Table.Column<Figures>> = [
  { heading: "file", cell: ({ file }) => file, canShrink: true },
  number("received", ({ executions }) => executions.received),
  number("recorded", ({ executions }) => executions.recorded),
  number("duplicates", ({ executions }) => executions.duplicates),
  number("skipped", ({ executions }) => executions.skipped),
  number("identities", ({ identities }) => identities)
]

/** The sum, of two files and more. */
const totals = (rows: ReadonlyArray<Row>): ReadonlyArray<Figures> => {
  const sum = (of: keyof Receipt["executions"]) =>
    rows.reduce((total, { receipt }) => total + receipt.executions[of], 0)
  if (rows.length < 2) return []
  const executions = {
    received: sum("received"),
    recorded: sum("recorded"),
    duplicates: sum("duplicates"),
    skipped: sum("skipped")
  }
  return [{ file: "total", executions, identities: null }]
}
