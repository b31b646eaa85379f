import { assert, describe, it } from "@effect/vitest"
import type { Json } from "../description.ts"
import { delivery, takesDeliveries } from "../github.ts"
import { repository, serve } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const minute = 60_000

const start = Date.UTC(2026, 5, 30, 8)

interface Run {
  readonly commit: string
  readonly base?: string
  readonly branch?: string
  readonly job?: string
  readonly run?: string
  readonly attempt?: number
  readonly at?: number
  readonly tests: { readonly [name: string]: string | null }
  readonly files?: { readonly [name: string]: string }
}

/** Uploads a run: null is a pass, a text the message of a failure. */
const upload = async (
  server: Server,
  { at = 0, base, branch = "main", commit, files = {}, job = "unit", tests, ...run }: Run
) => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: job,
    commit,
    branch,
    run_id: run.run ?? commit,
    run_attempt: String(run.attempt ?? 1),
    job_url: `https://ci.example/${commit}`,
    finished_at: new Date(start + at * minute).toISOString()
  })
  if (base !== undefined) {
    query.set("base_branch", base)
    const user = { id: 7, login: "octocat" }
    query.set("pull_request", JSON.stringify({ id: 901, number: 42, title: "Pay with a card", user }))
  }
  const cases = Object.entries(tests).map(([name, message]) => {
    const file = files[name] === undefined ? "" : ` file="${files[name]}"`
    return message === null
      ? `<testcase name="${name}"${file}/>`
      : `<testcase name="${name}"${file}><failure type="Error" message="${message}"/></testcase>`
  })
  const answer = await server.send(`${repository}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite>${cases.join("")}</testsuite>`
  })
  assert.strictEqual(answer.status, 201, await answer.text())
}

/** The history of main: `stays` breaks at the second commit, and everything else passes. */
const history = async (server: Server) => {
  const healthy = { adds: null, sorts: null, totals: null }
  await upload(server, { commit: "m1", at: 0, tests: { ...healthy, stays: null } })
  await upload(server, { commit: "m2", at: 10, tests: { ...healthy, stays: "never mended" } })
  await upload(server, { commit: "m2", at: 10, job: "e2e", tests: { ...healthy, stays: "never mended" } })
  for (const index of [3, 4, 5, 6, 7, 8]) {
    const run = { commit: `m${index}`, at: 10 + index / 2, tests: { ...healthy, stays: "never mended" } }
    await upload(server, run)
    await upload(server, { ...run, job: "e2e" })
  }
}

const pull = { commit: "p1", base: "main", branch: "topic" }

const failing = { adds: null, sorts: "1 is not 2", totals: "3 is not 4", stays: "never mended", added: "new" }

const verdictsOf = (body: { readonly failures: ReadonlyArray<Record<string, unknown>> }) =>
  Object.fromEntries(body.failures.map((row) => [row["test_name"], row["verdict"]]))

const ask = (server: Server, body: object, path = `${repository}/failures/triage`) =>
  server.json(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ pipeline_name: "CI", job_name: "unit", commit: "p1", branch: "topic", ...body })
  })

const change = (server: Server, settings: object) =>
  server.send(`${repository}/settings`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(settings)
  })

describe("the verdicts on failures", () => {
  it("the verdicts on the failures of a pull request say whose each failure is, the new ones first, and change with a rerun", async () => {
    await using server = await serve()
    await history(server)
    await upload(server, { ...pull, at: 20, tests: failing })
    await upload(server, { ...pull, at: 21, job: "e2e", tests: { ...failing, added: null } })
    const path = `${repository}/pulls/42/failures?job_name=unit`
    const body = await server.json(path)
    assert.deepStrictEqual(verdictsOf(body), {
      sorts: "new_failure",
      totals: "new_failure",
      added: "new_test",
      stays: "broken_on_base"
    })
    assert.deepStrictEqual([body.conclusion, body.complete, body.total, body.blocking], ["failure", true, 4, 7])
    const [first] = body.failures
    assert.strictEqual(
      first.line,
      "sorts: new failure (probably this change): never failed in 8 runs of main; fails in both jobs; only 8 commits of main known"
    )
    assert.deepStrictEqual([first.message, first.job_url], ["1 is not 2", "https://ci.example/p1"])
    await upload(server, { ...pull, at: 30, run: "p1", attempt: 2, tests: { ...failing, sorts: null } })
    const later = await server.json(`${repository}/commits/p1/failures?job_name=unit`)
    assert.strictEqual(verdictsOf(later)["sorts"], "flaky")
    assert.include(later.failures.at(-1).line, "sorts: flaky (99 %): passed on this commit in job unit")
  })

  it("a failure of nobody is named as such, in its owners and its line, where there is a CODEOWNERS", async () => {
    await using server = await serve()
    await upload(server, {
      commit: "p1",
      tests: { adds: "1", sorts: "2", totals: "3" },
      files: { adds: "src/a.ts", sorts: "b.ts" }
    })
    const ownersOf = async () => {
      const { failures } = await server.json(`${repository}/commits/p1/failures`)
      return failures.map((each: { test_name: string; owners: ReadonlyArray<string>; line: string }) => [
        each.test_name.split(" › ").at(-1),
        each.owners,
        each.line.split("; ").at(-1)
      ])
    }
    const before = await ownersOf()
    assert.deepStrictEqual(
      before.map(([, owners]: ReadonlyArray<unknown>) => owners),
      [[], [], []]
    )
    const uploaded = await server.send(`${repository}/owners/file`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "/src/ @acme/cart @acme/web" })
    })
    assert.strictEqual(uploaded.status, 200)
    assert.sameDeepMembers(await ownersOf(), [
      ["adds", ["@acme/cart", "@acme/web"], "owned by @acme/cart, @acme/web"],
      ["sorts", ["no-owner"], "no owner"],
      ["totals", ["no-file"], "no file"]
    ])
  })

  it("the verdicts on the failures of a commit, a run and a pull request are the same, in pages and with filters", async () => {
    await using server = await serve()
    await history(server)
    await upload(server, { ...pull, at: 20, tests: failing })
    const places = ["commits/p1", "runs/p1", "pulls/42"]
    const answers: ReadonlyArray<Json> = await Promise.all(
      places.map((place) => server.json(`${repository}/${place}/failures`))
    )
    for (const answer of answers) assert.deepStrictEqual(answer, answers[0])

    const names: Array<string> = []
    let next: string | null = `${repository}/commits/p1/failures?per_page=3`
    while (next !== null) {
      const page: Response = await server.send(next)
      const body: Json = await page.json()
      for (const row of body.failures) names.push(row.test_name)
      next = /<http:\/\/lazaret\.test([^>]+)>; rel="next"/u.exec(page.headers.get("link") ?? "")?.[1] ?? null
    }
    assert.deepStrictEqual(
      names,
      answers[0].failures.map((row: { readonly test_name: string }) => row.test_name)
    )
    const filtered = await server.json(`${repository}/commits/p1/failures?verdict=new_test&verdict=broken_on_base`)
    assert.deepStrictEqual(Object.keys(verdictsOf(filtered)).toSorted(), ["added", "stays"])
    assert.deepStrictEqual([filtered.total, filtered.sentence], [2, answers[0].sentence])
    const none = await server.json(`${repository}/commits/p1/failures?is_blocking=false`)
    assert.deepStrictEqual(none.failures, [])
  })

  it("the verdicts on failures say that a run is still coming in until its jobs are there, or nobody waits any more", async () => {
    await using server = await serve()
    await history(server)
    server.setNow(start + 21 * minute)
    await upload(server, { ...pull, at: 20, tests: failing })
    const path = `${repository}/commits/p1/failures`
    const early = await server.json(path)
    assert.isFalse(early.complete)
    assert.match(early.sentence, /Jobs are still running\.$/u)
    await upload(server, { ...pull, at: 20, job: "e2e", tests: failing })
    assert.isTrue((await server.json(path)).complete)
    await upload(server, { commit: "p2", branch: "other", at: 21, tests: failing })
    assert.isFalse((await server.json(`${repository}/commits/p2/failures`)).complete)
    server.setNow(start + 200 * minute)
    assert.isTrue((await server.json(`${repository}/commits/p2/failures`)).complete)
  })

  it("the verdicts on unknown runs are 404, and of a green commit an empty list", async () => {
    await using server = await serve()
    assert.strictEqual((await server.send(`${repository}/commits/c/failures`)).status, 404)
    await upload(server, { commit: "m1", tests: { adds: null } })
    for (const path of ["commits/unknown", "runs/unknown", "pulls/7"]) {
      const answer = await server.send(`${repository}/${path}/failures`)
      assert.strictEqual(answer.status, 404)
      const problem: Json = await answer.json()
      assert.match(problem.detail, /^The server has no results of the (commit|run|pull request) /u)
    }
    assert.strictEqual((await server.send(`${repository}/pulls/x/failures`)).status, 422)
    const green = await server.json(`${repository}/commits/m1/failures`)
    assert.deepStrictEqual([green.conclusion, green.failures, green.sentence], ["success", [], "No test failed."])
  })

  it("the verdicts on failures that were not uploaded are those that an upload would have, and nothing is stored", async () => {
    await using server = await serve()
    await history(server)
    const failures = Object.entries(failing).flatMap(([test_name, message]) =>
      message === null ? [] : [{ test_name, message, exception_type: "Error" }]
    )
    server.setNow(start + 20 * minute)
    const asked = await ask(server, { base_branch: "main", passed: 1, failures })
    assert.strictEqual((await server.send(`${repository}/commits/p1/failures`)).status, 404)
    await upload(server, { ...pull, at: 20, tests: failing })
    const uploaded = await server.json(`${repository}/commits/p1/failures`)
    assert.deepStrictEqual(verdictsOf(asked), verdictsOf(uploaded))
    const unknown = await ask(server, { failures }, "/v1/ci/acme/repositories/nothing/failures/triage")
    assert.deepStrictEqual(new Set(Object.values(verdictsOf(unknown))), new Set(["new_test"]))
    const bad = await server.send(`${repository}/failures/triage`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ failures: [{}] })
    })
    assert.strictEqual(bad.status, 422)
  })

  it("failures without message and history are never called flaky, skipped tests are not failures", async () => {
    await using server = await serve()
    const asked = await ask(server, { failures: [{ test_name: "silent" }] })
    assert.strictEqual(asked.failures[0].verdict, "new_test")
    const answer = await server.send(`${repository}/reports?pipeline_name=CI&job_name=unit&commit=s&branch=main`, {
      method: "POST",
      headers: { "content-type": "application/xml" },
      body: `<testsuite><testcase name="a"><skipped/></testcase><testcase name="b"><failure/></testcase></testsuite>`
    })
    assert.strictEqual(answer.status, 201)
    assert.deepStrictEqual(verdictsOf(await server.json(`${repository}/commits/s/failures`)), { b: "new_test" })
  })
})

describe("the gate", () => {
  it("no failure of a fork excuses one of another branch, and many of them hide no flake", async () => {
    await using server = await serve()
    await history(server)
    await upload(server, { commit: "m3", at: 11, tests: { adds: null, sorts: "timeout" } })
    await upload(server, { commit: "m3", at: 12, attempt: 2, tests: { adds: null, sorts: null } })
    await upload(server, { ...pull, at: 20, tests: { ...failing, sorts: "timeout" } })
    const before = await server.json(`${repository}/commits/p1/failures`)
    const fork = { base: "main", branch: "mallory:topic" }
    for (let index = 0; index < 33; index++) {
      await upload(server, { ...fork, commit: `f${index}`, at: 13, tests: { sorts: "planted", totals: "3 is not 4" } })
    }
    await upload(server, { ...fork, commit: "f0", at: 14, attempt: 2, tests: { sorts: null, totals: null } })
    await upload(server, {
      ...fork,
      commit: "p1",
      run: "f",
      at: 21,
      tests: { ...failing, sorts: "planted", totals: null }
    })
    const after = await server.json(`${repository}/commits/p1/failures`)
    assert.deepStrictEqual(after.failures, before.failures)
    server.setNow(start + 25 * minute)
    await server.send(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_name: "sorts", reason: "times out" })
    })
    await change(server, { gate: { quarantine_limit: 0.9 } })
    await upload(server, { ...pull, commit: "p2", at: 30, tests: { sorts: "planted" } })
    const { failures } = await server.json(`${repository}/commits/p2/failures?is_blocking=true`)
    assert.deepStrictEqual(Object.keys(verdictsOf({ failures })), ["sorts"])
  })

  it("the gate lets pass what the settings say, and a limit keeps a quarantine from hiding another fault", async () => {
    await using server = await serve()
    await history(server)
    await upload(server, { ...pull, commit: "p0", at: 15, tests: { sorts: "timeout" } })
    server.setNow(start + 16 * minute)
    const created = await server.send(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_name: "sorts", reason: "times out" })
    })
    assert.strictEqual(created.status, 201)
    server.setNow(start + 30 * minute)
    await upload(server, { ...pull, at: 20, tests: { ...failing, sorts: "timeout" } })
    await upload(server, { ...pull, commit: "p2", at: 21, tests: { ...failing, sorts: "another fault" } })
    const blocking = async (commit: string) =>
      (await server.json(`${repository}/commits/${commit}/failures?is_blocking=true`)).failures
        .map((row: { readonly test_name: string }) => row.test_name)
        .toSorted()
    assert.deepStrictEqual(await blocking("p1"), ["added", "stays", "totals"])
    assert.deepStrictEqual(await blocking("p2"), ["added", "stays", "totals"])
    assert.strictEqual((await change(server, { gate: { quarantine_limit: 0.9, broken_on_base: 1 } })).status, 200)
    assert.deepStrictEqual(await blocking("p1"), ["added", "totals"])
    assert.deepStrictEqual(await blocking("p2"), ["added", "sorts", "totals"])
    const { gate } = await server.json(`${repository}/settings`)
    assert.deepStrictEqual(gate, {
      quarantined: true,
      flaky: null,
      broken_on_base: 1,
      outage: null,
      quarantine_limit: 0.9,
      dependency: null,
      least_precision: 0.9,
      missing: "pass"
    })
    assert.strictEqual((await change(server, { gate: { flaky: 2 } })).status, 422)
    assert.strictEqual((await change(server, { gate: null })).status, 200)
    assert.deepStrictEqual(await blocking("p2"), ["added", "stays", "totals"])
  })
})

describe("runs of forks", () => {
  /** GitHub's word on the head of a pull request. */
  const opened = (number: number, commit: string, owner: string) =>
    delivery("pull_request", {
      action: "synchronize",
      pull_request: {
        number,
        head: { sha: commit, repo: { id: owner === "acme" ? 1 : 2, owner: { login: owner } } },
        base: { repo: { id: 1, owner: { login: "acme" } } }
      },
      repository: { name: "widgets", owner: { login: "acme" }, default_branch: "main" }
    })

  const shown = async (server: Server, path: string) => {
    const {
      blocking,
      complete,
      conclusion,
      failures,
      fork_runs: forks,
      runs
    } = await server.json(`${repository}${path}`)
    return {
      conclusion,
      complete,
      blocking,
      messages: failures.map(({ message }: Json) => message),
      runs: runs.map(({ branch }: Json) => branch),
      forks: forks.map(({ branch }: Json) => branch)
    }
  }

  it("a fork's upload for somebody else's pull request changes no failure of it, and is listed apart", async () => {
    await using server = await serve({ config: takesDeliveries })
    await history(server)
    await upload(server, { commit: "a".repeat(40), branch: "topic", base: "main", at: 60, tests: { adds: null } })
    const head = "a".repeat(40)
    const before = await shown(server, `/commits/${head}/failures`)
    assert.deepStrictEqual([before.conclusion, before.blocking, before.forks], ["success", 0, []])
    await upload(server, { commit: head, branch: "eve:topic", run: "e", at: 61, tests: { adds: "PLANTED" } })
    // Eve opens a pull request with the same head.
    assert.strictEqual((await server.send("/v1/webhooks/github", opened(66, head, "eve"))).status, 202)
    const expected = { ...before, forks: ["eve:topic"] }
    assert.deepStrictEqual(await shown(server, `/commits/${head}/failures`), expected)
    assert.deepStrictEqual(await shown(server, "/pulls/42/failures"), expected)
  })

  it("a fork's runs count for its pull request when the platform names its repository and commit", async () => {
    await using server = await serve({ config: takesDeliveries })
    await history(server)
    const head = "b".repeat(40)
    await upload(server, { commit: head, branch: "ada:topic", base: "main", at: 60, tests: { adds: "broken" } })
    await upload(server, { commit: head, branch: "eve:topic", run: "e", at: 61, tests: { adds: "PLANTED" } })
    const unproven = { conclusion: "neutral", complete: false, blocking: 0, messages: [], runs: [] }
    const before = await shown(server, `/commits/${head}/failures`)
    assert.deepStrictEqual(before, { ...unproven, forks: ["eve:topic", "ada:topic"] })
    assert.strictEqual((await server.send("/v1/webhooks/github", opened(43, head, "Ada"))).status, 202)
    for (const path of [`/commits/${head}/failures`, "/pulls/43/failures"]) {
      const after = await shown(server, path)
      assert.deepStrictEqual(
        [after.conclusion, after.messages, after.runs, after.forks],
        ["failure", ["broken"], ["ada:topic"], ["eve:topic"]],
        path
      )
    }
  })
})
