import { assert, describe, it } from "@effect/vitest"
import type { Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { EngineReports, Engines, type ForgeError, QueueForge } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore } from "@lazaret/store"
import { Effect, Layer, Option, Result } from "effect"
import { asApp, layer, ref, sha, started } from "./connection.ts"
import { mergeQueueRule, requiredRule } from "./gate.ts"

/** Runs an effect with the queue of the simulated platform. */
const withQueue = <A, E>(
  run: (
    forge: QueueForge["Service"],
    github: SimulatedGitHub.SimulatedGitHub,
    repository: Hub.Repository
  ) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const { github, repository } = yield* started
    repository.queue = []
    return yield* Effect.flatMap(QueueForge, (forge) => run(forge, github, repository)).pipe(
      Effect.provide(layer(github, asApp(github)))
    )
  })

const group = (repository: Hub.Repository, number: number, id: string, onto = "m0") => {
  const entry = repository.queue?.find((each) => each.number === number)
  if (entry !== undefined) entry.group = { id, onto, at: 0 }
}

const check = (repository: Hub.Repository, headSha: string, name: string, members: Record<string, string>) => {
  const id = repository.checkRuns.length + 1
  repository.checkRuns.push({ id, headSha, appId: 1, members: { name, ...members }, annotations: [] })
}

const passed = { status: "completed", conclusion: "success" }
const failed = { status: "completed", conclusion: "failure" }

const refused = <A, R>(effect: Effect.Effect<A, ForgeError, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure.reason : "done"))

describe("the merge queue of GitHub", () => {
  it.effect("a pull request enters at the head that was given, leaves, and both are idempotent", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        github.openPull(repository, { head: sha })
        assert.strictEqual(yield* refused(forge.enqueue(ref, { number: 1, head: "another" })), "refused")
        yield* forge.enqueue(ref, { number: 1, head: sha })
        yield* forge.enqueue(ref, { number: 1, head: sha })
        const before = Option.getOrThrow(yield* forge.queue(ref, "main"))
        assert.deepStrictEqual(before, [{ number: 1, head: sha, group: null }])
        group(repository, 1, "g1")
        const built = Option.getOrThrow(yield* forge.queue(ref, "main"))
        assert.deepStrictEqual(built[0]?.group, { id: "g1", tree: "tree-of-g1", onto: "m0" })
        yield* forge.dequeue(ref, 1)
        yield* forge.dequeue(ref, 1)
        assert.deepStrictEqual(repository.queue, [])
        assert.isTrue(Option.isNone(yield* forge.queue(ref, "other")))
      })
    )
  )

  it.effect("a merged pull request says as which commit and tree it landed; an unknown one does not exist", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        const pull = github.openPull(repository, { head: sha })
        repository.trees?.set("m1", "t1")
        github.mergePull(repository, pull, "m1")
        const snapshot = Option.getOrThrow(yield* forge.pull(ref, 1))
        assert.deepStrictEqual([snapshot.state, snapshot.landed], ["merged", { sha: "m1", tree: "t1" }])
        assert.isTrue(Option.isNone(yield* forge.pull(ref, 99)))
        assert.deepStrictEqual(yield* forge.openPulls(ref, "main"), [])
      })
    )
  )

  it.effect("a check that ran again counts its attempts, the newest decides, and statuses are checks", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        github.openPull(repository, { head: sha })
        check(repository, sha, "unit", failed)
        check(repository, sha, "unit", { status: "in_progress" })
        check(repository, sha, "lint", passed)
        check(repository, sha, "lazaret/queue", passed)
        repository.statuses.push({ sha, members: { context: "deploy", state: "error" } })
        const checks = yield* forge.checks(ref, sha)
        assert.deepStrictEqual(checks.map(({ attempt, name, state }) => `${name} ${state} ${attempt}`).toSorted(), [
          "deploy error 1",
          "lint success 1",
          "unit pending 2"
        ])
        const [open] = yield* forge.openPulls(ref, "main")
        assert.deepStrictEqual(open?.checks.map(({ name, state }) => `${name} ${state}`).toSorted(), [
          "deploy error",
          "lazaret/queue success",
          "lint success",
          "unit pending"
        ])
      })
    )
  )

  it.effect(
    "the adapter names required checks and the merge queue among the rules, and calls every other rule other",
    () =>
      withQueue((forge, github, repository) =>
        Effect.gen(function* () {
          const source = { ruleset_source_type: "Repository", ruleset_source: "acme/widgets", ruleset_id: 1 }
          repository.branchRules?.push(
            {
              type: "required_status_checks",
              parameters: {
                required_status_checks: [
                  { context: "lazaret/queue", integration_id: github.app.id },
                  { context: "unit" }
                ],
                strict_required_status_checks_policy: false
              },
              ...source
            },
            { ...mergeQueueRule, ...source },
            { type: "deletion", ...source }
          )
          assert.deepStrictEqual(yield* forge.rules(ref, "main"), [
            { kind: "required_check", name: "lazaret/queue", isOurs: true },
            { kind: "required_check", name: "unit", isOurs: false },
            { kind: "merge_queue", timeout: 3_600_000 },
            { kind: "other", name: "deletion" }
          ])
        })
      )
  )

  it.effect("what still runs for a commit is cancelled, and what has ended is left alone", () =>
    withQueue((forge, github, repository) =>
      Effect.gen(function* () {
        const running = github.addRun(repository, { headSha: sha, status: "in_progress", conclusion: null })
        const ended = github.addRun(repository, { headSha: sha, conclusion: "success" })
        yield* forge.cancel(ref, sha)
        yield* forge.cancel(ref, sha)
        assert.deepStrictEqual([running.conclusion, ended.conclusion], ["cancelled", "success"])
      })
    )
  )

  it.live("a gate on GitHub passes a group whose checks are green, and audits what landed", () =>
    Effect.gen(function* () {
      const { github, repository } = yield* started
      repository.queue = []
      const context = yield* Layer.build(
        Engines.layer({ publicUrl: null }).pipe(
          Layer.provideMerge(MemoryStores.layer),
          Layer.provide(Layer.succeed(EngineReports, { ofCommit: () => Effect.succeed(null) })),
          Layer.provide(layer(github, asApp(github)))
        )
      )
      const look = Effect.gen(function* () {
        yield* Effect.flatMap(EngineStore, (store) => store.wake(ref, "main", 0))
        yield* Effect.flatMap(Engines, ({ round }) => round)
      }).pipe(Effect.provide(context))
      const configure = (shadow: boolean) =>
        Effect.provide(
          Effect.flatMap(QueueStore, (store) =>
            store.setConfiguration(
              ref,
              `merge_queue: {mode: gate, shadow: ${shadow}, required_checks: [unit]}`,
              Date.now()
            )
          ),
          context
        )
      yield* configure(false)
      repository.branchRules?.push(requiredRule(github))
      repository.branchRules?.push(mergeQueueRule)
      const pull = github.openPull(repository, { head: sha })
      repository.queue.push({ number: 1, group: { id: "g1", onto: "m0", at: 0 } })
      yield* look
      const own = () =>
        repository.checkRuns
          .filter(({ members }) => members["name"] === "lazaret/queue")
          .map(({ headSha, members }) => [headSha, members["conclusion"] ?? null])
      assert.deepStrictEqual(
        own().toSorted(),
        [
          [sha, null],
          ["g1", null]
        ].toSorted()
      )
      check(repository, "g1", "unit", passed)
      yield* look
      assert.deepInclude(own(), ["g1", "success"])
      repository.queue.pop()
      repository.trees?.set("m1", "another tree")
      github.mergePull(repository, pull, "m1")
      yield* look
      const { alarm, pause } = yield* Effect.provide(
        Effect.flatMap(EngineStore, (store) => store.state(ref, "main")),
        context
      )
      assert.isNotNull(pause ?? alarm)
      assert.match(pause?.reason ?? "", /^tree_mismatch/u)
    }).pipe(Effect.scoped)
  )
})
