/**
 * The suite of adapters and the certification of driven queues at a repository for trials: which cases hold, which are broken, and which
 * this platform cannot bring about with these credentials.
 */
import {
  type Case,
  Conformance,
  IssueConformance,
  type Need,
  needs as reasons,
  Platform,
  QueueConformance,
  QueuePlatform
} from "@lazaret/forge-conformance"
import { Certification, DriveForge, Forge, QueueForge, ScratchForge } from "@lazaret/services"
import { Cause, Context, Effect, Exit, Layer, Logger, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { GitHub } from "../../src/index.ts"
import * as Scratch from "./Scratch.ts"

/** The outcome of a case; `detail` says what differs, or what the case needs. */
export interface Outcome {
  readonly name: string
  readonly outcome: "holds" | "broken" | "left out"
  readonly detail: string
}

const isWrite = (url: string, method: string): boolean => method !== "GET" && !url.endsWith("/graphql")

/** Counts the requests that write, until the scope ends. */
const counting = Effect.acquireRelease(
  Effect.sync(() => {
    const original = globalThis.fetch
    const count = { writes: 0 }
    globalThis.fetch = (input, init) => {
      if (isWrite(String(input instanceof Request ? input.url : input), init?.method ?? "GET")) count.writes += 1
      return original(input, init)
    }
    return { original, count }
  }),
  ({ original }) => Effect.sync(() => void (globalThis.fetch = original))
)

/** A case of either port. */
interface AnyCase extends Pick<Case, "name" | "needs"> {
  readonly run: Effect.Effect<void, unknown, Platform | QueuePlatform | Forge | QueueForge>
}

const all: ReadonlyArray<AnyCase> = [...Conformance.cases, ...QueueConformance.cases]

/** A case that has not ended by then is broken: its clock stands still, and so do the timeouts of the adapter. */
const longest = "15 minutes"

const leftOut = (name: string, detail: string): Outcome => ({ name, outcome: "left out", detail })

const judged = (name: string, fault: string | null): Outcome =>
  fault === null ? { name, outcome: "holds", detail: "" } : { name, outcome: "broken", detail: fault }

/**
 * Every case with its outcome, in the order of the suite. Each removes what it made, also when it is broken.
 *
 * **Details**
 *
 * A case that is broken is tried `times` more, with pauses, since reads of GitHub lag behind writes.
 */
export const run = Effect.fnUntraced(function* (target: Scratch.Target, times = 2) {
  const { adapter: credentials, apiUrl, ref } = target
  const { count } = yield* counting
  const { able, clean, platform, queue } = yield* Scratch.open(
    target,
    Effect.sync(() => count.writes)
  )
  const adapter = yield* GitHub.make({ apiUrl, credentials, isPaced: Scratch.isPaced(apiUrl) })

  yield* Context.get(adapter, Forge).repository(ref)

  const outcomeOf = ({ name, needs, run: proof }: AnyCase) => {
    const missing = needs.filter((need) => !able.has(need))
    if (missing.length > 0) return Effect.succeed(leftOut(name, missing.map(reason).join("; ")))
    const ports = Layer.mergeAll(
      Layer.succeedContext(adapter),
      Layer.succeed(Platform, platform),
      Layer.effect(QueuePlatform, queue(needs)),
      TestClock.layer(),
      Logger.layer([])
    )
    return proof.pipe(
      Effect.provide(ports),
      Effect.timeout(longest),
      Effect.ensuring(clean),
      Effect.retry({ times, schedule: Schedule.spaced("5 seconds") }),
      Effect.exit,
      Effect.map((exit) => judged(name, Exit.isSuccess(exit) ? null : Cause.pretty(exit.cause)))
    )
  }

  const ofPorts = yield* Effect.forEach(all, outcomeOf)
  const ofIssues = IssueConformance.cases.map(({ name }) => leftOut(name, tracker))
  const ports = {
    drive: Context.get(adapter, DriveForge),
    queue: Context.get(adapter, QueueForge),
    scratch: Context.get(adapter, ScratchForge)
  }
  const certified = yield* Certification.run(ports, ref, `${Date.now()}`)
  return [...ofPorts, ...ofIssues, ...certified.map(({ fault, name }) => judged(name, fault))]
}, Effect.scoped)

const reason = (need: Need): string => `it needs ${reasons[need]}`

const tracker = "it needs a repository without issues, and at GitHub nobody but an administrator removes one"
