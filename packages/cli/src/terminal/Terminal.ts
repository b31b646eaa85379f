/** The terminal that a command prints to: its width and colours, and text of others made safe to print. */
import { Console, Context, Effect } from "effect"
import * as Environment from "./Environment.ts"

/**
 * The output of a command.
 *
 * **Details**
 *
 * - `columns`: the width of a line; null for a file or a pipe, where lines are never cut.
 * - `hasColours`: whether text may be coloured.
 */
export interface Terminal {
  readonly columns: number | null
  readonly hasColours: boolean
}

/** The output of the process. A test provides another. */
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

/** Control characters, line separators, and characters that change the direction of text. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/gu

const names: Readonly<Record<string, string>> = { "\n": String.raw`\n`, "\r": String.raw`\r`, "\t": String.raw`\t` }

const escaped = (character: string): string =>
  names[character] ?? String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text of others in one line: control characters are shown as in JSON, such as `\n` and `\u001b`. */
export const plain = (text: string): string => text.replaceAll(invisible, escaped)

/**
 * Text as a CI system may print it: no line of it is a workflow command.
 *
 * **Details**
 *
 * GitHub Actions executes lines that begin with `::`, and lines that contain `##[`; Azure Pipelines lines that contain
 * `##vso[`; TeamCity `##teamcity[`. The first character of such a mark is shown as its JSON escape, so that JSON stays the
 * same value. Control characters are escaped, apart from the line feed and the codes of {@link paint}.
 */
export const harmless = (text: string): string =>
  text
    .replaceAll(invisible, (character, at: number) =>
      character === "\n" || (character === "\u001B" && colourCode.test(text.slice(at + 1, at + 5)))
        ? character
        : escaped(character)
    )
    .replaceAll(/##(?=\w*\[)/g, String.raw`\u0023#`)
    .replaceAll(/^(\s*):(?=:)/gm, String.raw`$1\u003a`)

const colourCode = /^\[\d{0,2}m/

/** The console of a command without {@link harmlessConsole}: for workflow commands that the command itself makes. */
export const Unescaped = Context.Reference<Console.Console>("@lazaret/cli/Terminal/Unescaped", {
  defaultValue: () => globalThis.console
})

/** A console that prints {@link harmless} lines only. */
export const harmlessConsole = (console: Console.Console): Console.Console => ({
  ...console,
  log: (...values) => console.log(...values.map(safe)),
  error: (...values) => console.error(...values.map(safe))
})

const safe = (value: unknown): unknown => (typeof value === "string" ? harmless(value) : value)

/** Listens to errors of stdout and stderr: a reader that closed the pipe, as `head` does, changes no exit code. */
export const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE") throw error
}
