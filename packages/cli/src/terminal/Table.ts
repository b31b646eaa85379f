/** Tables for people: aligned columns that fit the terminal. */
import stringWidth from "string-width"
import { type Colour, paint, plain, type Terminal } from "./Terminal.ts"

/**
 * A column of a table.
 *
 * **Details**
 *
 * - `isNumber`: aligned at the right.
 * - `canShrink`: cut, with an ellipsis, when the terminal is too narrow for the table.
 */
export interface Column<A> {
  readonly heading: string
  readonly cell: (row: A) => string
  readonly isNumber?: boolean
  readonly canShrink?: boolean
  readonly colour?: (row: A) => Colour | null
}

/** The table as lines, without a newline at the end. Each cell is one line: control characters in it are escaped. */
export const make = <A>(terminal: Terminal, columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>): string => {
  const cells = rows.map((row) => columns.map((column) => plain(column.cell(row))))
  const natural = columns.map(({ heading }, index) =>
    Math.max(stringWidth(heading), ...cells.map((line) => stringWidth(line[index] ?? "")))
  )
  const widths = terminal.columns === null ? natural : fitted(columns, natural, terminal.columns)
  const line = (texts: ReadonlyArray<string>, colourOf: (index: number) => Colour | null): string =>
    columns
      .map(({ isNumber }, index) => {
        const text = cut(texts[index] ?? "", widths[index] ?? 0)
        const gap = " ".repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(text)))
        const shown = paint(terminal, colourOf(index), text)
        if (isNumber === true) return gap + shown
        return index === columns.length - 1 ? shown : shown + gap
      })
      .join("  ")
      .trimEnd()
  const heading = line(
    columns.map((column) => column.heading),
    () => "bold"
  )
  return [
    heading,
    ...rows.map((row, at) => line(cells[at] ?? [], (index) => columns[index]?.colour?.(row) ?? null))
  ].join("\n")
}

/** Names and their texts, with the texts aligned. */
export const fields = (entries: ReadonlyArray<readonly [name: string, text: string]>): string => {
  const width = Math.max(0, ...entries.map(([name]) => stringWidth(name)))
  return entries.map(([name, text]) => `${name}${" ".repeat(width - stringWidth(name))}  ${text}`.trimEnd()).join("\n")
}

/** No column shrinks below this width. */
const narrowest = 12

/** Shrinks the widest column that may shrink by one character at a time, until the table fits. */
const fitted = <A>(
  columns: ReadonlyArray<Column<A>>,
  natural: ReadonlyArray<number>,
  most: number
): ReadonlyArray<number> => {
  const widths = [...natural]
  let surplus = widths.reduce((sum, width) => sum + width, 2 * (columns.length - 1)) - most
  while (surplus > 0) {
    const shrinkable = columns.flatMap(({ canShrink }, index) => (canShrink === true ? [index] : []))
    const widest = Math.max(...shrinkable.map((index) => widths[index] ?? 0))
    const next = shrinkable.find((index) => widths[index] === widest)
    if (next === undefined || widest <= narrowest) return widths
    widths[next] = widest - 1
    surplus -= 1
  }
  return widths
}

const graphemes = new Intl.Segmenter()

/** The beginning of a text that fits, with an ellipsis; a character of several code points is never cut. */
const cut = (text: string, most: number): string => {
  if (stringWidth(text) <= most) return text
  let kept = ""
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) > most - 1) break
    kept += segment
  }
  return `${kept}…`
}
