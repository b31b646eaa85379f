/** A queue that is driven, over a platform without its network, and over stores that outlive its servers. */
import type { FailureClass, QueueCheck } from "@lazaret/queue"
import { History } from "@lazaret/forge-simulated"
import { DriveForge, EngineReports, Engines, Forge, MergeQueues, QueueForge, Queues } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore, RepositoryStore, type Stores } from "@lazaret/store"
import { Context, type Duration, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ref } from "../connection.ts"
import { Doom } from "@lazaret/forge-conformance"
import * as Platform from "./platform.ts"

/**
 * The script of a test.
 *
 * **Details**
 *
 * - `ci`: the end of the check `unit` on a commit with these files; null: it goes on.
 * - `judge`: the class of the failures on a commit with these files; a list: of one failed test each.
 */
export interface Script {
  ci: (files: ReadonlySet<string>, attempt: number, sha: string) => QueueCheck.EndState | null
  judge: (files: ReadonlySet<string>) => FailureClass.FailureClass | ReadonlyArray<FailureClass.FailureClass>
}

/** Everything passes, and what fails is judged real. */
export const green = (): Script => ({ ci: () => "success", judge: () => "real" })

/** Commits with one of these files fail. */
export const failing = (...files: ReadonlyArray<string>): Script => ({
  ci: (all) => (files.some((file) => all.has(file)) ? "failure" : "success"),
  judge: () => "real"
})

/** The file of a queue that is driven; `rule` are the settings of its only rule, `more` those of the queue. */
export const fileOf = ({ more = "", rule = "batch_size: 4", shadow = false } = {}) =>
  [
    "merge_queue:",
    "  mode: drive",
    `  shadow: ${shadow}`,
    "  required_checks: [unit]",
    ...(more === "" ? [] : [`  ${more}`]),
    "queue_rules:",
    `  - {name: default, batch_max_wait_time: 0s, ${rule}}`
  ].join("\n")

/** The settings of a test: the file, the history, the stores, and when a server dies; the next one may take what it finds for done (`isForgetful`). */
export interface Settings {
  readonly file?: string
  readonly history?: Effect.Effect<History.History, unknown, Scope.Scope>
  readonly doom?: Doom.Doom
  readonly isForgetful?: boolean
  readonly stores?: Effect.Effect<Context.Context<Stores.Stores>, unknown, Scope.Scope>
  readonly isCertified?: boolean
}

const waived = { kind: "trial_waived", reason: "a test", by: "somebody", mode: "drive" } as const

/** Starts and ends the check of every branch of the queue, and of every head, as the script says. */
export const runCi = (platform: Platform.Platform, script: Script): void => {
  const { history, pulls, runs } = platform
  const branches = [...history.branches()].flatMap(([name, sha]) => (name.startsWith("lazaret/queue/") ? [sha] : []))
  const heads = [...pulls.values()].flatMap((pull) => (pull.state === "open" ? [pull.head] : []))
  for (const sha of new Set([...branches, ...heads])) {
    if (!runs.has(sha)) runs.set(sha, { attempt: 1, checks: new Map([["unit", "pending"]]) })
  }
  for (const [sha, { attempt, checks }] of runs) {
    if (checks.get("unit") !== "pending") continue
    const end = script.ci(new Set(Object.keys(history.files(sha))), attempt, sha)
    if (end !== null) checks.set("unit", end)
  }
}

/** A started platform, and a queue over it. */
export const start = Effect.fnUntraced(function* (script: Script, settings: Settings = {}) {
  const { doom = Doom.make(), file = fileOf(), isCertified = true } = settings
  const history = yield* settings.history ?? Effect.sync(History.memory)
  const platform = Platform.make(history)
  platform.point = Doom.point(doom)
  const ports = Platform.portsOf(platform)
  const stores = yield* settings.stores ?? Layer.build(MemoryStores.layer)
  const reports = Layer.succeed(EngineReports, {
    ofCommit: (_, commit) =>
      Effect.sync(() => {
        const attempt = platform.runs.get(commit)?.attempt ?? 1
        const judged = script.judge(new Set(Object.keys(history.files(commit))))
        const failureOf = (of: FailureClass.FailureClass, index: number) => ({
          check: "unit",
          test: index === 0 ? "adds" : `adds ${index}`,
          class: of,
          probability: null
        })
        return { attempt, failures: (typeof judged === "string" ? [judged] : judged).map(failureOf) }
      })
  })
  const provided = Layer.mergeAll(
    reports,
    Layer.succeed(QueueForge, ports.queue),
    Layer.succeed(DriveForge, ports.drive),
    Layer.succeed(Forge, ports.forge)
  )
  /** A server over the stores, whose rounds may end in its death: then another one is started, when the lease has run out. */
  const serverOver = Effect.fnUntraced(function* (over: Context.Context<Stores.Stores>) {
    const store = Context.get(over, EngineStore)
    const begin = (append = store.append) => {
      const mortal = Context.add(over, EngineStore, Doom.storeOf(store, doom, append))
      const layer = Layer.mergeAll(
        Layer.provide(Engines.layer({ publicUrl: null }), [provided, Layer.succeedContext(mortal)]),
        Layer.provide(Layer.merge(Queues.layer, MergeQueues.layer), [provided, Layer.succeedContext(over)])
      )
      return Layer.build(Layer.fresh(layer))
    }
    let context = yield* begin()
    const scope = yield* Effect.scope
    const look = Effect.suspend(() => Context.get(context, Engines).round)
    const round: typeof look = Effect.gen(function* () {
      const looked = yield* Effect.exit(look)
      if (!doom.isDead) return yield* looked
      doom.isDead = false
      context = yield* Scope.provide(
        begin(settings.isForgetful === true ? Doom.forgetting(store) : store.append),
        scope
      )
      yield* TestClock.adjust("1 minute")
      runCi(platform, script)
      return yield* look
    })
    return {
      round,
      run: <A, E>(effect: Effect.Effect<A, E, Engines | MergeQueues | Queues | Stores.Stores>) =>
        Effect.suspend(() => Effect.provide(effect, Context.merge(over, context)))
    }
  })
  const first = yield* serverOver(stores)
  yield* TestClock.setTime(1_000_000_000)
  yield* first.run(QueueStore.use((store) => store.setConfiguration(ref, file, 0)))
  yield* first.run(
    RepositoryStore.use((store) => store.change(ref, (known) => ({ ...known, defaultBranch: "main" }), 0))
  )
  if (isCertified) {
    const step = { at: 0, causes: [waived], decide: () => ({ events: [] }) }
    yield* first.run(EngineStore.use((store) => store.append(ref, "main", step)))
  }
  const notice = first.run(Engines.use((engines) => engines.notice(ref, "main")))
  yield* notice

  /** Time passes in steps: CI goes on, a step passes, and the queue looks. */
  const steps = Effect.fnUntraced(function* (count: number, step: Duration.Input = "1 minute") {
    for (let done = 0; done < count; done += 1) {
      runCi(platform, script)
      yield* TestClock.adjust(step)
      yield* first.round
    }
    runCi(platform, script)
  })
  const asked = new Set<number>()
  const ask = Effect.fnUntraced(function* (
    number: number,
    more: { readonly rule?: string; readonly priority?: number } = {}
  ) {
    asked.add(number)
    yield* first.run(MergeQueues.use((queues) => queues.ask(ref, { number, action: "queue", by: "ana", ...more })))
  })
  const leave = (number: number) =>
    first.run(MergeQueues.use((queues) => queues.ask(ref, { number, action: "dequeue", by: "ana" })))
  /** Opens pull requests, lets their heads pass, and queues them. */
  const enter = Effect.fnUntraced(function* (...numbers: ReadonlyArray<number>) {
    for (const number of numbers) {
      if (!platform.pulls.has(number)) Platform.open(platform, number)
      yield* ask(number)
    }
  })
  const state = first.run(EngineStore.use((store) => store.state(ref, "main")))
  const log = Effect.map(
    first.run(EngineStore.use((store) => store.log(ref, "main", { before: null, limit: 10_000 }))),
    (events) => events.toReversed().map(({ event }) => event)
  )
  const view = Effect.map(first.run(MergeQueues.use((queues) => queues.engines(ref))), ({ engines }) => engines[0])
  const merged = () =>
    [...platform.pulls.values()].filter((pull) => pull.state === "merged").map(({ number }) => number)
  const branches = () => [...history.branches().keys()].filter((name) => name !== "main")
  const left = Effect.map(log, (events) =>
    events.flatMap((event) => (event.kind === "dequeued" ? [`#${event.number} ${event.reason.code}`] : []))
  )
  /** The commits that were tested on branches of the queue, or in place. */
  const rounds = Effect.map(log, (events) =>
    events.filter(
      (event) => event.kind === "round_begun" || (event.kind === "issued" && event.command.kind === "publish")
    )
  )
  return {
    platform,
    script,
    stores,
    first,
    serverOver,
    notice,
    steps,
    asked,
    ask,
    leave,
    enter,
    state,
    log,
    view,
    merged,
    branches,
    left,
    rounds
  }
})

/** A queue that was started. */
export type Drive = Effect.Success<ReturnType<typeof start>>
