/** The reads of a gate are cheap: pages of heads, conditional requests, and sweeps within their share of the limits. */
import { assert, describe, it } from "@effect/vitest"
import { BranchRules, Hub, MergeQueue, Workflows } from "@lazaret/forge-simulated"
import { EngineReports, Engines, Queues, QueueForge } from "@lazaret/services"
import { EngineStore, MemoryStores, QueueStore } from "@lazaret/store"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as Budget from "../src/Budget.ts"
import { gateFile, waive } from "./gate.ts"
import { asApp, layer, ref, started } from "./connection.ts"

const passed = (hub: Hub.Hub, repository: Hub.Repository, headSha: string) => {
  const run = Workflows.start(hub, repository, { headSha, jobs: [{ name: "unit" }] })
  Workflows.end(hub, repository, run, { name: "unit", conclusion: "success" })
}

const nameOf = (index: number) => `${index}`.padStart(40, "0")

describe("the heads of open pull requests", () => {
  it.effect("more than a hundred are all read, twenty at a time, and not again while nothing changes", () =>
    Effect.gen(function* () {
      const { github, repository } = yield* started
      const { hub, seen } = github.server
      for (let index = 0; index < 130; index += 1) {
        passed(hub, repository, github.openPull(repository, { head: nameOf(index) }).head.sha)
      }
      yield* Effect.gen(function* () {
        const forge = yield* QueueForge
        const read = Effect.gen(function* () {
          seen.splice(0)
          const open = yield* forge.openPulls(ref, "main")
          const queries = seen.filter(({ operation }) => operation === "graphql").length
          const counted = seen.filter(({ operation, status }) => operation === "pulls/list" && status === 200).length
          return { open: open.length, green: open.filter(({ checks }) => checks.length === 1).length, queries, counted }
        })
        assert.deepStrictEqual(yield* read, { open: 130, green: 130, queries: 7, counted: 2 })
        assert.deepStrictEqual(yield* read, { open: 130, green: 130, queries: 0, counted: 0 })
        github.openPull(repository, { head: nameOf(200) })
        assert.deepStrictEqual(yield* read, { open: 131, green: 130, queries: 1, counted: 1 })
      }).pipe(Effect.provide(layer(github, asApp(github))))
    })
  )

  it.effect("a head whose checks go on is read again when one of them changed, and after five minutes", () =>
    Effect.gen(function* () {
      const { github, repository } = yield* started
      const { hub, seen } = github.server
      const { head } = github.openPull(repository, { head: nameOf(1) })
      const run = Workflows.start(hub, repository, { headSha: head.sha, jobs: [{ name: "unit" }, { name: "e2e" }] })
      yield* Effect.gen(function* () {
        const forge = yield* QueueForge
        const read = Effect.gen(function* () {
          seen.splice(0)
          const [pull] = yield* forge.openPulls(ref, "main")
          const queries = seen.filter(({ operation }) => operation === "graphql").length
          return [queries, ...(pull?.checks ?? []).map(({ state }) => state)]
        })
        const open = ["pending", "pending"]
        assert.deepStrictEqual(yield* read, [1, ...open])
        // What the checks were is known from the second read on.
        assert.deepStrictEqual(yield* read, [1, ...open])
        assert.deepStrictEqual(yield* read, [0, ...open])
        Workflows.end(hub, repository, run, { name: "unit", conclusion: "success" })
        assert.deepStrictEqual(yield* read, [1, "success", "pending"])
        assert.deepStrictEqual(yield* read, [0, "success", "pending"])
        yield* TestClock.adjust("5 minutes")
        assert.deepStrictEqual(yield* read, [1, "success", "pending"])
        Workflows.end(hub, repository, run, { name: "e2e", conclusion: "success" })
        assert.deepStrictEqual(yield* read, [1, "success", "success"])
        assert.deepStrictEqual(yield* read, [0, "success", "success"])
      }).pipe(Effect.provide(layer(github, asApp(github))))
    })
  )

  it.effect("an answer that did not change counts for no limit, and one that did is not the old one", () =>
    Effect.gen(function* () {
      const { github, repository } = yield* started
      const { quota } = github.server
      repository.branchRules?.push(BranchRules.mergeQueue)
      yield* Effect.gen(function* () {
        const forge = yield* QueueForge
        const first = yield* forge.rules(ref, "main")
        const { used } = quota
        assert.deepStrictEqual(yield* forge.rules(ref, "main"), first)
        assert.strictEqual(quota.used, used)
        repository.branchRules?.push(BranchRules.requiredChecks(github))
        assert.lengthOf(yield* forge.rules(ref, "main"), first.length + 1)
        assert.strictEqual(quota.used, used + 1)
      }).pipe(Effect.provide(layer(github, asApp(github))))
    })
  )
})

describe("sweeps within the limits", () => {
  it("whatever was used, a sweep begins when the used part is within its share of the limit for the time that has passed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 15_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (limit, part) => {
        const resetAt = 7_200_000
        const used = Math.floor(limit * part)
        const at = Budget.roomAt({ limit, used, resetAt })
        assert.isAtMost(at, resetAt)
        const elapsed = Math.max(0, at - (resetAt - 3_600_000)) / 3_600_000
        const allowed = limit * Budget.share * (0.1 + 0.9 * elapsed)
        assert.isTrue(at === resetAt || used <= allowed + 1e-6)
      })
    )
  })

  it.effect("the gates of one organisation leave two thirds of each limit to others, however many they are", () =>
    Effect.gen(function* () {
      const { github, repository: first } = yield* started
      const { hub, quota } = github.server
      // As much for each gate as 50 of them have of the 5,000 of an installation.
      const limit = 200
      quota.limit = limit
      yield* TestClock.setTime(Hub.now(hub))
      const others = Array.from({ length: 1 }, (_, index) =>
        github.addRepository({ owner: "acme", name: `more-${index}` })
      )
      const repositories = [first, ...others]
      for (const [index, repository] of repositories.entries()) {
        repository.queue = []
        repository.branchRules?.push(BranchRules.requiredChecks(github), BranchRules.mergeQueue)
        for (let pull = 0; pull < 3; pull += 1) github.openPull(repository, { head: nameOf(1000 * (index + 1) + pull) })
        MergeQueue.enter(repository, 1)
        MergeQueue.turn(hub, repository, Hub.now(hub))
        Workflows.start(hub, repository, {
          headSha: repository.queue[0]?.group?.id ?? "",
          event: "merge_group",
          jobs: [{ name: "unit" }]
        })
      }
      const reports = Layer.succeed(EngineReports, { ofCommit: () => Effect.succeed(null) })
      const stores = yield* Layer.build(MemoryStores.layer)
      const services = Layer.mergeAll(Engines.layer({ publicUrl: null, redact: (text) => text }), Queues.layer).pipe(
        Layer.provide([reports, layer(github, asApp(github)), Layer.succeedContext(stores)])
      )
      yield* Effect.gen(function* () {
        const engines = yield* Engines
        const queues = yield* QueueStore
        const refs = repositories.map(({ name, owner }) => ({ owner, repository: name }))
        for (const each of refs) {
          yield* queues.setConfiguration(each, gateFile, 0)
          yield* waive(each)
          yield* engines.notice(each, "main")
        }
        let most = { used: 0, points: 0 }
        let rounds = 0
        for (let minute = 0; minute < 58; minute += 1) {
          yield* TestClock.adjust("1 minute")
          hub.ahead += 60_000
          rounds += yield* engines.round
          most = { used: Math.max(most.used, quota.used), points: Math.max(most.points, quota.points) }
        }
        const state = yield* Effect.flatMap(EngineStore, (store) => store.state(ref, "main"))
        assert.strictEqual(state.groups.length, 1)
        // Every gate still reads, and one round may cost more than the share.
        assert.isAbove(rounds, 15 * repositories.length)
        assert.isAtMost(most.used, Budget.share * limit + 30)
        assert.isAtMost(most.points, Budget.share * limit + 10)
      }).pipe(Effect.provide(services), Effect.provideContext(stores))
    })
  )
})
