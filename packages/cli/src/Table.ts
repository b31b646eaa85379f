/** Tables for people: columns that line up, and that fit the terminal. */
import { type Colour, paint, plain, type Terminal } from "./Terminal.ts"

/**
 * A column: its heading, the text of a row, and how it is shown.
 *
 * **Details**
 *
 * - `isNumber`: lined up at the right.
 * - `canShrink`: cut, with an ellipsis, when the terminal is too narrow for the table.
 */
export interface Column<A> {
  readonly heading: string
  readonly cell: (row: A) => string
  readonly isNumber?: boolean
  readonly canShrink?: boolean
  readonly colour?: (row: A) => Colour | null
}

/** The table as lines, without a newline at the end. Cells are shown as one line each, whatever is in them. */
export const make = <A>(terminal: Terminal, columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>): string => {
  const cells = rows.map((row) => columns.map((column) => plain(column.cell(row))))
  const natural = columns.map(({ heading }, index) =>
    Math.max(widthOf(heading), ...cells.map((line) => widthOf(line[index] ?? "")))
  )
  const widths = terminal.columns === null ? natural : fitted(columns, natural, terminal.columns)
  const laid = (texts: ReadonlyArray<string>, colourOf: (index: number) => Colour | null): string =>
    columns
      .map(({ isNumber }, index) => {
        const text = cut(texts[index] ?? "", widths[index] ?? 0)
        const gap = " ".repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
        const shown = paint(terminal, colourOf(index), text)
        if (isNumber === true) return gap + shown
        return index === columns.length - 1 ? shown : shown + gap
      })
      .join("  ")
      .trimEnd()
  const heading = laid(
    columns.map((column) => column.heading),
    () => "bold"
  )
  const lines = rows.map((row, line) => laid(cells[line] ?? [], (index) => columns[index]?.colour?.(row) ?? null))
  return [heading, ...lines].join("\n")
}

/** A list of names with what they are, the second column lined up. */
export const fields = (entries: ReadonlyArray<readonly [name: string, text: string]>): string => {
  const width = Math.max(0, ...entries.map(([name]) => widthOf(name)))
  return entries.map(([name, text]) => `${name}${" ".repeat(width - widthOf(name))}  ${text}`.trimEnd()).join("\n")
}

const narrowest = 12

/** The widest column that may shrink gives way, one character at a time, until the table fits. */
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

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u

/** How many columns a text takes: marks none, wide characters two. */
const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

const widthOfCharacter = (character: string): number =>
  character < "\u0300" ? 1 : /\p{M}|\u200D/u.test(character) ? 0 : wide.test(character) ? 2 : 1

const cut = (text: string, most: number): string => {
  if (widthOf(text) <= most) return text
  let kept = ""
  let width = 1
  for (const character of text) {
    width += widthOfCharacter(character)
    if (width > most) break
    kept += character
  }
  return `${kept}…`
}
