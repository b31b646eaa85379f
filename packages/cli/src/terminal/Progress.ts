/** Progress on stderr: a bar that is drawn over on a terminal, a line now and then elsewhere. */
import { Clock, Effect } from "effect"

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

/** Elsewhere than on a terminal, a line is written after this time, and again whenever as much has passed. */
const pauseMs = 10_000

/**
 * The progress on an output; nothing is shown with `isQuiet`.
 *
 * **Details**
 *
 * A file or a pipe gets lines only for work that takes longer than ten seconds.
 */
export const make = (output: Output, isQuiet: boolean): Progress => {
  if (isQuiet) return { bar: () => Effect.void, waiting: () => Effect.void, clear: Effect.void }
  return output.isTTY === true ? onTerminal(output) : inLines(output)
}

const onTerminal = (output: Output): Progress => {
  let drawn = ""
  const draw = (text: string): Effect.Effect<void> =>
    Effect.sync(() => {
      const line = text.slice(0, (output.columns || 80) - 1)
      if (line !== drawn) output.write(`\r\u001B[K${line}`)
      drawn = line
    })
  return {
    bar: (label, done, total) => draw(barLine(label, done, total)),
    waiting: draw,
    clear: Effect.sync(() => {
      if (drawn !== "") output.write("\r\u001B[K")
      drawn = ""
    })
  }
}

const inLines = (output: Output): Progress => {
  let since: number | null = null
  const say = (text: () => string): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      since ??= now
      if (now - since < pauseMs) return
      output.write(`lazaret: ${text()}\n`)
      since = now
    })
  return {
    bar: (label, done, total) => say(() => `${label} (${percent(done, total)} %)`),
    waiting: (reason) => say(() => reason),
    clear: Effect.void
  }
}

const width = 24

const share = (done: number, total: number): number => (total <= 0 ? 1 : Math.min(1, Math.max(0, done / total)))

const percent = (done: number, total: number): number => Math.floor(share(done, total) * 100)

/** A bar as text. */
export const barLine = (label: string, done: number, total: number): string => {
  const full = Math.round(share(done, total) * width)
  return `[${"#".repeat(full)}${"-".repeat(width - full)}] ${`${percent(done, total)}`.padStart(3)} %  ${label}`
}
