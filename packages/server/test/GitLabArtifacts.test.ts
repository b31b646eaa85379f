import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { type Lab, SimulatedGitLab } from "@lazaret/forge-simulated"
import { ReadingPace } from "@lazaret/services"
import { Context, Effect, Layer, Option, Redacted, Schedule } from "effect"
import { address, ask, daysAgo, type Found, junit, lazaret, searched, serverOf, zipOf } from "./platformServer.ts"
import { settings } from "./settings.ts"

class GitLab extends Context.Service<GitLab, SimulatedGitLab.SimulatedGitLab>()("test/GitLab") {}

/** A server with a token of a simulated GitLab. */
const connected = Layer.unwrap(
  Effect.map(GitLab, ({ url, webhookSecret }) =>
    serverOf({
      ...settings,
      gitLab: { url, token: Redacted.make("server-token"), groups: new Map(), statuses: true, pause: 0 },
      gitLabWebhookSecret: Option.some(Redacted.make(webhookSecret))
    })
  )
).pipe(
  Layer.provideMerge(Layer.effect(GitLab, SimulatedGitLab.start)),
  Layer.provide(Layer.succeed(ReadingPace, { every: 20 }))
)

/** An archive with the report of one test. */
const archive = (name: string, failure?: string) => zipOf({ "junit.xml": junit(name, failure) })

const namesOf = (found: ReadonlyArray<Found>) =>
  found.map((each) => `${each.pipeline_name} / ${each.job_name} / ${each.test_name}`).toSorted()

layer(connected, { excludeTestServices: true })("artifacts of GitLab CI", (it) => {
  const test = stepsOf(it)
  test("a backfill reads the archives of past pipelines once, and a fork stays a fork", function* () {
    const gitLab = yield* GitLab
    const project = gitLab.addProject({ path: "acme/widgets" })
    const pipeline = (sha: string, createdAt: string, jobs: ReadonlyArray<Partial<Lab.Job>>, parts: object = {}) =>
      gitLab.addPipeline(project, { sha, createdAt, status: "success", jobs, ...parts })
    pipeline("4".repeat(40), daysAgo(40), [{ archive: yield* archive("old"), hasReport: true }])
    pipeline("3".repeat(40), daysAgo(3), [
      { name: "rspec 1/2", archive: yield* archive("adds"), hasReport: true },
      { name: "rspec 2/2", archive: yield* archive("divides"), hasReport: true },
      { name: "build", archive: yield* archive("no report of a test job") },
      { name: "test:apart", hasReport: true },
      { name: "test:expired", archive: yield* archive("expired"), hasReport: true, expiresAt: daysAgo(1) }
    ])
    const from = gitLab.addProject({ path: "eve/widgets" })
    const fork = gitLab.open(project, { head: "f".repeat(40), from, source: "main" })
    pipeline("f".repeat(40), daysAgo(2), [{ archive: yield* archive("of a fork", "<failure/>"), hasReport: true }], {
      ref: `refs/merge-requests/${fork.iid}/head`,
      source: "merge_request_event"
    })
    const own = gitLab.open(project, { head: "e".repeat(40), source: "topic" })
    project.parents.set("d".repeat(40), ["3".repeat(40), "e".repeat(40)])
    pipeline("d".repeat(40), daysAgo(1), [{ archive: yield* archive("adds", "<failure/>"), hasReport: true }], {
      ref: `refs/merge-requests/${own.iid}/merge`,
      source: "merge_request_event"
    })
    const running = pipeline("a".repeat(40), daysAgo(0), [{ archive: yield* archive("early"), hasReport: true }])
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

  test("a delivery of a completed pipeline reads the jobs that the settings name, once, and attempts apart", function* () {
    const gitLab = yield* GitLab
    const project = gitLab.addProject({ path: "acme/gadgets" })
    const url = `${yield* address}/v1/webhooks/gitlab`
    yield* ask("PATCH", "gadgets/settings", { artifacts: ["unit*"] })
    const completed = gitLab.addPipeline(project, {
      sha: "a".repeat(40),
      name: "Nightly",
      createdAt: daysAgo(0),
      jobs: [
        { name: "unit", archive: yield* archive("adds", "<failure/>") },
        { name: "unit", archive: yield* archive("adds") },
        { name: "lint", archive: yield* archive("no") }
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
})
