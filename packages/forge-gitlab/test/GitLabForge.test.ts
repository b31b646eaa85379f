import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { type CommitReport, Forge, type ForgeError } from "@lazaret/services"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { GitLabGroups } from "../src/index.ts"
import { layer, ref, report, sha, started } from "./connection.ts"

const publish = (parts: Partial<CommitReport> = {}, of = ref) =>
  Effect.flatMap(Forge, (forge) => forge.publish(of, report(parts)))

const failure = <A, R>(effect: Effect.Effect<A, ForgeError, R>) =>
  Effect.flatMap(Effect.result(effect), (result) =>
    Result.isFailure(result) ? Effect.succeed(result.failure) : Effect.die(new Error("it succeeded"))
  )

describe("a report at GitLab", () => {
  test("a report never keeps a pipeline running: without a conclusion there is no status", function* () {
    const { gitLab, project } = yield* started
    gitLab.addPipeline(project, { sha, status: "running", jobs: [{}] })
    yield* Effect.gen(function* () {
      yield* publish({ conclusion: null })
      assert.deepStrictEqual(project.statuses, [])
      yield* publish({ conclusion: "neutral" })
      yield* publish({ conclusion: null })
      assert.deepStrictEqual(
        project.statuses.map(({ status }) => status),
        ["success"]
      )
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("a report on the head of a fork, which has no statuses, does not keep the note from the merge request", function* () {
    const { gitLab, project } = yield* started
    const from = gitLab.addProject({ path: "mallory/widgets" })
    const { iid } = gitLab.open(project, { head: sha, from })
    yield* Effect.gen(function* () {
      const forge = yield* Forge
      yield* publish()
      yield* publish({ commit: "f".repeat(40) })
      assert.deepStrictEqual(project.statuses, [])
      const found = { number: iid, head: sha, base: "main" }
      // The token of the server may read the fork, until its members are others.
      assert.deepStrictEqual(yield* forge.pullsAt(ref, sha), [{ ...found, source: { owner: "mallory", isFork: true } }])
      from.members.clear()
      assert.deepStrictEqual(yield* forge.pullsAt(ref, sha), [{ ...found, source: null }])
      assert.deepStrictEqual(yield* forge.pullsAt(ref, "f".repeat(40)), [])
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("a project in a nested group is reached by the owner that the settings give the group", function* () {
    const { gitLab } = yield* started
    const nested = gitLab.addProject({ path: "acme/platform/backend/api" })
    gitLab.addPipeline(nested, { sha, status: "running", jobs: [{}] })
    const groups = GitLabGroups.parse("backend=acme/platform/backend") ?? GitLabGroups.none
    yield* Effect.provide(publish({}, { owner: "backend", repository: "api" }), layer(gitLab, { groups }))
    assert.strictEqual(nested.statuses.length, 1)
  })
})

describe("failures of GitLab", () => {
  test("a token that is refused is a failure that passes: the operator replaces the token", function* () {
    const { gitLab } = yield* started
    gitLab.server.lab.accounts.delete("server-token")
    const { message, reason, status } = yield* Effect.provide(failure(publish()), layer(gitLab))
    assert.deepStrictEqual([reason, status, message], ["unavailable", 401, "401 401 Unauthorized"])
  })

  test("a role that is too low, and a project that has moved, are refused", function* () {
    const { gitLab, project } = yield* started
    gitLab.addPipeline(project, { sha, status: "running", jobs: [{}] })
    const { iid } = gitLab.open(project, { head: sha })
    project.members.set("server-token", 10)
    yield* Effect.gen(function* () {
      const forge = yield* Forge
      assert.strictEqual((yield* failure(forge.createNote(ref, iid, "Two failures"))).reason, "refused")
      gitLab.move(project, "acme/gadgets")
      const moved = yield* failure(publish())
      assert.deepStrictEqual([moved.reason, moved.message], ["refused", "301 the project has another path now"])
    }).pipe(Effect.provide(layer(gitLab)))
  })

  test("a limit that ends within half a minute is waited for, also by a request that writes", function* () {
    const { gitLab, project } = yield* started
    gitLab.addPipeline(project, { sha, status: "running", jobs: [{}] })
    gitLab.server.faults.next("postApiV4ProjectsIdStatusesSha", { kind: "Secondary", retryAfter: 20 })
    yield* Effect.gen(function* () {
      const published = yield* Effect.forkChild(publish())
      yield* Effect.promise(() => untilSeen(gitLab.server.seen, 2))
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(published)
    }).pipe(Effect.provide(layer(gitLab)))
    assert.strictEqual(project.statuses.length, 1)
  })

  test("a platform that does not answer is unavailable", function* () {
    const { gitLab } = yield* started
    gitLab.server.faults.next("*", { kind: "Silence", when: "before" }, 4)
    yield* Effect.gen(function* () {
      const ended = yield* Effect.forkChild(failure(publish()))
      for (let count = 1; count <= 4; count += 1) {
        yield* Effect.promise(() => untilSeen(gitLab.server.seen, count))
        yield* TestClock.adjust("20 seconds")
      }
      assert.strictEqual((yield* Fiber.join(ended)).reason, "unavailable")
    }).pipe(Effect.provide(layer(gitLab)))
  })
})

/** Waits until this many requests have arrived. */
const untilSeen = async (seen: ReadonlyArray<unknown>, count: number): Promise<void> => {
  while (seen.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 50))
}
