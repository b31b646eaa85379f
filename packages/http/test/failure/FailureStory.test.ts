/** The story of a pull request over the wire: JUnit goes in, and the verdict is what its developer reads. */
import { assert, describe, it } from "@effect/vitest"
import { repository, serve } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const start = Date.UTC(2026, 5, 20, 8)
const names = ["adds", "sorts", "totals", "refunds", "ships"]

const upload = async (
  server: Server,
  run: { readonly commit: string; readonly branch?: string; readonly attempt?: number; readonly hour: number },
  failing: { readonly [test: string]: string } = {}
) => {
  const query = new URLSearchParams({
    pipeline_name: "CI",
    job_name: "unit",
    commit: run.commit,
    branch: run.branch ?? "main",
    run_id: run.commit,
    run_attempt: String(run.attempt ?? 1),
    finished_at: new Date(start + run.hour * 3_600_000).toISOString()
  })
  if (run.branch !== undefined) query.set("base_branch", "main")
  const cases = names.map((name) => {
    const message = failing[name]
    const failure = message === undefined ? "" : `<failure type="Error" message="${message}"/>`
    return `<testcase classname="Cart" name="${name}">${failure}</testcase>`
  })
  const answer = await server.send(`${repository}/reports?${query}`, {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: `<testsuite>${cases.join("")}</testsuite>`
  })
  assert.strictEqual(answer.status, 201, await answer.text())
}

describe("the story of a pull request over the wire", () => {
  it("after 30 green runs of main, what a pull request breaks is new, and flaky once a rerun passes", async () => {
    await using server = await serve()
    for (let hour = 0; hour < 30; hour++) await upload(server, { commit: `m${hour}`, hour })
    const pull = { commit: "p1", branch: "topic" }
    await upload(server, { ...pull, hour: 31 }, { totals: "expected 'total' to equal 'sum'" })
    const path = `${repository}/commits/p1/failures`
    const { conclusion, failures } = await server.json(path)
    assert.strictEqual(failures.length, 1)
    assert.deepStrictEqual([conclusion, failures[0].verdict], ["failure", "new_failure"])
    await upload(server, { ...pull, hour: 32, attempt: 2 })
    const later = await server.json(path)
    assert.strictEqual(later.failures[0].verdict, "flaky")
    assert.isAbove(later.failures[0].probability_flaky, failures[0].probability_flaky)
  })
})
