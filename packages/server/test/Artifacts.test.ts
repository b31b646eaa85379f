import { assert, layer } from "@effect/vitest"
import { Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { Context, Effect, Layer, Option, Redacted, Schedule, Stream } from "effect"
import { Zip } from "effect/encoding"
import { HttpServer } from "effect/http"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"
import * as Server from "../src/Server.ts"

const admin = "key-of-this-server"

class Simulated extends Context.Service<Simulated, SimulatedGitHub.SimulatedGitHub>()("test/Simulated") {}

/** A server that is an app of a simulated GitHub, which knows the repository acme/widgets. */
const connected = Layer.unwrap(
  Effect.map(Simulated, ({ app, url }) =>
    Server.layer(
      {
        ...settings,
        gitHub: {
          apiUrl: url,
          credentials: { _tag: "App", appId: app.id, privateKey: Redacted.make(app.privateKey) },
          isPaced: false
        },
        gitHubWebhookSecret: Option.some(Redacted.make(app.webhookSecret))
      },
      Redacted.make(admin)
    )
  )
).pipe(Layer.provideMerge(Layer.effect(Simulated, SimulatedGitHub.start)))

const junit = (name: string, failure = "") =>
  `<testsuite><testcase name="${name}" time="1">${failure}</testcase></testsuite>`

const zipOf = (files: Readonly<Record<string, string>>) =>
  Stream.fromIterable(Object.entries(files).map(([path, text]) => Zip.file(path, text))).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runCollect,
    Effect.map((pieces): Uint8Array => Buffer.concat(pieces)),
    Effect.orDie
  )

const dayAgo = (days: number): string => `${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)}Z`

const lazaret = (args: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run([...args, "--json"], { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: admin })
  ).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => {
      assert.strictEqual(exitCode, 0, stderr)
      return JSON.parse(stdout)
    })
  )

const searched = (repo: string) =>
  Effect.map(
    lazaret(["tests", "search", "--repo", repo]),
    (found): ReadonlyArray<{ readonly test_name: string }> => found.tests
  )

layer(connected, { excludeTestServices: true })("artifacts of GitHub Actions", (it) => {
  it.effect("a backfill reads the reports of past runs once, with their times, and forks stay forks", () =>
    Effect.gen(function* () {
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
          createdAt: dayAgo(days),
          artifacts: [artifact("junit-unit", good), artifact("binaries", yield* zipOf({ "x.xml": junit("no") }))]
        })
      }
      github.addRun(repository, {
        headSha: "f".repeat(40),
        createdAt: dayAgo(1),
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
        [dayAgo(3).slice(0, 10), dayAgo(2).slice(0, 10)]
      )
    })
  )

  it.effect("a delivery of a completed run reads the artifacts that the settings name, once", () =>
    Effect.gen(function* () {
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
        github.enqueue(repository, "workflow-run-completed", { workflow_run: { id } })
        const url = `${Server.urlOf(yield* HttpServer.HttpServer)}/v1/webhooks/github`
        assert.deepStrictEqual(yield* github.flush(url), [202])
      })
      yield* deliver(runOf(dayAgo(1)))
      const patch = yield* put("gadgets", { artifacts: ["*junit*"] })
      assert.deepStrictEqual(patch.artifacts, ["*junit*"])
      assert.deepStrictEqual(yield* searched("acme/gadgets"), [], "nothing is read without the setting")

      const completed = runOf(dayAgo(0))
      yield* deliver(completed)
      yield* deliver(completed)
      const found = yield* searched("acme/gadgets").pipe(
        Effect.repeat({ until: (tests) => tests.length > 0, schedule: Schedule.spaced("50 millis") })
      )
      assert.strictEqual(found.length, 1)
      const explained = yield* lazaret(["tests", "explain", "--repo", "acme/gadgets", "adds"])
      assert.strictEqual(explained.identities[0].recent.length, 1)
    })
  )
})

const put = (repository: string, body: object) =>
  Effect.gen(function* () {
    const url = Server.urlOf(yield* HttpServer.HttpServer)
    return yield* Effect.promise((signal) =>
      fetch(`${url}/v1/ci/acme/repositories/${repository}/settings`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal
      }).then((response) => response.json() as Promise<{ readonly artifacts: ReadonlyArray<string> }>)
    )
  })
