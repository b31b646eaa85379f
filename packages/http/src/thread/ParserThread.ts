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
 * the thread. A thread that runs out of memory refuses the body.
 */
export const parse = (
  format: Parsing.Format,
  blocks: Blocks.Blocks
): Effect.Effect<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError> =>
  blocks.reduce((sum, { length }) => sum + length, 0) <= smallBody
    ? Effect.suspend(() => Effect.fromResult(Parsing.parse(format, Blocks.join(blocks))))
    : Semaphore.withPermits(oneAtATime, 1)(inThread(format, blocks))

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

const inThread = (format: Parsing.Format, blocks: Blocks.Blocks) =>
  Effect.callback<ReadonlyArray<Parsed.Parsed>, ParseError.ParseError>((resume) => {
    const transferList = blocks.map(({ buffer }) => buffer)
    const worker = new Worker(program, { workerData: { format, blocks }, transferList, execArgv, resourceLimits })
    const reports: Array<Parsed.Parsed & { cases: Array<Parsed.Parsed["cases"][number]> }> = []
    worker.on("message", (message: Parsing.Message) => {
      if (message.kind === "report") reports.push({ ...message.report, cases: [] })
      if (message.kind === "cases") {
        reports.at(-1)?.cases.push(...message.cases)
        worker.postMessage("taken")
      }
      if (message.kind === "failure") resume(Effect.fail(new ParseError.ParseError(message.failure)))
      if (message.kind === "end") resume(Effect.succeed(reports))
    })
    worker.on("error", (error) => resume(outOfMemory(error) ? Effect.fail(tooLarge) : Effect.die(error)))
    return Effect.promise(() => worker.terminate())
  })

const outOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"

const tooLarge = ParseError.whole("too_large", "The body needs too much memory to be read: send it in several uploads.")
