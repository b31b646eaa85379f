import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { type Lab, SimulatedGitLab } from "@lazaret/forge-simulated"
import { PublicationPace } from "@lazaret/services"
import { ConfigProvider, Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import * as Settings from "../src/Settings.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"

const base = "f".repeat(40)

class GitLab extends Context.Service<GitLab, SimulatedGitLab.SimulatedGitLab>()("test/GitLab") {}

/** The environment of docs/how-to/gitlab.md, in memory. */
const environmentOf = ({ url, webhookSecret }: SimulatedGitLab.SimulatedGitLab) => {
  const folder = mkdtempSync(join(tmpdir(), "lazaret-gitlab-"))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  return {
    PORT: "0",
    LAZARET_STORE: "memory",
    LAZARET_PUBLIC_URL: "https://lazaret.test",
    LAZARET_REDACT: "ACME-[0-9]+",
    LAZARET_GITLAB_URL: url,
    LAZARET_GITLAB_TOKEN_FILE: file("token", "glpat-0123456789abcdefghij\n"),
    LAZARET_GITLAB_WEBHOOK_SECRET_FILE: file("webhook-secret", webhookSecret),
    LAZARET_GITLAB_GROUPS: "backend=acme/platform/backend"
  }
}

/** A server with that environment. */
const connected = Layer.unwrap(
  Effect.gen(function* () {
    const gitLab = yield* GitLab
    gitLab.addAccount("glpat-0123456789abcdefghij", "lazaret")
    const settings = yield* Effect.provide(Settings.load(Option.none()), [
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environmentOf(gitLab))),
      NodeServices.layer
    ])
    return Server.layer(settings, Redacted.make("key"))
  })
).pipe(
  Layer.provideMerge(Layer.effect(GitLab, SimulatedGitLab.start)),
  Layer.provide(Layer.succeed(PublicationPace, { pause: 20, every: 20 }))
)

const address = Effect.map(HttpServer.HttpServer, Server.urlOf)

const members = { "glpat-0123456789abcdefghij": "developer" } as const

const upload = (repository: string, cases: string, on = commit) =>
  Effect.flatMap(address, (url) =>
    Effect.promise(() => {
      const query = new URLSearchParams({
        pipeline_name: "CI",
        job_name: "unit",
        commit: on,
        run_id: on
      })
      query.set("branch", on === base ? "main" : "topic")
      if (on !== base) query.set("base_branch", "main")
      const [owner, name] = repository.split("/")
      return fetch(`${url}/v1/ci/${owner}/repositories/${name}/reports?${query.toString()}`, {
        method: "POST",
        headers: { authorization: "Bearer key", "content-type": "application/xml" },
        body: `<testsuite name="cart">${cases}</testsuite>`
      }).then(({ status }) => assert.strictEqual(status, 201))
    })
  )

const passed = `<testcase classname="cart" name="adds"/>`

const failed = (message: string) => `<testcase classname="cart" name="adds"><failure message="${message}"/></testcase>`

/** Waits until something is true. */
const until = (isTrue: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isTrue() ? Effect.void : Effect.andThen(Effect.sleep(20), until(isTrue))))

const latest = ({ statuses }: Lab.Project, on = commit) => statuses.findLast(({ sha }) => sha === on)

layer(connected, { excludeTestServices: true })("reports on merge requests at GitLab", (it) => {
  it.effect("an upload becomes a status and a note without secrets, which follow the next upload", () =>
    Effect.gen(function* () {
      const gitLab = yield* GitLab
      const project = gitLab.addProject({ path: "acme/widgets", members })
      gitLab.open(project, { head: commit })
      yield* upload("acme/widgets", passed, base)
      yield* upload("acme/widgets", failed("expected 1 to be 2, ACME-1234 glpat-0123456789abcdefghij"))
      yield* until(() => project.notes.length === 1)
      const [note] = project.notes
      assert.match(note?.body ?? "", /adds/)
      assert.notMatch(note?.body ?? "", /ACME-1234|glpat-/)
      assert.deepInclude(latest(project), {
        name: "Lazaret",
        status: "failed",
        targetUrl: `https://lazaret.test/acme/widgets/commits/${commit}`
      })
      yield* upload("acme/widgets", passed)
      yield* until(() => latest(project)?.description?.includes("1 flaky") === true)
    })
  )

  it.effect("a merge request that is opened after the upload gets its note, whatever becomes of the deliveries", () =>
    Effect.gen(function* () {
      const gitLab = yield* GitLab
      const project = gitLab.addProject({ path: "acme/gadgets", members })
      const [first, second] = ["a".repeat(40), "b".repeat(40)]
      yield* upload("acme/gadgets", failed("boom"), first)
      yield* upload("acme/gadgets", failed("other").replaceAll("adds", "divides"), second)
      const mergeRequest = gitLab.open(project, { head: first })
      const hooks = [SimulatedGitLab.mergeRequestHook(project, mergeRequest, "open")]
      gitLab.push(project, mergeRequest, second)
      hooks.push(SimulatedGitLab.mergeRequestHook(project, mergeRequest, "update", { oldrev: first }))
      const url = `${yield* address}/v1/webhooks/gitlab`
      assert.deepStrictEqual(yield* gitLab.deliver(url, hooks, [{ after: 1 }, "doubled"]), [202, 202, 202])
      yield* until(() => project.notes.some(({ body }) => body.includes("divides")))
      assert.strictEqual(project.notes.length, 1)
    })
  )

  it.effect("a project in a nested group is reported under its owner", () =>
    Effect.gen(function* () {
      const gitLab = yield* GitLab
      const project = gitLab.addProject({ path: "acme/platform/backend/api", members })
      gitLab.open(project, { head: commit })
      yield* upload("backend/api", failed("boom"))
      yield* until(() => project.notes.length === 1)
      const [mergeRequest] = project.mergeRequests
      if (mergeRequest === undefined) return assert.fail("it is open")
      const url = `${yield* address}/v1/webhooks/gitlab`
      const hook = SimulatedGitLab.mergeRequestHook(project, mergeRequest, "open")
      assert.deepStrictEqual(yield* gitLab.deliver(url, [hook]), [202])
    })
  )
})
