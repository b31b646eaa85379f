import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { type Lab, SimulatedGitLab } from "@lazaret/forge-simulated"
import { PublicationPace } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { address, ask, base, serverOf, settingsOf, until, upload } from "./platformServer.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"

const token = "glpat-0123456789abcdefghij"

class GitLab extends Context.Service<GitLab, SimulatedGitLab.SimulatedGitLab>()("test/GitLab") {}

/** A server with the environment of docs/how-to/gitlab.md. */
const connected = Layer.unwrap(
  Effect.gen(function* () {
    const gitLab = yield* GitLab
    gitLab.addAccount(token, "lazaret")
    const settings = yield* settingsOf(
      {
        LAZARET_PUBLIC_URL: "https://lazaret.test",
        LAZARET_REDACT: "ACME-[0-9]+",
        LAZARET_GITLAB_URL: gitLab.url,
        LAZARET_GITLAB_GROUPS: "backend=acme/platform/backend"
      },
      { LAZARET_GITLAB_TOKEN: `${token}\n`, LAZARET_GITLAB_WEBHOOK_SECRET: gitLab.webhookSecret }
    )
    return serverOf(settings)
  })
).pipe(
  Layer.provideMerge(Layer.effect(GitLab, SimulatedGitLab.start)),
  Layer.provide(Layer.succeed(PublicationPace, { pause: 20, every: 20 }))
)

const members = { [token]: "developer" } as const

const report = (repository: string, cases: string, on = commit) => upload(repository, { run: on, cases, on })

const passed = `<testcase classname="cart" name="adds" file="src/cart.test.ts"/>`

const failed = (message: string) =>
  `<testcase classname="cart" name="adds" file="src/cart.test.ts"><failure message="${message}"/></testcase>`

const latest = ({ statuses }: Lab.Project, on = commit) => statuses.findLast(({ sha }) => sha === on)

layer(connected, { excludeTestServices: true })("reports on merge requests at GitLab", (it) => {
  const test = stepsOf(it)
  test("an upload becomes a status and a note without secrets, which follow the next upload", function* () {
    const gitLab = yield* GitLab
    const files = { CODEOWNERS: "[Shop] @acme/shop\n*.ts\n" }
    const project = gitLab.addProject({ path: "acme/widgets", members, files })
    gitLab.open(project, { head: commit })
    gitLab.addPipeline(project, { sha: commit, status: "running", jobs: [{}] })
    yield* report("acme/widgets", passed, base)
    yield* report("acme/widgets", failed("expected 1 to be 2, ACME-1234 glpat-0123456789abcdefghij"))
    yield* until(() => project.notes.length === 1)
    const [note] = project.notes
    assert.match(note?.body ?? "", /adds/)
    assert.notMatch(note?.body ?? "", /ACME-1234|glpat-/)
    assert.deepInclude(latest(project), {
      name: "Lazaret",
      status: "failed",
      targetUrl: `https://lazaret.test/acme/widgets/commits/${commit}`
    })
    const { failures } = yield* ask("GET", `widgets/commits/${commit}/failures`)
    assert.deepStrictEqual(failures?.[0]?.owners, ["@acme/shop"], "a section of GitLab owns files without owners")
    yield* report("acme/widgets", passed)
    yield* until(() => latest(project)?.description?.includes("1 flaky") === true)
  })

  test("a push that names no base branch has the target of its open merge request", function* () {
    const gitLab = yield* GitLab
    const [project] = gitLab.server.lab.projects
    if (project === undefined) return assert.fail("the project is missing")
    const on = "c".repeat(40)
    gitLab.open(project, { head: on, target: "release" })
    yield* upload("acme/widgets", { run: "31", cases: failed("boom"), on, isPush: true })
    const { runs } = yield* ask("GET", `widgets/commits/${on}/failures`)
    assert.strictEqual(runs?.[0]?.base_branch, "release")
  })

  test("a merge request that is opened after the upload gets its note, whatever becomes of the deliveries", function* () {
    const gitLab = yield* GitLab
    const project = gitLab.addProject({ path: "acme/gadgets", members })
    const [first, second] = ["a".repeat(40), "b".repeat(40)]
    yield* report("acme/gadgets", failed("boom"), first)
    yield* report("acme/gadgets", failed("other").replaceAll("adds", "divides"), second)
    const mergeRequest = gitLab.open(project, { head: first })
    const hooks = [SimulatedGitLab.mergeRequestHook(project, mergeRequest, "open")]
    gitLab.push(project, mergeRequest, second)
    hooks.push(SimulatedGitLab.mergeRequestHook(project, mergeRequest, "update", { oldrev: first }))
    const url = `${yield* address}/v1/webhooks/gitlab`
    assert.deepStrictEqual(yield* gitLab.deliver(url, hooks, [{ after: 1 }, "doubled"]), [202, 202, 202])
    yield* until(() => project.notes.some(({ body }) => body.includes("divides")))
    assert.strictEqual(project.notes.length, 1)
  })

  test("a project in a nested group is reported under its owner", function* () {
    const gitLab = yield* GitLab
    const project = gitLab.addProject({ path: "acme/platform/backend/api", members })
    gitLab.open(project, { head: commit })
    yield* report("backend/api", failed("boom"))
    yield* until(() => project.notes.length === 1)
    const [mergeRequest] = project.mergeRequests
    if (mergeRequest === undefined) return assert.fail("it is open")
    const url = `${yield* address}/v1/webhooks/gitlab`
    const hook = SimulatedGitLab.mergeRequestHook(project, mergeRequest, "open")
    assert.deepStrictEqual(yield* gitLab.deliver(url, [hook]), [202])
  })
})
