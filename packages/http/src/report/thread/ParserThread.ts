/** Parsing outside the main thread: formats that are read in one go would block every other request. */
import { Worker } from "node:worker_threads"
import { ParseError, type Parsed } from "@lazaret/ingest"
import { Effect, Semaphore } from "effect"
import * as Blocks from "./Blocks.ts"
import * as Parsing from "./Parsing.ts"

/** Bodies up to this many bytes are parsed at once: that takes some milliseconds, less than a thread needs to start. */
export const smallBody = 131_072

/**
 * Yields the reports of a body: at once when it is small, else in a thread of its own, one body after another.
 *
 * **Details**
 *
 * The blocks are empty afterwards: their memory belongs to the thread. Interrupting it stops
 * the thread. A thread that runs out of memory refuses the body. After a body of usual size the thread waits for the next one
 * for some minutes, because a start costs a multiple of what such a body does.
 */
export const parse = (task: Parsing.Task): Effect.Effect<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError> =>
  lengthOf(task.blocks) <= smallBody
    ? Effect.suspend(() => Effect.fromResult(Parsing.parse(task, Blocks.join(task.blocks))))
    : Semaphore.withPermits(oneAtATime, 1)(inThread(task))

const lengthOf = (blocks: Blocks.Blocks): number => blocks.reduce((sum, { length }) => sum + length, 0)

/** The thread ends after a larger body, which leaves much memory behind; its start is a small part of the work then. */
const keptBody = 4_194_304

/** How long a thread waits for the next body. */
const idleMs = 300_000

/** One for the process, also with several servers in it: two cores are a common machine, and one of them answers requests. */
const oneAtATime = Semaphore.makeUnsafe(1)

/**
 * Enough for the largest report of every format, and little enough for the memory of the process: V8 would take 128 MiB for
 * young objects alone.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js"

const program = new URL(`./worker.${extension}`, import.meta.url)

/** A thread does not inherit how its process finds TypeScript sources. */
const execArgv = extension === "ts" ? ["--conditions=@lazaret/source"] : []

const inThread = (task: Parsing.Task) =>
  Effect.callback<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>((resume) => {
    const worker = take()
    const isKept = lengthOf(task.blocks) <= keptBody
    const reports: Array<Parsed.Parsed & { cases: Array<Parsed.Parsed["cases"][number]> }> = []
    const finish = (result: typeof resume extends (effect: infer E) => void ? E : never, isWhole: boolean): void => {
      worker.off("message", receive).off("error", fail).off("exit", end)
      if (isWhole && isKept) keep(worker)
      else void worker.terminate()
      resume(result)
    }
    const receive = (message: Parsing.Message): void => {
      if (message.kind === "report") reports.push({ ...message.report, cases: [] })
      if (message.kind === "cases") {
        reports.at(-1)?.cases.push(...message.cases)
        worker.postMessage("taken")
      }
      if (message.kind === "failure") finish(Effect.fail(new ParseError.ParseError(message.failure)), true)
      if (message.kind === "end") finish(Effect.succeed(reports), true)
    }
    const fail = (error: unknown): void => finish(outOfMemory(error) ? Effect.fail(tooLarge) : Effect.die(error), false)
    const end = (): void => finish(Effect.die(new Error("the parser thread ended before its body was read")), false)
    worker.on("message", receive).on("error", fail).on("exit", end)
    worker.postMessage(
      task,
      task.blocks.map(({ buffer }) => buffer)
    )
    return Effect.promise(() => {
      worker.off("message", receive).off("error", fail).off("exit", end)
      return worker.terminate()
    })
  })

/** The thread that waits for the next body, and what ends it when none comes. */
let idle: { readonly worker: Worker; readonly ending: NodeJS.Timeout } | null = null

const take = (): Worker => {
  const kept = idle
  idle = null
  if (kept === null) return started()
  clearTimeout(kept.ending)
  kept.worker.ref()
  return kept.worker
}

const started = (): Worker => {
  const worker = new Worker(program, { execArgv, resourceLimits })
  // An error of an idle thread is ignored; an error of a busy thread fails the body that it parses.
  worker.on("error", () => forget(worker)).on("exit", () => forget(worker))
  return worker
}

/** A waiting thread keeps no process alive. */
const keep = (worker: Worker): void => {
  worker.unref()
  const end = (): void => {
    forget(worker)
    void worker.terminate()
  }
  idle = { worker, ending: setTimeout(end, idleMs).unref() }
}

const forget = (worker: Worker): void => {
  if (idle?.worker === worker) idle = null
}

const outOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"

const tooLarge = ParseError.whole("too_large", "The body needs too much memory to be read: send it in several uploads.")
