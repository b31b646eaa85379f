import { assert, describe, it } from "@effect/vitest"
import { Lab } from "@lazaret/forge-simulated"
import { Forge, PlatformSetup } from "@lazaret/services"
import { Effect } from "effect"
import { layer, ref, report, sha, started } from "./connection.ts"

const read = PlatformSetup.use((setup) => setup.read(ref))

describe("the connection to GitLab", () => {
  it.effect("the report names the role that the token lacks, and a token that is missing", () =>
    Effect.gen(function* () {
      const { gitLab, project } = yield* started
      const tokenStep = (parts = {}) =>
        Effect.map(
          Effect.provide(read, layer(gitLab, parts)),
          ({ steps: [first] }) => `${first?.state}: ${first?.message}`
        )
      project.members.set("server-token", Lab.roles.reporter)
      assert.strictEqual(yield* tokenStep(), "missing: It may only read the project.")
      project.members.set("server-token", Lab.roles.developer)
      assert.match(yield* tokenStep(), /^ok/u)
      assert.match(yield* tokenStep({ token: null }), /^missing: The server has no token/u)
    })
  )

  it.effect("a status is written on the newest pipeline and read back, and needs a pipeline", () =>
    Effect.gen(function* () {
      const { gitLab, project } = yield* started
      project.members.set("server-token", Lab.roles.developer)
      yield* Effect.gen(function* () {
        const setup = yield* PlatformSetup
        const error = yield* Effect.flip(setup.commitOf(ref))
        assert.match(error.message, /has no pipeline/u)
        gitLab.addPipeline(project, { sha: "a".repeat(40), jobs: [{}] })
        gitLab.addPipeline(project, { sha, jobs: [{}] })
        assert.strictEqual(yield* setup.commitOf(ref), sha)
        assert.isFalse(yield* setup.isShown(ref, sha, "lazaret/check"))
        yield* Forge.use((forge) => forge.publish(ref, report({ name: "lazaret/check", conclusion: "success" })))
        assert.isTrue(yield* setup.isShown(ref, sha, "lazaret/check"))
      }).pipe(Effect.provide(layer(gitLab)))
    })
  )
})
