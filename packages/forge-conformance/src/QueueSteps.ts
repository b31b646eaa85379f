/** Steps of the cases of merge queues. */
import { EngineConfiguration } from "@lazaret/queue"
import type { ForgeError, QueueForge } from "@lazaret/services"
import { Effect, Option, Result } from "effect"
import type { Opened, QueuePlatform } from "./QueueCase.ts"

/** The port. */
export type Forge = QueueForge["Service"]
/** The platform behind it. */
export type Platform = QueuePlatform["Service"]

/** The check of the queue on a commit. */
export const report = (sha: string, conclusion: "success" | "failure" | null) => ({
  name: EngineConfiguration.ownCheck,
  sha,
  conclusion,
  title: conclusion ?? "waiting",
  url: null
})

/** The reason of a refusal; `done` for what succeeds. */
export const outcome = <A>(effect: Effect.Effect<A, ForgeError>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.reason : "done"))

/** The entries of the queue. */
export const entriesOf = (forge: Forge, { branch, ref }: Platform) =>
  Effect.map(forge.queue(ref, branch), (found) => Option.getOrElse(found, () => []))

/** The pull requests of the queue. */
export const numbersOf = (forge: Forge, platform: Platform) =>
  Effect.map(entriesOf(forge, platform), (entries) => entries.map(({ number }) => number))

/** Opened pull requests in the queue, with their groups. */
export const queued = (platform: Platform, count: number): Effect.Effect<ReadonlyArray<Opened>> =>
  Effect.gen(function* () {
    const opened = yield* Effect.all(Array.from({ length: count }, () => platform.openPull))
    for (const { number } of opened) yield* platform.enter(number)
    yield* platform.build
    return opened
  })

/** A limit that says when it ends. */
export const limit = { kind: "Secondary", retryAfter: 90 } as const
