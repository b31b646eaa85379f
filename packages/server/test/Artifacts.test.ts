import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { Context, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { address, ask, daysAgo, junit, lazaret, searched, serverOf, zipOf } from "./platformServer.ts"
import { settings } from "./settings.ts"

class Simulated extends Context.Service<Simulated, SimulatedGitHub.SimulatedGitHub>()("test/Simulated") {}

/** A server that is an app of a simulated GitHub, which knows the repository acme/widgets. */
const connected = Layer.unwrap(
  Effect.map(Simulated, ({ app, url }) =>
    serverOf({
      ...settings,
      gitHub: {
        apiUrl: url,
        credentials: { _tag: "App", appId: app.id, privateKey: Redacted.make(app.privateKey) },
        isPaced: false
      },
      gitHubWebhookSecret: Option.some(Redacted.make(app.webhookSecret))
    })
  )
).pipe(Layer.provideMerge(Layer.effect(Simulated, SimulatedGitHub.start)))

layer(connected, { excludeTestServices: true })("artifacts of GitHub Actions", (it) => {
  const test = stepsOf(it)
  test("a backfill reads the reports of past runs once, with their times, and forks stay forks", function* () {
    const github = yield* Simulated
    const repository = github.addRepository({ owner: "acme", name: "widgets" })
    github.install("acme")
    const artifact = (name: string, zip: Uint8Array): Hub.Artifact => ({
      id: Hub.nextId(github.server.hub),
      name,
      zip
    })
    const good = yield* zipOf({ "unit.xml": junit("adds"), "coverage.xml": "<coverage/>", "cut.xml": "<testsuite" })
    for (const days of [40, 3, 2]) {
      github.addRun(repository, {
        headSha: `c${days}`.padEnd(40, "0"),
        event: "push",
        createdAt: daysAgo(days),
        artifacts: [artifact("junit-unit", good), artifact("binaries", yield* zipOf({ "x.xml": junit("no") }))]
      })
    }
    github.addRun(repository, {
      headSha: "f".repeat(40),
      createdAt: daysAgo(1),
      fork: "eve",
      artifacts: [
        artifact("test-results", yield* zipOf({ "unit.xml": junit("of a fork", "<failure/>") })),
        artifact("junit-broken", new TextEncoder().encode("<html>"))
      ]
    })

    const first = yield* lazaret(["backfill", "--repo", "acme/widgets"])
    assert.deepInclude(first, { runs: 3, artifacts: 4, recorded: 3, duplicates: 0 })
    assert.deepStrictEqual(first.problems.toSorted(), [
      "junit-broken: The file is not a zip archive, or its headers are damaged.",
      ...Array.from({ length: 2 }, () =>
        first.problems.find((each: string) => each.startsWith("junit-unit: cut.xml: "))
      )
    ])
    const again = yield* lazaret(["backfill", "--repo", "acme/widgets", "--days", "30"])
    assert.deepInclude(again, { recorded: 0, duplicates: 3 })

    assert.deepStrictEqual(
      (yield* searched("acme/widgets")).map(({ test_name }) => test_name),
      ["adds"]
    )
    const explained = yield* lazaret(["tests", "explain", "--repo", "acme/widgets", "adds"])
    assert.deepStrictEqual(
      explained.identities[0].recent.map((each: { finished_at: string }) => each.finished_at.slice(0, 10)).toSorted(),
      [daysAgo(3).slice(0, 10), daysAgo(2).slice(0, 10)]
    )
  })

  test("a delivery of a completed run reads the artifacts that the settings name, once", function* () {
    const github = yield* Simulated
    const repository = github.addRepository({ owner: "acme", name: "gadgets" })
    github.install("acme")
    const artifact = {
      id: Hub.nextId(github.server.hub),
      name: "JUnit",
      zip: yield* zipOf({ "a.xml": junit("adds") })
    }
    const runOf = (createdAt: string) =>
      github.addRun(repository, { headSha: "a".repeat(40), event: "push", createdAt, artifacts: [artifact] })
    const deliver = Effect.fnUntraced(function* (completed: Hub.WorkflowRun) {
      const { id } = completed
      const workflow_run = { id, name: "CI", head_sha: "a".repeat(40), run_attempt: 1 }
      github.enqueue(repository, "workflow-run-completed", { workflow_run })
      const url = `${yield* address}/v1/webhooks/github`
      assert.deepStrictEqual(yield* github.flush(url), [202])
    })
    yield* deliver(runOf(daysAgo(1)))
    const patch = yield* ask("PATCH", "gadgets/settings", { artifacts: ["*junit*"] })
    assert.deepStrictEqual(patch.artifacts, ["*junit*"])
    assert.deepStrictEqual(yield* searched("acme/gadgets"), [], "without the setting nothing is read at once")

    const completed = runOf(daysAgo(0))
    yield* deliver(completed)
    yield* deliver(completed)
    const found = yield* searched("acme/gadgets").pipe(
      Effect.repeat({ until: (tests) => tests.length > 0, schedule: Schedule.spaced("50 millis") })
    )
    assert.strictEqual(found.length, 1)
    const explained = yield* lazaret(["tests", "explain", "--repo", "acme/gadgets", "adds"])
    assert.strictEqual(explained.identities[0].recent.length, 1)
  })
})
