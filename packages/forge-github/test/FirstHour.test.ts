import { assert, describe, it } from "@effect/vitest"
import { BranchRules, Workflows } from "@lazaret/forge-simulated"
import type { EngineEvent } from "@lazaret/queue"
import { EngineReports, Engines, PlatformChecks, PlatformSetup, Queues } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore, RepositoryStore, SightingStore } from "@lazaret/store"
import { Repository } from "@lazaret/domain"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { asApp, asWriter, layer as platform, ref, sha, started } from "./connection.ts"

const gateFile = "merge_queue: {mode: gate, shadow: false, required_checks: [unit]}\n"

/** A server at a started GitHub, with the repository in its stores. */
const connected = Effect.gen(function* () {
  const { github, repository } = yield* started
  repository.branches = new Map([["main", sha]])
  repository.tip = sha
  const layer = Layer.mergeAll(
    Engines.layer({ publicUrl: null, redact: (text) => text }),
    Queues.layer,
    PlatformChecks.layer
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, platform(github, asApp(github)))),
    Layer.provide(Layer.succeed(EngineReports, { ofCommit: () => Effect.succeed(null) }))
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  const run = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof layer>>) => Effect.provide(effect, context)
  yield* TestClock.setTime(Date.now())
  yield* run(RepositoryStore.use((store) => store.set(ref, Repository.defaultSettings, 0)))
  const report = run(PlatformChecks.use((checks) => checks.report(ref, { branch: null, hasSecret: true })))
  const stateOf = (name: string) =>
    Effect.map(report, ({ steps }) => steps.find((step) => step.name === name)?.state ?? "absent")
  const note = (kind: "delivery" | "check" | "rerun", name: string) =>
    run(SightingStore.use((store) => store.note(ref, { kind, name, at: 5, detail: null })))
  return { github, repository, run, report, stateOf, note }
})

type Connected = Effect.Success<typeof connected>

/** A gate that its file lets act. */
const withGate = Effect.fnUntraced(function* ({ github, repository, run }: Connected) {
  repository.queue = []
  repository.branchRules?.push(BranchRules.requiredChecks(github), BranchRules.mergeQueue)
  github.grant({ contents: "write" })
  yield* run(QueueStore.use((store) => store.setConfiguration(ref, gateFile, 0)))
  const look = Effect.gen(function* () {
    yield* run(Engines.use((engines) => engines.notice(ref, "main")))
    yield* TestClock.adjust("2 seconds")
    yield* run(Engines.use((engines) => engines.round))
    return yield* run(EngineStore.use((store) => store.state(ref, "main")))
  })
  const isHeld = Effect.map(look, ({ configuration }) => configuration?.shadow)
  const append = (causes: ReadonlyArray<EngineEvent.EngineEvent>) =>
    run(EngineStore.use((store) => store.append(ref, "main", { at: 1, causes, decide: () => ({ events: [] }) })))
  return { isHeld, append }
})

/** A group that passed in the shadow and was merged. */
const merged = (number: number): ReadonlyArray<EngineEvent.EngineEvent> => [
  {
    kind: "group_seen",
    group: { id: `g${number}`, tree: "t", onto: "m0", members: [{ number, head: `h${number}` }] }
  },
  { kind: "group_concluded", group: `g${number}`, conclusion: "success", reason: null },
  { kind: "group_gone", id: `g${number}`, cause: "merged" }
]

describe("the connection of a repository", () => {
  it.effect("the report names the permission that the app lacks, and the page on which its owner grants it", () =>
    Effect.gen(function* () {
      const { github, report, stateOf } = yield* connected
      const { steps } = yield* report
      const contents = steps.find(({ name }) => name === "permission contents: write")
      assert.strictEqual(contents?.state, "missing")
      assert.match(contents?.url ?? "", /\/organizations\/acme\/settings\/apps\/lazaret\/permissions$/u)
      assert.strictEqual(yield* stateOf("permission checks: write"), "ok")
      const [installation] = github.server.hub.installations.values()
      if (installation !== undefined) installation.accepted = github.app.permissions
      github.grant({ contents: "write" })
      const granted = (yield* report).steps.find(({ name }) => name === "permission contents: write")
      assert.match(granted?.action ?? "", /^Accept the new permissions/u)
      assert.match(granted?.url ?? "", /settings\/installations\//u)
      if (installation !== undefined) delete installation.accepted
      assert.strictEqual(yield* stateOf("permission contents: write"), "ok")
    })
  )

  it.effect("an event is missing without a subscription, unverified before a delivery, and ok after one", () =>
    Effect.gen(function* () {
      const { github, note, stateOf } = yield* connected
      assert.strictEqual(yield* stateOf("delivery"), "missing")
      assert.strictEqual(yield* stateOf("event status"), "unverified")
      yield* note("delivery", "status")
      assert.strictEqual(yield* stateOf("event status"), "ok")
      assert.strictEqual(yield* stateOf("delivery"), "ok")
      github.app.events = ["push"]
      assert.strictEqual(yield* stateOf("event status"), "missing")
    })
  )

  it.effect("the report says that the app is suspended, not installed, or unknown to GitHub", () =>
    Effect.gen(function* () {
      const { github, report } = yield* connected
      const app = Effect.map(report, ({ steps }) => steps.find(({ name }) => name === "app")?.message ?? "")
      assert.match(yield* app, /is installed/u)
      const [installation] = github.server.hub.installations.values()
      if (installation !== undefined) installation.isSuspended = true
      assert.match(yield* app, /was suspended at 20/u)
      github.uninstall("acme")
      assert.match(yield* app, /not installed/u)
      github.server.hub.apps.clear()
      assert.match(yield* app, /does not confirm the app/u)
    })
  )

  it.effect("a check is written and read back, a rerun is accepted, and both are noted", () =>
    Effect.gen(function* () {
      const { github, repository, run, stateOf } = yield* connected
      const probe = (rerun: string | null) =>
        run(PlatformChecks.use((checks) => checks.probe(ref, { isWriting: rerun === null, rerun })))
      assert.strictEqual(yield* stateOf("check"), "unverified")
      assert.deepStrictEqual(yield* probe(null), [])
      assert.strictEqual(repository.checkRuns[0]?.members["name"], "lazaret/check")
      assert.strictEqual(yield* stateOf("check"), "ok")

      assert.match((yield* probe(sha))[0] ?? "", /No failed job/u)
      assert.strictEqual(yield* stateOf("rerun"), "unverified")
      const { hub } = github.server
      const flow = Workflows.start(hub, repository, { headSha: sha, event: "push", jobs: [{ name: "unit" }] })
      Workflows.end(hub, repository, flow, { name: "unit", conclusion: "failure" })
      assert.deepStrictEqual(yield* probe(sha), [])
      assert.strictEqual(yield* stateOf("rerun"), "ok")
    })
  )

  it.effect("a write that GitHub refuses is reported, and not noted", () =>
    Effect.gen(function* () {
      const { github, run, stateOf } = yield* connected
      github.grant({ checks: "read" })
      const failures = yield* run(PlatformChecks.use((checks) => checks.probe(ref, { isWriting: true, rerun: null })))
      assert.match(failures[0] ?? "", /refused publish: 403 Resource not accessible by integration/u)
      assert.strictEqual(yield* stateOf("check"), "unverified")
    })
  )

  it.effect("with a token instead of an app, the report says that the app is missing", () =>
    Effect.gen(function* () {
      const { github } = yield* started
      const setup = yield* Effect.provide(
        PlatformSetup.use((port) => port.read(ref)),
        platform(github, asWriter)
      )
      assert.deepStrictEqual(
        setup.steps.map(({ name, state }) => [name, state]),
        [["app", "missing"]]
      )
    })
  )
})

describe("a gate that is to act", () => {
  it.effect(
    "(40) a driven queue says that its platform is not certified, and that the app may not push workflows",
    () =>
      Effect.gen(function* () {
        const all = yield* connected
        const { github, report, run, stateOf } = all
        assert.strictEqual(yield* stateOf("certification"), "absent")
        assert.strictEqual(yield* stateOf("permission workflows: write"), "absent")
        const file = "merge_queue: {mode: drive, shadow: false, required_checks: [unit]}\n"
        yield* run(QueueStore.use((store) => store.setConfiguration(ref, file, 0)))
        const before = yield* report
        assert.deepStrictEqual(
          [before.branch, before.gate, before.drive, before.isReady],
          ["main", "off", "held", false]
        )
        assert.deepStrictEqual(
          before.steps.filter(({ isNeeded, state }) => isNeeded && state !== "ok").map(({ name }) => name),
          ["permission contents: write", "permission workflows: write", "certification"]
        )
        const granted = { contents: "write", workflows: "write" } as const
        github.grant(granted)
        const host = new URL(github.url).host
        const certification = { kind: "certification", name: host, at: 7, detail: "15 cases on acme/scratch" } as const
        yield* run(SightingStore.use((store) => store.note(ref, certification)))
        const after = yield* report
        const found = after.steps.find(({ name }) => name === "certification")
        assert.deepStrictEqual([found?.state, found?.seenAt, after.isReady], ["ok", 7, true])
        yield* run(QueueStore.use((store) => store.setConfiguration(ref, file.replace("false", "true"), 1)))
        assert.strictEqual((yield* report).drive, "shadow")
      })
  )

  it.effect("a gate stays in the shadow until everything that it needs was seen, and acts then", () =>
    Effect.gen(function* () {
      const all = yield* connected
      const { append, isHeld } = yield* withGate(all)
      assert.isTrue(yield* isHeld)
      yield* all.note("delivery", "push")
      yield* all.note("check", "lazaret/check")
      yield* all.note("rerun", "button")
      yield* append(Array.from({ length: 20 }, (_, index) => merged(index + 1)).flat())
      assert.isTrue(yield* isHeld)
      assert.strictEqual((yield* all.report).gate, "held")
      all.github.grant({ actions: "read" })
      const matches = [{ check: "unit", jobs: [{ pipelineName: "CI", jobName: "unit" }], by: "name" as const }]
      yield* append([{ kind: "jobs_seen", sha, matches }])
      assert.isTrue(yield* isHeld)
      assert.isFalse((yield* all.report).isReady)
      all.github.grant({ actions: "write" })
      assert.isTrue((yield* all.report).isReady)
      assert.isFalse(yield* isHeld)
      assert.strictEqual((yield* all.report).gate, "acting")
      // A permission that was seen once is not required again: an acting gate does not leave a live queue.
      all.github.grant({ actions: "read" })
      assert.isFalse(yield* isHeld)
    })
  )

  it.effect("a gate acts when a person ends the trial with a reason", () =>
    Effect.gen(function* () {
      const all = yield* connected
      const { isHeld } = yield* withGate(all)
      assert.isTrue(yield* isHeld)
      const waiver = { branch: null, reason: "tried elsewhere", by: "ada" }
      assert.strictEqual(yield* all.run(PlatformChecks.use((checks) => checks.waive(ref, waiver))), "main")
      assert.isFalse(yield* isHeld)
      yield* all.run(QueueStore.use((store) => store.setConfiguration(ref, "merge_queue: {mode: mirror}\n", 1)))
      const refused = yield* Effect.flip(all.run(PlatformChecks.use((checks) => checks.waive(ref, waiver))))
      assert.strictEqual(refused._tag, "QueueNotGated")
    })
  )
})
