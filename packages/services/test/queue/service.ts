/** A service with a merge queue that acts, over memory and a platform in memory. */
import type { FailureClass } from "@lazaret/queue"
import {
  type EngineReading,
  EngineReports,
  Forge,
  Engines,
  MergeQueues,
  PlatformSetup,
  QueueForge,
  Queues
} from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore } from "@lazaret/store"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { noon, ref } from "../builders.ts"
import * as Notes from "./simpleNotes.ts"
import * as Platform from "./simpleQueue.ts"

/** The file of a gate that requires the check `unit`. */
export const gate = (shadow: boolean) =>
  `merge_queue:\n  mode: gate\n  shadow: ${shadow}\n  required_checks: [unit]\n  rerun: {per_round: 1}`

/** A gate acts although these tests see none of what it needs. */
const waived = { kind: "trial_waived", reason: "a test", by: "somebody" } as const

const decide = () => ({ events: [] })

/** The setup of a platform of which only the name is known. */
export const setupOf = (name: "github" | "gitlab") =>
  Layer.succeed(
    PlatformSetup,
    PlatformSetup.of({
      platform: Effect.succeed(name),
      read: () => Effect.succeed(PlatformSetup.none),
      forget: () => Effect.void,
      commitOf: () => Effect.die("not used"),
      isShown: () => Effect.die("not used")
    })
  )

/** The value with the fields of each object in another order: PostgreSQL does not keep theirs. */
const turned = <A>(value: A): A => {
  if (Array.isArray(value)) return value.map(turned) as A
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, turned(field)] as const)
  return Object.fromEntries(fields.toReversed()) as A
}

const stores = Layer.effect(
  EngineStore,
  Effect.map(EngineStore, (store) => ({
    ...store,
    state: (of, branch) => Effect.map(store.state(of, branch), turned)
  }))
).pipe(Layer.provideMerge(MemoryStores.layer))

/** A service with a platform, and failures that are judged as the test says. */
export const start = Effect.fnUntraced(function* (configuration: string, name: "github" | "gitlab" = "github") {
  const platform = Platform.make()
  const { forge, notes } = Notes.make()
  const judged = new Map<string, EngineReading.Reports>()
  const layer = Layer.mergeAll(
    Engines.layer({ publicUrl: "https://lazaret.test", redact: (text) => text.replaceAll("the-secret", "…") }),
    Queues.layer,
    MergeQueues.layer
  ).pipe(
    Layer.provideMerge(stores),
    Layer.provide([
      Layer.succeed(QueueForge, platform.forge),
      Layer.succeed(Forge, forge),
      setupOf(name),
      Layer.succeed(EngineReports, { ofCommit: (_, commit) => Effect.sync(() => judged.get(commit) ?? null) })
    ])
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  yield* TestClock.setTime(noon)
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof layer>>) => Effect.provide(effect, context)
  yield* run(QueueStore.use((store) => store.setConfiguration(ref, configuration, noon)))
  yield* run(EngineStore.use((store) => store.append(ref, "main", { at: noon, causes: [waived], decide })))
  const round = run(Engines.use((engines) => engines.round))
  /** News arrive, and the engine runs. */
  const look = Effect.gen(function* () {
    yield* run(Engines.use((engines) => engines.notice(ref, "main")))
    yield* TestClock.adjust("2 seconds")
    return yield* round
  })
  const log = Effect.map(
    run(EngineStore.use((store) => store.log(ref, "main", { before: null, limit: 1000 }))),
    (events) => events.toReversed().flatMap(({ event }) => (event.kind === "trial_waived" ? [] : [event]))
  )
  const fails = (sha: string, of: FailureClass.FailureClass, attempt = 1) => {
    Platform.check(platform, sha, "failure", attempt)
    const failure = { check: "unit", test: "adds", class: of, probability: of === "flaky" ? 0.9 : 0.1 }
    judged.set(sha, { attempt, failures: [failure] })
  }
  return { context, platform, notes, run, round, look, log, fails, judged }
})

/** The conclusion of the queue's check on a commit; undefined before it was set. */
export const conclusionOf = ({ reports }: Platform.SimpleQueue, sha: string) => reports.get(sha)?.conclusion
