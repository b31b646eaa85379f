import { assert, layer } from "@effect/vitest"
import { type Lab, SimulatedGitLab } from "@lazaret/forge-simulated"
import { ReadingPace } from "@lazaret/services"
import { Context, Effect, Layer, Option, Redacted, Schedule, Stream } from "effect"
import { Zip } from "effect/encoding"
import { HttpServer } from "effect/http"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"
import * as Server from "../src/Server.ts"

const admin = "key-of-this-server"

class GitLab extends Context.Service<GitLab, SimulatedGitLab.SimulatedGitLab>()("test/GitLab") {}

/** A server with a token of a simulated GitLab. */
const connected = Layer.unwrap(
  Effect.map(GitLab, ({ url, webhookSecret }) =>
    Server.layer(
      {
        ...settings,
        gitLab: { url, token: Redacted.make("server-token"), groups: new Map(), pause: 0 },
        gitLabWebhookSecret: Option.some(Redacted.make(webhookSecret))
      },
      Redacted.make(admin)
    )
  )
).pipe(
  Layer.provideMerge(Layer.effect(GitLab, SimulatedGitLab.start)),
  Layer.provide(Layer.succeed(ReadingPace, { every: 20 }))
)

const zipOf = (files: Readonly<Record<string, string>>) =>
  Stream.fromIterable(Object.entries(files).map(([path, text]) => Zip.file(path, text))).pipe(
    Stream.pipeThroughChannel(Zip.encode()),
    Stream.runCollect,
    Effect.map((pieces): Uint8Array => Buffer.concat(pieces)),
    Effect.orDie
  )

const junit = (name: string, failure = "") =>
  zipOf({ "junit.xml": `<testsuite><testcase name="${name}" time="1">${failure}</testcase></testsuite>` })

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

const lazaret = (args: ReadonlyArray<string>) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run([...args, "--json"], { LAZARET_URL: Server.urlOf(server), LAZARET_TOKEN: admin })
  ).pipe(
    Effect.map(({ exitCode, stderr, stdout }) => {
      assert.strictEqual(exitCode, 0, stderr)
      return JSON.parse(stdout)
    })
  )

interface Found {
  readonly test_name: string
  readonly pipeline_name: string
  readonly job_name: string
}

const searched = (repo: string) =>
  Effect.map(lazaret(["tests", "search", "--repo", repo]), (found): ReadonlyArray<Found> => found.tests)

const namesOf = (found: ReadonlyArray<Found>) =>
  found.map((each) => `${each.pipeline_name} / ${each.job_name} / ${each.test_name}`).toSorted()

const ask = (method: string, path: string, body?: object) =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    Effect.promise(() =>
      fetch(`${Server.urlOf(server)}/v1/ci/acme/repositories/${path}`, {
        method,
        headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).then((response) => response.json())
    )
  )

layer(connected, { excludeTestServices: true })("artifacts of GitLab CI", (it) => {
  it.effect("a backfill reads the archives of past pipelines once, and a fork stays a fork", () =>
    Effect.gen(function* () {
      const gitLab = yield* GitLab
      const project = gitLab.addProject({ path: "acme/widgets" })
      const pipeline = (sha: string, createdAt: string, jobs: ReadonlyArray<Partial<Lab.Job>>, parts: object = {}) =>
        gitLab.addPipeline(project, { sha, createdAt, status: "success", jobs, ...parts })
      pipeline("4".repeat(40), daysAgo(40), [{ archive: yield* junit("old"), hasReport: true }])
      pipeline("3".repeat(40), daysAgo(3), [
        { name: "rspec 1/2", archive: yield* junit("adds"), hasReport: true },
        { name: "rspec 2/2", archive: yield* junit("divides"), hasReport: true },
        { name: "build", archive: yield* junit("no report of a test job") },
        { name: "test:apart", hasReport: true },
        { name: "test:expired", archive: yield* junit("expired"), hasReport: true, expiresAt: daysAgo(1) }
      ])
      const from = gitLab.addProject({ path: "eve/widgets" })
      const fork = gitLab.open(project, { head: "f".repeat(40), from, source: "main" })
      pipeline("f".repeat(40), daysAgo(2), [{ archive: yield* junit("of a fork", "<failure/>"), hasReport: true }], {
        ref: `refs/merge-requests/${fork.iid}/head`,
        source: "merge_request_event"
      })
      const own = gitLab.open(project, { head: "e".repeat(40), source: "topic" })
      project.parents.set("d".repeat(40), ["3".repeat(40), "e".repeat(40)])
      pipeline("d".repeat(40), daysAgo(1), [{ archive: yield* junit("adds", "<failure/>"), hasReport: true }], {
        ref: `refs/merge-requests/${own.iid}/merge`,
        source: "merge_request_event"
      })
      const running = pipeline("a".repeat(40), daysAgo(0), [{ archive: yield* junit("early"), hasReport: true }])
      running.status = "running"

      const first = yield* lazaret(["backfill", "--repo", "acme/widgets"])
      assert.deepInclude(first, { runs: 3, recorded: 4, duplicates: 0 })
      assert.strictEqual(first.problems.length, 1)
      assert.match(first.problems[0], /^test:apart: .*artifacts: paths/)
      const again = yield* lazaret(["backfill", "--repo", "acme/widgets"])
      assert.deepInclude(again, { recorded: 0, duplicates: 4 })
      assert.deepStrictEqual(namesOf(yield* searched("acme/widgets")), [
        "GitLab CI / rspec / adds",
        "GitLab CI / rspec / divides"
      ])
      const failures = yield* ask("GET", `widgets/commits/${"e".repeat(40)}/failures`)
      assert.include(JSON.stringify(failures), "adds", "a merged result is known by the head of its source")
    })
  )

  it.effect("a delivery of a completed pipeline reads the jobs that the settings name, once, and attempts apart", () =>
    Effect.gen(function* () {
      const gitLab = yield* GitLab
      const project = gitLab.addProject({ path: "acme/gadgets" })
      const url = `${Server.urlOf(yield* HttpServer.HttpServer)}/v1/webhooks/gitlab`
      yield* ask("PATCH", "gadgets/settings", { artifacts: ["unit*"] })
      const completed = gitLab.addPipeline(project, {
        sha: "a".repeat(40),
        name: "Nightly",
        createdAt: daysAgo(0),
        jobs: [
          { name: "unit", archive: yield* junit("adds", "<failure/>") },
          { name: "unit", archive: yield* junit("adds") },
          { name: "lint", archive: yield* junit("no") }
        ]
      })
      const hook = SimulatedGitLab.pipelineHook(project, completed)
      const running = SimulatedGitLab.pipelineHook(project, { ...completed, status: "running" })
      assert.deepStrictEqual(yield* gitLab.deliver(url, [running, hook], ["arrives", "doubled"]), [202, 202, 202])
      const found = yield* searched("acme/gadgets").pipe(
        Effect.repeat({ until: (tests) => tests.length > 0, schedule: Schedule.spaced("50 millis") })
      )
      assert.deepStrictEqual(namesOf(found), ["Nightly / unit / adds"])
      const explained = yield* lazaret(["tests", "explain", "--repo", "acme/gadgets", "adds"]).pipe(
        Effect.repeat({
          until: ({ identities }) => identities[0].recent.length === 2,
          schedule: Schedule.spaced("50 millis")
        })
      )
      assert.include(JSON.stringify(explained), '"flaky"', "the attempts contradict each other on one commit")
    })
  )
})
