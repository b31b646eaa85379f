import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, tokens, upload } from "../wire.ts"

describe("marks of failures", () => {
  it("the last mark of a failure counts, and a failure without a verdict cannot be marked", async () => {
    await using server = await serve()
    await upload(server, { commit: "head", at: now, xml: junit({ adds: "failed" }) })
    const failures = `${repository}/commits/head/failures`
    const { execution_id: execution, test_id: test } = (await server.json(failures)).failures[0]
    const mark = (truth: string, id = execution, token = tokens.admin) =>
      server.send(`${repository}/tests/${test}/executions/${id}/mark`, {
        method: "PUT",
        token,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ truth })
      })
    assert.strictEqual((await mark("flaky")).status, 200)
    const marked = JSON.parse(await (await mark("real")).text())
    assert.strictEqual(marked.truth, "real")
    assert.strictEqual((await mark("flaky", execution, tokens.readOnly)).status, 403)
    assert.strictEqual((await mark("maybe")).status, 422)
    assert.strictEqual((await mark("flaky", crypto.randomUUID())).status, 404)
    assert.strictEqual((await server.json(failures)).failures[0].mark.truth, "real")
  })
})

describe("attempts that a report lists as tests of their own", () => {
  const case_ = (message: string | null) =>
    `<testcase classname="Cart" name="pays" file="src/cart.ts">${message === null ? "" : `<failure message="${message}"/>`}</testcase>`

  const blocking = async (messages: ReadonlyArray<string | null>) => {
    await using server = await serve()
    await upload(server, { commit: "head", at: now, xml: `<testsuite>${messages.map(case_).join("")}</testsuite>` })
    const failures = `${repository}/commits/head/failures`
    const all = (await server.json(failures)).failures
    const first = all.find((each: { readonly test_name: string }) => !each.test_name.includes("#"))
    const quarantined = await server.send(`${repository}/quarantines`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ test_name: first.test_name, reason: "times out" })
    })
    assert.strictEqual(quarantined.status, 201)
    const left = (await server.json(`${failures}?is_blocking=true`)).failures
    return [all.length, ...left.map((each: { readonly test_name: string }) => each.test_name)]
  }

  it("a quarantine of the test holds for them on the commit, where the report proves it, and only there", async () => {
    assert.deepStrictEqual(await blocking(["timeout", "timeout", null]), [2])
    const [count, ...names] = await blocking(["timeout", "another fault", null])
    assert.strictEqual(count, 2)
    assert.strictEqual(names.length, 1)
    assert.match(String(names[0]), / #2$/u)
  })
})
