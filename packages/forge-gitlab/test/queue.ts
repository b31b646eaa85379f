/** A merge queue over the simulated GitLab. */
import { Lab } from "@lazaret/forge-simulated"
import { DriveForge, EngineReports, Engines, MergeQueues, Queues } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore, RepositoryStore, type Stores } from "@lazaret/store"
import { Context, Effect, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Doom } from "@lazaret/forge-conformance"
import { layer, ref, started } from "./connection.ts"

/** The file of a queue that is driven; `rule` are the settings of its only rule. */
export const fileOf = (rule: string, mode = "drive") =>
  [
    "merge_queue:",
    `  mode: ${mode}`,
    `  shadow: ${mode !== "drive"}`,
    "  required_checks: [pipeline]",
    "queue_rules:",
    `  - {name: default, batch_size: 4, batch_max_wait_time: 0s, ${rule}}`
  ].join("\n")

const waived = { kind: "trial_waived", reason: "a test", by: "somebody", mode: "drive" } as const

/** The port with points before and after every write. */
const mortal = (drive: DriveForge["Service"], doom: Doom.Doom): DriveForge["Service"] => {
  const points = Doom.between(doom)
  return DriveForge.of({
    ...drive,
    build: (at, build) => points(drive.build(at, build)),
    publish: (at, branch) => points(drive.publish(at, branch)),
    discard: (at, branch) => points(drive.discard(at, branch)),
    land: (at, move) => points(drive.land(at, move)),
    merge: (at, merge) => points(drive.merge(at, merge)),
    close: (at, number) => points(drive.close(at, number))
  })
}

/**
 * A project whose jobs are called `unit`, with its queue. Jobs on commits with a file called `bad` fail. A server that dies at its doom
 * is followed by another one; one that is `forgetful` takes what was under way for done.
 */
export const start = Effect.fnUntraced(function* (
  file: string,
  settings: Partial<Lab.Settings> = {},
  { doom = Doom.make(), isForgetful = false }: { readonly doom?: Doom.Doom; readonly isForgetful?: boolean } = {}
) {
  const { gitLab, project } = yield* started
  const { objects } = project
  Object.assign(project.settings, { ci: ["unit"], ...settings })
  const tree = objects.tree(null, { readme: "hello", "src/main": "main" })
  project.branches.set("main", objects.write({ tree, parents: [], message: "first" }))
  project.members.set("server-token", Lab.roles.maintainer)
  const reports = Layer.succeed(EngineReports, {
    ofCommit: () =>
      Effect.succeed({ attempt: 1, failures: [{ check: "pipeline", test: "adds", class: "real", probability: null }] })
  })
  const stores = yield* Layer.build(MemoryStores.layer)
  const ports = yield* Layer.build(layer(gitLab))
  const platform = Context.add(ports, DriveForge, mortal(Context.get(ports, DriveForge), doom))
  const over = Layer.mergeAll(Layer.succeedContext(platform), reports)
  const kept = Context.get(stores, EngineStore)
  const begin = (append = kept.append) => {
    const dying = Context.add(stores, EngineStore, Doom.storeOf(kept, doom, append))
    const services = Layer.mergeAll(
      Layer.provide(Engines.layer({ publicUrl: null }), [over, Layer.succeedContext(dying)]),
      Layer.provide(Layer.merge(Queues.layer, MergeQueues.layer), [over, Layer.succeedContext(stores)])
    )
    return Layer.build(Layer.fresh(services))
  }
  let context = yield* begin()
  const scope = yield* Effect.scope
  const run = <A, E>(effect: Effect.Effect<A, E, Engines | MergeQueues | Queues | Stores.Stores>) =>
    Effect.suspend(() => Effect.provide(effect, Context.merge(stores, context)))
  const look = run(Engines.use(({ round: next }) => next))
  const round: typeof look = Effect.gen(function* () {
    const looked = yield* Effect.exit(look)
    if (!doom.isDead) return yield* looked
    doom.isDead = false
    context = yield* Scope.provide(begin(isForgetful ? Doom.forgetting(kept) : kept.append), scope)
    yield* TestClock.adjust("1 minute")
    return yield* look
  })

  yield* TestClock.setTime(1_000_000_000)
  yield* run(QueueStore.use((store) => store.setConfiguration(ref, file, 0)))
  yield* run(RepositoryStore.use((store) => store.change(ref, (known) => ({ ...known, defaultBranch: "main" }), 0)))
  yield* run(
    EngineStore.use((store) => store.append(ref, "main", { at: 0, causes: [waived], decide: () => ({ events: [] }) }))
  )
  yield* run(Engines.use((engines) => engines.notice(ref, "main")))

  const filesOf = (sha: string) => objects.files(objects.commit(sha)?.tree ?? "")
  const commit = (parent: string, files: Readonly<Record<string, string>>) =>
    objects.write({
      tree: objects.tree(objects.commit(parent)?.tree ?? null, files),
      parents: [parent],
      message: "change",
      author: { name: "Ada", email: "ada@example.com" }
    })
  /** Opens a merge request on the tip of the default branch, whose head has passed. */
  const open = (files: Readonly<Record<string, string>>) => {
    const head = commit(project.branches.get("main") ?? "", files)
    const mergeRequest = gitLab.open(project, { head })
    gitLab.addPipeline(project, { sha: head, ref: mergeRequest.source, status: "success" })
    return mergeRequest
  }
  const ask = (number: number) =>
    run(MergeQueues.use((queues) => queues.ask(ref, { number, action: "queue", by: "ana" })))
  /** Time passes: the jobs that run end, and the queue looks. */
  const steps = Effect.fnUntraced(function* (count: number) {
    for (let done = 0; done < count; done += 1) {
      for (const { name, sha, status } of project.statuses.filter((each) => each.status === "running")) {
        if (status === "running")
          Lab.finish(project, { sha, name, status: "bad" in filesOf(sha) ? "failed" : "success" })
      }
      yield* TestClock.adjust("1 minute")
      yield* round
    }
  })
  const log = Effect.map(
    run(EngineStore.use((store) => store.log(ref, "main", { before: null, limit: 10_000 }))),
    (events) => events.toReversed().map(({ event }) => event)
  )
  const state = run(EngineStore.use((store) => store.state(ref, "main")))
  const states = () => project.mergeRequests.map(({ state: of }) => of)
  return { gitLab, project, commit, filesOf, open, ask, steps, log, state, states, run }
})
