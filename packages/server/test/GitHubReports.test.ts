import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { Delivery, Hub, SimulatedGitHub } from "@lazaret/forge-simulated"
import { IssuePace, PublicationPace } from "@lazaret/services"
import { Context, Effect, Layer } from "effect"
import { run as runText } from "./lazaretEffect.ts"
import { address, admin, ask, base, daysAgo, junit, lazaret, serverAt, until, upload, zipOf } from "./platformServer.ts"

const commit = "0123456789abcdef0123456789abcdef01234567"

class GitHub extends Context.Service<GitHub, SimulatedGitHub.SimulatedGitHub>()("test/GitHub") {}

/** A server with the environment of docs/how-to/github.md. */
const connected = Layer.unwrap(
  Effect.flatMap(GitHub, (github) =>
    serverAt(github, { LAZARET_PUBLIC_URL: "https://lazaret.test", LAZARET_REDACT: "ACME-[0-9]+" })
  )
).pipe(
  Layer.provideMerge(Layer.effect(GitHub, SimulatedGitHub.start)),
  Layer.provide([
    Layer.succeed(PublicationPace, { pause: 20, every: 20 }),
    Layer.succeed(IssuePace, { pause: 20, again: 3_600_000, every: 20 })
  ])
)

const report = (run: string, cases: string, on = commit) => upload("acme/widgets", { run, cases, on })

const failed = (message: string) =>
  `<testcase classname="cart" name="adds" file="src/cart.test.ts"><failure message="${message}"/></testcase>`

const passed = `<testcase classname="cart" name="adds" file="src/cart.test.ts"/>`

const outputOf = (run: { readonly members: object } | undefined) => JSON.stringify(run?.members ?? null)

layer(connected, { excludeTestServices: true })("reports on pull requests at GitHub", (it) => {
  const test = stepsOf(it)
  test("an upload becomes a check and a comment; a rerun that passes makes them quiet again", function* () {
    const github = yield* GitHub
    const files = { ".github/CODEOWNERS": "* @acme/all\n/src/ @acme/cart" }
    const repository = github.addRepository({ owner: "acme", name: "widgets", isPrivate: true, files })
    github.install("acme")
    github.openPull(repository, { head: commit })
    yield* report("1", passed, base)
    yield* report("2", failed("expected 1 to be 2, ACME-1234 ghp_0123456789abcdefghij"))
    yield* until(() => repository.comments.length === 1)
    const [comment] = repository.comments
    assert.match(comment?.body ?? "", /adds/)
    assert.notMatch(comment?.body ?? "", /ACME-1234|ghp_/)
    const check = repository.checkRuns.find(({ headSha }) => headSha === commit)
    assert.match(outputOf(check), /"conclusion":"failure"/)
    assert.include(outputOf(check), "`@acme/cart`")
    const { failures } = yield* ask("GET", `widgets/commits/${commit}/failures`)
    assert.deepStrictEqual(failures?.[0]?.owners, ["@acme/cart"])
    assert.match(failures?.[0]?.line ?? "", /; owned by @acme\/cart$/u)
    assert.notMatch(outputOf(check), /ACME-1234|ghp_/)
    assert.deepInclude(check?.annotations[0], { path: "src/cart.test.ts", annotation_level: "failure" })

    yield* report("2", passed)
    yield* until(() => !(repository.comments[0]?.body ?? "").includes("probably this change"))
  })

  test("a quarantine and a gate that change appear on open pull requests without another upload", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    const open = "b".repeat(40)
    github.openPull(repository, { head: open })
    yield* report("21", failed("boom").replaceAll("adds", "rounds"), open)
    const conclusion = () =>
      /"conclusion":"(\w+)"/u.exec(outputOf(repository.checkRuns.findLast(({ headSha }) => headSha === open)))?.[1]
    yield* until(() => conclusion() === "failure")
    const quarantine = { test_name: "src/cart.test.ts › cart rounds", reason: "known" }
    const { id = "" } = yield* ask("POST", "widgets/quarantines", quarantine)
    yield* until(() => conclusion() === "neutral")
    yield* ask("PATCH", "widgets/settings", { gate: { quarantined: false } })
    yield* until(() => conclusion() === "failure")
    yield* ask("PATCH", "widgets/settings", { gate: { quarantined: null } })
    yield* until(() => conclusion() === "neutral")
    yield* ask("DELETE", `widgets/quarantines/${id}`)
    yield* until(() => conclusion() === "failure")
  })

  test("a push that names no base branch has that of its open pull request", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    const on = "c".repeat(40)
    github.openPull(repository, { head: on, base: "release" })
    yield* upload("acme/widgets", { run: "31", cases: failed("boom"), on, isPush: true })
    const { runs } = yield* ask("GET", `widgets/commits/${on}/failures`)
    assert.strictEqual(runs?.[0]?.base_branch, "release")
  })

  test("the artifacts of a fork on the commit of somebody else's pull request change no check, and are listed apart", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    const on = "d".repeat(40)
    github.openPull(repository, { head: on })
    yield* upload("acme/widgets", { run: "41", cases: passed, on })
    const checksOf = () => repository.checkRuns.filter(({ headSha }) => headSha === on).map(outputOf)
    yield* until(() => checksOf().some((check) => check.includes('"conclusion":"success"')))
    const before = checksOf()
    const planted = yield* zipOf({ "unit.xml": junit("planted", '<failure message="PLANTED"/>') })
    const artifacts = [{ id: Hub.nextId(github.server.hub), name: "test-results", zip: planted }]
    github.addRun(repository, { headSha: on, createdAt: daysAgo(0), fork: "eve", artifacts })
    assert.deepInclude(yield* lazaret(["backfill", "--repo", "acme/widgets", "--days", "2"]), { recorded: 1 })
    // A publication that takes the run of the fork would come before that of the next upload.
    yield* upload("acme/widgets", { run: "42", cases: failed("boom"), on: "e".repeat(40) })
    yield* until(() => repository.checkRuns.some(({ headSha }) => headSha === "e".repeat(40)))
    assert.deepStrictEqual(checksOf(), before)
    assert.notInclude(repository.comments.map(({ body }) => body).join(), "PLANTED")
    const { failures, fork_runs: forks } = yield* ask("GET", `widgets/commits/${on}/failures`)
    assert.deepStrictEqual(failures, [])
    assert.deepInclude(forks?.[0], { branch: "eve:main", failed: 1 })
    const shown = yield* runText(["triage", "--repo", "acme/widgets", "--commit", on], {
      LAZARET_URL: yield* address,
      LAZARET_TOKEN: admin
    })
    assert.strictEqual(shown.exitCode, 0)
    assert.match(shown.stdout, /unproven: run \d+ of the fork eve:main .*1 failed.* changes no check/u)
  })

  test("a pull request that is opened after the upload gets its comment", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    const later = "a".repeat(40)
    yield* report("9", failed("boom").replaceAll("adds", "divides"), later)
    yield* until(() => repository.checkRuns.some(({ headSha }) => headSha === later))
    const pull = github.openPull(repository, { head: later })
    github.enqueue(repository, "pull-request-opened", SimulatedGitHub.pullMembers(repository, pull))
    const hook = `${yield* address}/v1/webhooks/github`
    assert.deepStrictEqual(yield* github.flush(hook, ["doubled"]), [202, 202])
    yield* until(() => repository.comments.some(({ number }) => number === pull.number))
  })

  test("a pressed button runs the failed jobs again, once; forged and foreign deliveries are refused", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    const run = github.addRun(repository, { headSha: commit })
    const hook = `${yield* address}/v1/webhooks/github`
    const press = {
      action: "requested_action",
      check_run: { head_sha: commit },
      requested_action: { identifier: "rerun_failed_jobs" }
    }
    const sent = github.enqueue(repository, "check-run-requested-action", press)
    assert.deepStrictEqual(yield* github.flush(hook), [202])
    assert.strictEqual(run.attempt, 2)

    Object.assign(run, { status: "completed", conclusion: "failure" })
    github.server.hub.deliveries.push({ ...sent, attempts: [] })
    assert.deepStrictEqual(yield* github.flush(hook), [409])
    assert.strictEqual(run.attempt, 2)

    const foreign = github.addRepository({ owner: "eve", name: "widgets" })
    github.enqueue(foreign, "check-run-requested-action", press)
    assert.deepStrictEqual(yield* github.flush(hook), [403])

    const forged = Delivery.request({ ...sent, guid: "forged" }, { ...github.app, webhookSecret: "guessed" })
    const other = Delivery.request({ ...sent, guid: "other" }, { ...github.app, id: 1 })
    for (const request of [forged, other]) {
      assert.strictEqual((yield* Effect.promise(() => fetch(hook, request))).status, 403)
    }
  })

  test("a flaky test gets an issue, which routes and commands show until a person closes it", function* () {
    const github = yield* GitHub
    const repository = github.server.hub.repositories[0]
    if (repository === undefined) return assert.fail("the repository is missing")
    yield* ask("PATCH", "widgets/settings", { issues: "flaky_and_broken", issue_policy: { open_hours: 0 } })
    yield* report("41", passed, base)
    yield* report("42", failed("boom ACME-1234"), base)
    const listed = yield* Effect.repeat(lazaret(["issues", "list", "--repo", "acme/widgets"]), {
      until: ({ issues }) => issues.length > 0,
      times: 500
    })
    const [issue] = repository.issues
    assert.strictEqual(listed.issues[0]?.issue, `${issue?.number}`)
    assert.notInclude(issue?.body ?? "", "ACME-1234")
    const name = "src/cart.test.ts › cart adds"
    const shown = yield* lazaret(["tests", "show", name, "--repo", "acme/widgets"])
    assert.strictEqual(shown.issue.url, `https://github.test/acme/widgets/issues/${issue?.number}`)
    if (issue !== undefined) SimulatedGitHub.closeIssue(github.server.hub, issue, "ada")
    yield* report("43", passed, base)
    const closed = yield* Effect.repeat(lazaret(["issues", "list", "--repo", "acme/widgets", "--test", name]), {
      until: ({ issues }) => issues[0]?.is_open === false,
      times: 500
    })
    assert.strictEqual(closed.issues[0]?.closed_by, "person")
    assert.isNull(closed.failure)
  })
})
