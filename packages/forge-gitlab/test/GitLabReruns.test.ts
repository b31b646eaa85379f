import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Forge, type ForgeError } from "@lazaret/services"
import { Effect, Logger } from "effect"
import { layer, ref, sha, started } from "./connection.ts"

const rerun: Effect.Effect<number, ForgeError, Forge> = Effect.flatMap(Forge, (forge) =>
  forge.rerunFailedJobs(ref, sha)
)

const opened = Effect.tap(started, ({ gitLab, project }) =>
  Effect.sync(() => gitLab.open(project, { head: sha, source: "topic" }))
)

describe("reruns at GitLab", () => {
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
