/** Progress on stderr: a bar that is drawn over. Only a terminal shows it. */
import { Effect } from "effect"

/** Shows the progress of a command. */
export interface Progress {
  /** Draws a bar for `done` of `total`. */
  readonly bar: (label: string, done: number, total: number) => Effect.Effect<void>
  /** Shows the reason of a pause. */
  readonly waiting: (reason: string) => Effect.Effect<void>
  /** Clears the bar, so that lasting output can follow. */
  readonly clear: Effect.Effect<void>
}

/** The output of the progress: a terminal or a file. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

/** The progress on an output; nothing is shown with `isQuiet`. */
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
