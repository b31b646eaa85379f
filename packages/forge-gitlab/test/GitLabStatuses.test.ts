import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Lab } from "@lazaret/forge-simulated"
import { Forge } from "@lazaret/services"
import { Effect, Logger, Schema } from "effect"
import { layer, ref, report, sha, started } from "./connection.ts"

const merge = "a".repeat(40)

const train = "b".repeat(40)

/** The pipelines that a merge request can have: of its branch, of itself, of its merged result, of its train, and of others. */
const kinds = [
  { ref: "topic", sha, source: "push" },
  { ref: "topic", sha, source: "schedule" },
  { ref: "topic", sha, source: "external" },
  { ref: "refs/merge-requests/1/head", sha, source: "merge_request_event" },
  { ref: "refs/merge-requests/1/merge", sha: merge, source: "merge_request_event" },
  { ref: "refs/merge-requests/1/train", sha: train, source: "merge_request_event" }
] as const

const Given = Schema.Array(
  Schema.Struct({
    kind: Schema.Literals([0, 1, 2, 3, 4, 5]),
    status: Schema.Literals(["running", "success", "failed", "canceled", "skipped"]),
    hasJobs: Schema.Boolean
  })
).check(Schema.isMaxLength(4))

const publish = (conclusion: "success" | "failure" | "neutral") =>
  Effect.flatMap(Forge, (forge) => forge.publish(ref, report({ conclusion })))

/** A merge request with pipelines, the oldest first. */
const withPipelines = Effect.fnUntraced(function* (given: typeof Given.Type) {
  const { gitLab, project } = yield* started
  const mergeRequest = gitLab.open(project, { head: sha, source: "topic" })
  for (const { hasJobs, kind, status } of given) {
    gitLab.addPipeline(project, { ...kinds[kind], status, jobs: hasJobs ? [{}] : [] })
  }
  return { gitLab, project, pipelines: () => Lab.pipelinesOf(project, mergeRequest) }
})

const one = (kind: (typeof Given.Type)[number]["kind"], status: "running" | "failed" = "running") => ({
  kind,
  status,
  hasJobs: true
})

describe("the status of a verdict at GitLab", () => {
  it.effect.prop(
    "a verdict never changes which pipeline is the latest of a merge request, and makes no pipeline green that was red",
    { given: Given, conclusion: Schema.Literals(["success", "failure", "neutral"]) },
    ({ conclusion, given }) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { gitLab, pipelines } = yield* withPipelines(given)
          const before = pipelines().map(({ id, source, status }) => ({ id, source, status }))
          yield* Effect.provide(Effect.andThen(publish(conclusion), publish("success")), layer(gitLab))
          assert.deepStrictEqual(
            pipelines().map(({ id }) => id),
            before.map(({ id }) => id)
          )
          for (const [index, { status, source }] of before.entries()) {
            const isRed = source !== "external" && ["failed", "canceled", "skipped"].includes(status)
            if (isRed) assert.notStrictEqual(pipelines()[index]?.status, "success")
          }
        })
      ),
    { arbitrary: { runs: 60 } }
  )

  test("a refused status is a warning that names the remedies, and does not keep the note from the merge request", function* () {
    const { gitLab, project } = yield* withPipelines([one(0)])
    project.protectedRefs.add("topic")
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(
      ({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`)
    )
    yield* Effect.provide(publish("failure"), [layer(gitLab), Logger.layer([logger])])
    assert.deepStrictEqual(project.statuses, [])
    assert.match(lines.join("\n"), /^Warn .*403.*Maintainer.*LAZARET_GITLAB_STATUS=off/u)
  })

  test("a pipeline that was archived, or that has as many jobs as it may, gets no status, and the note is written", function* () {
    const { gitLab, project } = yield* withPipelines([one(0)])
    for (const status of [404, 422]) {
      gitLab.server.faults.next("postApiV4ProjectsIdStatusesSha", { kind: "Status", status, when: "before" })
      yield* Effect.provide(publish("failure"), layer(gitLab))
    }
    assert.deepStrictEqual(project.statuses, [])
  })

  test("a server without statuses reads and writes none", function* () {
    const { gitLab } = yield* withPipelines([one(3)])
    yield* Effect.provide(publish("failure"), layer(gitLab, { statuses: false }))
    assert.deepStrictEqual(gitLab.server.seen, [])
  })

  test("a failed status of a pipeline that only starts others is lifted by the next verdict", function* () {
    const { gitLab, project } = yield* withPipelines([])
    gitLab.addPipeline(project, { ...kinds[3], status: "running", jobs: [{ isBridge: true }] })
    yield* Effect.provide(Effect.andThen(publish("failure"), publish("success")), layer(gitLab))
    assert.deepStrictEqual(
      project.statuses.map(({ status }) => status),
      ["failed", "success"]
    )
  })

  test("a new pipeline of the same commit gets the status, too", function* () {
    const { gitLab, project } = yield* withPipelines([one(3)])
    yield* Effect.gen(function* () {
      yield* publish("failure")
      gitLab.addPipeline(project, { ...kinds[3], status: "running", jobs: [{}] })
      yield* publish("failure")
    }).pipe(Effect.provide(layer(gitLab)))
    assert.deepStrictEqual(
      project.statuses.map(({ pipeline }) => pipeline),
      project.pipelines.map(({ id }) => id)
    )
  })
})
