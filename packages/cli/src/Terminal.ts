/** What is known of the terminal that a command prints to: how wide it is, and whether it shows colours. */
import { Context, Effect } from "effect"
import * as Environment from "./Environment.ts"

/**
 * A terminal, or what stands for one.
 *
 * **Details**
 *
 * - `columns`: how wide lines may be; null for a file or a pipe, where nothing is cut.
 * - `hasColours`: whether text may be coloured.
 */
export interface Terminal {
  readonly columns: number | null
  readonly hasColours: boolean
}

/** The output of the process, unless a test says another. */
export const Output = Context.Reference<{ readonly isTTY: boolean; readonly columns: number }>(
  "@lazaret/cli/Terminal/Output",
  { defaultValue: () => ({ isTTY: process.stdout.isTTY === true, columns: process.stdout.columns || 80 }) }
)

/** The terminal of a command. `NO_COLOR`, set to anything, and `TERM=dumb` switch colours off. */
export const current: Effect.Effect<Terminal> = Effect.gen(function* () {
  const output = yield* Output
  if (!output.isTTY) return { columns: null, hasColours: false }
  const isPlain = (yield* Environment.variable("NO_COLOR")) !== null || (yield* Environment.variable("TERM")) === "dumb"
  return { columns: output.columns, hasColours: !isPlain }
})

/** The colours in use. */
export type Colour = "red" | "green" | "yellow" | "dim" | "bold"

const codes: { readonly [C in Colour]: number } = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 }

/** A text in a colour, where the terminal shows colours. */
export const paint = (terminal: Terminal, colour: Colour | null, text: string): string =>
  terminal.hasColours && colour !== null ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text

/** The colour of a health status. */
export const colourOf = (status: string): Colour | null =>
  status === "healthy" ? "green" : status === "flaky" ? "yellow" : status === "broken" ? "red" : null

/** Text of others in one line: nothing in it may move the cursor or fake a line. */
export const plain = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, "\uFFFD")
