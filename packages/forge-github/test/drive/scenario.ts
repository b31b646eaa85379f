/** Scenarios of a driven queue: each is a sentence and its proof. */
import { strict as assert } from "node:assert"
import { Queues } from "@lazaret/services"
import { QueueStore } from "@lazaret/store"
import { Effect, type Scope } from "effect"
import { ref } from "../connection.ts"
import { type Drive, fileOf, green, type Script, type Settings, start } from "./queue.ts"

/** A scenario. `play` starts its queue, with other settings where they are given, and yields it after the proof. */
export interface Scenario {
  readonly name: string
  readonly play: (more?: Settings) => Effect.Effect<Drive, unknown, Scope.Scope>
}

/** A scenario of a queue with these settings. */
export const scenario = (
  name: string,
  { script = green(), ...settings }: Settings & { readonly script?: Script },
  run: (queue: Drive) => Effect.Effect<void, unknown, Scope.Scope>
): Scenario => ({
  name,
  play: (more) => Effect.tap(start({ ...script }, { ...settings, ...more }), run)
})

/** Compares what was found with what was expected. */
export const same = (found: unknown, expected: unknown): void => assert.deepEqual(found, expected)

/** The setting of a rule that lands by compare-and-set. */
export const pushed = "queue_branch_merge_method: fast-forward"

/** The settings of a queue with batches of four. */
export const batched = { file: fileOf({ rule: `batch_size: 4, ${pushed}` }) }

/** Batches form when everybody is queued: nothing waits, because the queue looks only afterwards. */
export const together = (queue: Drive, ...numbers: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    yield* queue.first.run(Queues.use((queues) => queues.pause(ref, "a batch", "ana")))
    yield* queue.enter(...numbers)
    yield* queue.first.run(Queues.use((queues) => queues.unpause(ref, "ana")))
  })

/** The commands of a kind that were issued. */
export const issued = (queue: Drive, kind: string) =>
  Effect.map(queue.log, (events) =>
    events.flatMap((event) => (event.kind === "issued" && event.command.kind === kind ? [event.command] : []))
  )

/** Proves that no branch is left, and that no command is under way. */
export const quiet = Effect.fnUntraced(function* (queue: Drive) {
  const state = yield* queue.state
  same([queue.branches(), state.inflight.map(({ command }) => command.kind)], [[], []])
})

/** The pull requests that the queue shows. */
export const shown = (queue: Drive) =>
  Effect.map(queue.first.run(QueueStore.use((store) => store.queue(ref))), ({ branches }) =>
    branches.flatMap(({ pullRequests }) => pullRequests.map(({ number }) => number))
  )

/** The message of a commit. */
export const messageOf = ({ platform }: Drive, sha: string): string => platform.history.commit(sha)?.message ?? ""
