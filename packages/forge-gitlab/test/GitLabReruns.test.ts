import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Forge, type ForgeError } from "@lazaret/services"
import { Effect, Logger } from "effect"
import { layer, ref, sha, started } from "./connection.ts"

const merge = "a".repeat(40)

const rerun: Effect.Effect<number, ForgeError, Forge> = Effect.flatMap(Forge, (forge) =>
  forge.rerunFailedJobs(ref, sha)
)

/** A merge request whose merged results have the head as their second parent. */
const opened = Effect.map(started, ({ gitLab, project }) => {
  gitLab.open(project, { head: sha, source: "topic" })
  project.parents.set(merge, ["c".repeat(40), sha])
  return { gitLab, project }
})

describe("reruns at GitLab", () => {
  for (const kind of ["merge", "train"]) {
    test(`the failed jobs of the pipeline of refs/merge-requests/1/${kind} run again, once`, function* () {
      const { gitLab, project } = yield* opened
      const parts = { sha: merge, ref: `refs/merge-requests/1/${kind}`, source: "merge_request_event" }
      const pipeline = gitLab.addPipeline(project, parts)
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* rerun, 1)
        assert.strictEqual(pipeline.retries, 1)
        assert.strictEqual(yield* rerun, 0)
      }).pipe(Effect.provide(layer(gitLab)))
    })
  }

  test("a pipeline of an earlier head, an earlier one of its ref, and one of a fork do not run again", function* () {
    const { gitLab, project } = yield* opened
    const [older, old] = ["d".repeat(40), "e".repeat(40)]
    project.parents.set(old, ["c".repeat(40), older])
    const parts = { source: "merge_request_event" }
    gitLab.addPipeline(project, { ...parts, sha: merge, ref: "refs/merge-requests/1/merge" })
    gitLab.addPipeline(project, { ...parts, sha: merge, ref: "refs/merge-requests/1/merge", status: "success" })
    gitLab.addPipeline(project, { ...parts, sha: old, ref: "refs/merge-requests/1/train" })
    assert.strictEqual(yield* Effect.provide(rerun, layer(gitLab)), 0)
  })

  test("a rerun of nothing is logged", function* () {
    const { gitLab } = yield* opened
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    yield* Effect.provide(rerun, [layer(gitLab), Logger.layer([logger])])
    assert.match(lines.join("\n"), /No failed pipeline/)
  })

  test("a token that may not run a pipeline of a protected ref again is refused, and the failure says so", function* () {
    const { gitLab, project } = yield* opened
    gitLab.addPipeline(project, { sha, ref: "main" })
    project.protectedRefs.add("main")
    const { message, reason } = yield* Effect.provide(Effect.flip(rerun), layer(gitLab))
    assert.strictEqual(reason, "refused")
    assert.match(message, /403.*protected/)
  })
})
