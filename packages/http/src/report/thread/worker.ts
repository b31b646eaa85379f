/**
 * A thread that parses one body after another and hands the cases over in pieces, so that receiving them never takes long:
 * each when the one before has been taken.
 */
import { once } from "node:events"
import { type MessagePort, parentPort } from "node:worker_threads"
import { Result } from "effect"
import * as Blocks from "./Blocks.ts"
import { type Message, parse, type Task } from "./Parsing.ts"

const casesAtOnce = 2000

const hand = async (port: MessagePort, task: Task): Promise<void> => {
  const say = (message: Message): void => port.postMessage(message)
  const parsed = parse(task, Blocks.join(task.blocks))
  if (Result.isFailure(parsed)) {
    const { column, line, message, reason } = parsed.failure
    say({ kind: "failure", failure: { reason, message, line, column } })
    return
  }
  for (const { cases, ...report } of parsed.success) {
    say({ kind: "report", report })
    for (let start = 0; start < cases.length; start += casesAtOnce) {
      say({ kind: "cases", cases: cases.slice(start, start + casesAtOnce) })
      await once(port, "message")
    }
  }
  say({ kind: "end" })
}

const serve = async (port: MessagePort): Promise<never> => {
  for (;;) {
    // Between two bodies `ParserThread` sends nothing else.
    const [task] = (await once(port, "message")) as [Task]
    await hand(port, task)
  }
}

if (parentPort !== null) await serve(parentPort)
