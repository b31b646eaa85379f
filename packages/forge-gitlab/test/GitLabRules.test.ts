/** The rules of the adapter that need no server: checks of a commit, reruns, the projects of merge requests. */
import { ForgeError } from "@lazaret/services"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as GitLabChecks from "../src/GitLabChecks.ts"
import type { GitLabClient } from "../src/GitLabClient.ts"
import * as GitLabRuns from "../src/GitLabRuns.ts"
import * as GitLabSources from "../src/GitLabSources.ts"

const ref = { owner: "acme", repository: "widgets" }

type Fields = Readonly<Record<string, unknown>>

const pipeline = (id: number, status: string, parts: Fields = {}) => ({
  id,
  status,
  ref: "main",
  source: "push",
  web_url: `https://git.example/p/${id}`,
  ...parts
})

const job = (id: number, status: string, parts: Fields = {}) => ({
  id,
  status,
  name: "unit",
  ref: "main",
  allow_failure: false,
  target_url: null,
  pipeline_id: 1,
  ...parts
})

interface World {
  readonly pipelines?: ReadonlyArray<Fields>
  readonly jobs?: ReadonlyArray<Fields>
  readonly project?: Fields | ForgeError
}

/** A client that answers with the lists of a world, and notes what is written. */
const clientOf = ({ jobs = [], pipelines = [], project = {} }: World) => {
  const written: Array<string> = []
  const ask = (_: string, __: typeof ref, { path }: { readonly path: string }) => {
    if (path === "" && project instanceof ForgeError) return Effect.fail(project)
    const body = path === "" ? project : path === "/pipelines" ? pipelines : jobs
    return Effect.succeed({ body, next: null })
  }
  const write = (_: string, __: typeof ref, { path }: { readonly path: string }) =>
    Effect.sync(() => void written.push(path))
  // Nothing else of a client is used.
  return { client: { ask, write } as unknown as GitLabClient, written }
}

const checksOf = (world: World) =>
  Effect.map(GitLabChecks.ofCommit(clientOf(world).client, ref, "s"), (checks) =>
    checks.map(({ attempt, name, state }) => `${name} ${state} ${attempt}`)
  )

describe("GitLabChecks.ofCommit", () => {
  it.effect("the pipelines of a commit are one check, as bad as the worst of the newest ones", () =>
    Effect.gen(function* () {
      const of = (...pipelines: ReadonlyArray<Fields>) => checksOf({ pipelines })
      const train = { source: "merge_request_event" }
      assert.deepStrictEqual(yield* of(), [])
      assert.deepStrictEqual(yield* of(pipeline(2, "success"), pipeline(1, "failed")), ["pipeline success 1"])
      assert.deepStrictEqual(yield* of(pipeline(2, "success"), pipeline(1, "failed", train)), ["pipeline failure 1"])
      assert.deepStrictEqual(yield* of(pipeline(2, "failed"), pipeline(1, "running", train)), ["pipeline pending 1"])
      assert.deepStrictEqual(yield* of(pipeline(2, "canceled"), pipeline(1, "success", train)), [
        "pipeline cancelled 1"
      ])
    })
  )

  it.effect("a skipped pipeline says nothing where another one ran, and is skipped where none did", () =>
    Effect.gen(function* () {
      const skipped = pipeline(1, "skipped", { source: "merge_request_event" })
      assert.deepStrictEqual(yield* checksOf({ pipelines: [pipeline(2, "success"), skipped] }), ["pipeline success 1"])
      assert.deepStrictEqual(yield* checksOf({ pipelines: [skipped] }), ["pipeline skipped 1"])
    })
  )

  it.effect("schedules, scratch branches, and parts of other pipelines are no pipeline of the commit", () =>
    Effect.gen(function* () {
      const of = (parts: Fields) => checksOf({ pipelines: [pipeline(1, "failed", parts)] })
      assert.deepStrictEqual(yield* of({ source: "schedule" }), [])
      assert.deepStrictEqual(yield* of({ ref: "lazaret/tmp/1" }), [])
      assert.deepStrictEqual(yield* of({ source: "parent_pipeline" }), [])
      assert.deepStrictEqual(yield* of({ source: "external" }), [])
    })
  )

  it.effect("attempts of a job add up, its latest counts, and the pipeline counts each repetition", () =>
    Effect.gen(function* () {
      const pipelines = [pipeline(1, "success")]
      const jobs = [job(1, "failed"), job(3, "success"), job(2, "failed"), job(4, "success", { name: "lint" })]
      assert.deepStrictEqual(yield* checksOf({ pipelines, jobs }), [
        "unit success 3",
        "lint success 1",
        "pipeline success 3"
      ])
    })
  )

  it.effect("a job of several pipelines has its worst state, and a status without a pipeline stands for itself", () =>
    Effect.gen(function* () {
      const pipelines = [pipeline(1, "success"), pipeline(2, "success", { source: "merge_request_event" })]
      const of = (first: string, second: string) =>
        Effect.map(checksOf({ pipelines, jobs: [job(1, first), job(2, second, { pipeline_id: 2 })] }), ([unit]) => unit)
      assert.strictEqual(yield* of("success", "failed"), "unit failure 2")
      assert.strictEqual(yield* of("running", "failed"), "unit pending 2")
      assert.strictEqual(yield* of("canceled", "skipped"), "unit cancelled 2")
      const alone = [job(1, "failed", { pipeline_id: null }), job(2, "failed", { pipeline_id: 77, name: "lint" })]
      assert.deepStrictEqual(yield* checksOf({ pipelines: [], jobs: alone }), ["unit failure 1"])
    })
  )

  it.effect(
    "a job that may fail is neutral when it does, and one that waits for a person is skipped where it may",
    () =>
      Effect.gen(function* () {
        const of = (status: string, optional: boolean) =>
          Effect.map(
            checksOf({ pipelines: [pipeline(1, "success")], jobs: [job(1, status, { allow_failure: optional })] }),
            ([unit]) => unit
          )
        assert.strictEqual(yield* of("failed", true), "unit neutral 1")
        assert.strictEqual(yield* of("failed", false), "unit failure 1")
        assert.strictEqual(yield* of("manual", true), "unit skipped 1")
        assert.strictEqual(yield* of("manual", false), "unit pending 1")
        assert.strictEqual(yield* of("success", true), "unit success 1")
      })
  )
})

describe("GitLabChecks.rerun", () => {
  const rerun = (world: World, attempt = 1, checks: ReadonlyArray<string> = ["unit"]) => {
    const { client, written } = clientOf(world)
    return Effect.map(GitLabChecks.rerun(client, ref, { attempt, checks, sha: "s" }), (outcome) => [
      outcome,
      ...written
    ])
  }

  it.effect("a pipeline that ended runs its failed jobs again, and one that works is awaited", () =>
    Effect.gen(function* () {
      const jobs = [job(1, "failed")]
      assert.deepStrictEqual(yield* rerun({ pipelines: [pipeline(1, "failed")], jobs }), [
        "started",
        "/pipelines/1/retry"
      ])
      assert.deepStrictEqual(yield* rerun({ pipelines: [pipeline(1, "running")], jobs }), ["running"])
      assert.deepStrictEqual(yield* rerun({ pipelines: [pipeline(1, "failed", { source: "external" })], jobs }), [
        "none"
      ])
      assert.deepStrictEqual(yield* rerun({ pipelines: [pipeline(1, "failed")], jobs: [job(1, "success")] }), ["none"])
      assert.deepStrictEqual(yield* rerun({ pipelines: [pipeline(1, "failed")], jobs }, 1, ["lint"]), ["none"])
    })
  )

  it.effect("the check of pipelines runs those again that failed or were cancelled, and parts of others never", () =>
    Effect.gen(function* () {
      const of = (...pipelines: ReadonlyArray<Fields>) => rerun({ pipelines }, 1, ["pipeline"])
      const train = { source: "merge_request_event" }
      assert.deepStrictEqual(yield* of(pipeline(2, "success"), pipeline(1, "failed", train)), [
        "started",
        "/pipelines/1/retry"
      ])
      assert.deepStrictEqual(yield* of(pipeline(2, "canceled")), ["started", "/pipelines/2/retry"])
      assert.deepStrictEqual(yield* of(pipeline(2, "failed"), pipeline(1, "failed", { source: "parent_pipeline" })), [
        "started",
        "/pipelines/2/retry"
      ])
    })
  )

  it.effect("a check with a later attempt than the known one has been run again", () =>
    Effect.gen(function* () {
      const world = { pipelines: [pipeline(1, "failed")], jobs: [job(1, "failed"), job(2, "failed")] }
      assert.deepStrictEqual(yield* rerun(world, 1), ["started"])
      assert.deepStrictEqual(yield* rerun(world, 2), ["started", "/pipelines/1/retry"])
    })
  )
})

describe("GitLabRuns.cancel", () => {
  it.effect("what has not ended and is not being cancelled is cancelled, of the pipelines that are meant", () =>
    Effect.gen(function* () {
      const statuses = ["running", "success", "failed", "canceled", "skipped", "manual", "canceling"]
      const pipelines = statuses.map((status, index) => pipeline(index, status))
      const all = clientOf({ pipelines })
      assert.lengthOf(yield* GitLabRuns.cancel(all.client, ref, { sha: "s" }), statuses.length)
      assert.deepStrictEqual(all.written, ["/pipelines/0/cancel", "/pipelines/5/cancel"])
      const some = clientOf({ pipelines })
      yield* GitLabRuns.cancel(some.client, ref, { sha: "s" }, ({ id }) => id > 3)
      assert.deepStrictEqual(some.written, ["/pipelines/5/cancel"])
    })
  )
})

describe("GitLabSources.of", () => {
  const of = (from: number | null, project: World["project"] = {}) =>
    GitLabSources.of(clientOf({ project }).client, ref, { source_project_id: from, target_project_id: 1 })

  it.effect("a merge request of its own project is not a fork, and a fork has the namespace of its project", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of(1), { owner: "acme", isFork: false })
      assert.deepStrictEqual(yield* of(2, { path_with_namespace: "ada/tools/widgets" }), {
        owner: "ada/tools",
        isFork: true
      })
    })
  )

  it.effect("a fork that was deleted or is hidden is not known, and another failure is one", () =>
    Effect.gen(function* () {
      const failure = (reason: ForgeError["reason"]) =>
        new ForgeError({ operation: "source", ...ref, reason, message: "404", retryAt: null })
      assert.isNull(yield* of(null))
      assert.isNull(yield* of(2, failure("refused")))
      assert.isNull(yield* of(2, failure("not_installed")))
      assert.strictEqual((yield* Effect.flip(of(2, failure("unavailable")))).reason, "unavailable")
    })
  )
})
