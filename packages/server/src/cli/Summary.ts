/**
 * What is shown after an upload.
 *
 * @since 0.1.0
 */
import type { Receipt } from "./Upload.ts"

/**
 * A file and what the server answered to it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Row {
  readonly file: string
  readonly receipt: Receipt
}

/**
 * The receipts for programs.
 *
 * @category conversions
 * @since 0.1.0
 */
export const json = (rows: ReadonlyArray<Row>): string =>
  JSON.stringify({ reports: rows.map(({ file, receipt }) => ({ file, ...receipt })) }, null, 2)

/**
 * The receipts for people: a table, and the warnings below it.
 *
 * @category conversions
 * @since 0.1.0
 */
export const table = (rows: ReadonlyArray<Row>): string => {
  const lines = [headings, ...rows.map(cells), ...(rows.length > 1 ? [totals(rows)] : [])]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const text = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  )
  const warnings = rows.flatMap(({ file, receipt }) => receipt.warnings.map((each) => `warning: ${file}: ${each}`))
  return [...text, ...warnings].join("\n")
}

const headings = ["file", "received", "recorded", "duplicates", "skipped", "identities"]

const counts = ({ executions, identities }: Receipt): ReadonlyArray<number> => [
  executions.received,
  executions.recorded,
  executions.duplicates,
  executions.skipped,
  identities
]

const cells = ({ file, receipt }: Row): ReadonlyArray<string> => [file, ...counts(receipt).map(String)]

/** Files can share identities, so those have no total. */
const totals = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  "total",
  ...[0, 1, 2, 3].map((column) => String(rows.reduce((sum, { receipt }) => sum + (counts(receipt)[column] ?? 0), 0))),
  ""
]
