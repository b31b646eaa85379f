/**
 * A thread that parses one body and hands the cases over in pieces, so that receiving them never takes long: each when the
 * one before has been taken.
 */
import { once } from "node:events"
import { parentPort, workerData } from "node:worker_threads"
import { Result } from "effect"
import * as Blocks from "./Blocks.ts"
import { type Format, type Message, parse } from "./Parsing.ts"

const casesAtOnce = 2000

const say = (message: Message): void => parentPort?.postMessage(message)

// `ParserThread` gives its threads exactly this.
const { blocks, format } = workerData as { readonly format: Format; readonly blocks: Blocks.Blocks }

const parsed = parse(format, Blocks.join(blocks))

if (Result.isFailure(parsed)) {
  const { column, line, message, reason } = parsed.failure
  say({ kind: "failure", failure: { reason, message, line, column } })
} else {
  for (const { cases, ...report } of parsed.success) {
    say({ kind: "report", report })
    for (let start = 0; start < cases.length; start += casesAtOnce) {
      say({ kind: "cases", cases: cases.slice(start, start + casesAtOnce) })
      if (parentPort !== null) await once(parentPort, "message")
    }
  }
  say({ kind: "end" })
}
