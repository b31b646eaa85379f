/** Progress on stderr: a bar that is drawn over. Only a terminal shows it. */
import { Effect } from "effect"

/** Where progress goes. */
export interface Progress {
  /** Draws a bar for `done` of `total`. */
  readonly bar: (label: string, done: number, total: number) => Effect.Effect<void>
  /** Shows why nothing moves at the moment. */
  readonly waiting: (reason: string) => Effect.Effect<void>
  /** Removes what was drawn, so that lasting output can follow. */
  readonly clear: Effect.Effect<void>
}

/** What progress is written to: a terminal or a file. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** Progress on an output; `isQuiet` shows nothing at all. */
export const make = (output: Output, isQuiet: boolean): Progress => {
  const isTerminal = output.isTTY === true && !isQuiet
  let drawn = ""
  const draw = (text: string): void => {
    const line = text.slice(0, (output.columns || 80) - 1)
    if (line !== drawn) output.write(`\r\u001B[K${line}`)
    drawn = line
  }
  return {
    bar: (label, done, total) =>
      Effect.sync(() => {
        if (isTerminal) draw(barLine(label, done, total))
      }),
    waiting: (reason) =>
      Effect.sync(() => {
        if (isTerminal) draw(reason)
      }),
    clear: Effect.sync(() => {
      if (drawn !== "") output.write("\r\u001B[K")
      drawn = ""
    })
  }
}

const width = 24

/** A bar as text. */
export const barLine = (label: string, done: number, total: number): string => {
  const share = total <= 0 ? 1 : Math.min(1, Math.max(0, done / total))
  const full = Math.round(share * width)
  return `[${"#".repeat(full)}${"-".repeat(width - full)}] ${`${Math.floor(share * 100)}`.padStart(3)} %  ${label}`
}
