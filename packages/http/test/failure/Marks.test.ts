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
