/** The suite of adapters at a repository for trials: which cases hold, which are broken, which a token cannot bring about. */
import {
  type Case,
  Conformance,
  Platform,
  type QueueCase,
  QueueConformance,
  QueuePlatform
} from "@lazaret/forge-conformance"
import type { Forge, QueueForge } from "@lazaret/services"
import { Cause, Effect, Exit, Layer, Redacted, Schedule } from "effect"
import { GitHub } from "../../src/index.ts"
import * as Scratch from "./Scratch.ts"

/** The outcome of a case; `detail` says what differs, or what the case needs. */
export interface Outcome {
  readonly name: string
  readonly outcome: "holds" | "broken" | "left out"
  readonly detail: string
}

const isWrite = (url: string, method: string): boolean => method !== "GET" && !url.endsWith("/graphql")

/** Counts the requests that write, of everything but the suite itself, until the scope ends. */
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

/**
 * Every case with its outcome, in the order of the suite. Each removes what it made, also when it is broken.
 *
 * **Details**
 *
 * A case that is broken is tried `times` more, with pauses, since reads of GitHub lag behind writes.
 */
export const run = Effect.fnUntraced(function* (target: Scratch.Target, times = 2) {
  const retries = { times, schedule: Schedule.spaced("5 seconds") }
  const { count, original } = yield* counting
  const writes = Effect.sync(() => count.writes)
  const { clean, platform, queue } = yield* Scratch.open(target, { fetch: original, writes })
  const credentials = { _tag: "Token", token: Redacted.make(target.token) } as const
  const ports = Layer.mergeAll(
    GitHub.layer({ apiUrl: target.apiUrl, credentials, isPaced: !target.apiUrl.includes("127.0.0.1") }),
    Layer.succeed(Platform, platform),
    Layer.succeed(QueuePlatform, queue)
  )
  const tried = (proof: Effect.Effect<void, unknown, Platform | QueuePlatform | Forge | QueueForge>) =>
    Effect.exit(Effect.retry(Effect.ensuring(Effect.provide(proof, ports), clean), retries))
  const all: ReadonlyArray<Case | QueueCase> = [...Conformance.cases, ...QueueConformance.cases]
  return yield* Effect.forEach(all, ({ name, needs, run: proof }) =>
    needs.length > 0
      ? Effect.succeed<Outcome>({ name, outcome: "left out", detail: needs.join(", ") })
      : Effect.map(tried(proof), (exit): Outcome =>
          Exit.isSuccess(exit)
            ? { name, outcome: "holds", detail: "" }
            : { name, outcome: "broken", detail: Cause.pretty(exit.cause) }
        )
  )
}, Effect.scoped)
