import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Lab } from "@lazaret/forge-simulated"
import { Forge, PlatformSetup } from "@lazaret/services"
import { Effect } from "effect"
import { layer, ref, report, sha, started } from "./connection.ts"

const read = PlatformSetup.use((setup) => setup.read(ref))

describe("the connection to GitLab", () => {
  test("the report names the role that the token lacks, and a token that is missing", function* () {
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

  test("the report names the events that the webhook does not send, where the token shows it", function* () {
    const { gitLab, project } = yield* started
    const events = Effect.map(Effect.provide(read, layer(gitLab)), (setup) =>
      Object.fromEntries(setup.events.map(({ event, message, state }) => [event, `${state}: ${message}`]))
    )
    const send = { push_events: true, merge_requests_events: true, note_events: true, pipeline_events: false }
    project.hooks.push(
      { id: 1, url: "https://other.test/hook", token: "", events: { ...send, pipeline_events: true } },
      { id: 2, url: "https://lazaret.test/v1/webhooks/gitlab", token: "", events: send }
    )
    project.members.set("server-token", Lab.roles.developer)
    assert.strictEqual((yield* events)["Pipeline Hook"], "unverified: None has arrived yet.")
    project.members.set("server-token", Lab.roles.maintainer)
    assert.deepStrictEqual(yield* events, {
      "Merge Request Hook": "unverified: GitLab sends it; none has arrived yet.",
      "Pipeline Hook": "missing: The webhook of the project does not send it.",
      "Note Hook": "unverified: GitLab sends it; none has arrived yet.",
      "Push Hook": "unverified: GitLab sends it; none has arrived yet."
    })
    project.hooks.pop()
    assert.strictEqual((yield* events)["Pipeline Hook"], "unverified: None has arrived yet.")
  })

  test("a status is written on the newest pipeline and read back, and needs a pipeline", function* () {
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
})
