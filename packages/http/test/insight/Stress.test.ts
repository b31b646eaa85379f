import { TestId } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const record = async (server: Server, body: object) => {
  const answer = await server.send(`${repository}/stress-runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ run_id: "r", commit: "c", confidence: 0.95, below: 0.1, ...body })
  })
  return [answer.status, await answer.json()]
}

const stressOf = (server: Server, name: string) => server.json(`${repository}/tests/${TestId.of(name)}/stress-runs`)

describe("stress runs", () => {
  it("a stress run is stored once with its judgement, also of a test without history", async () => {
    await using server = await serve()
    const tests = [
      { test_name: "a", passed: 29, failed: 0 },
      { test_name: "b", passed: 2, failed: 1 }
    ]
    assert.deepStrictEqual(await record(server, { tests }), [200, { stored: 2 }])
    assert.deepStrictEqual(await record(server, { tests }), [200, { stored: 0 }])
    const [clean] = (await stressOf(server, "a")).stress_runs
    assert.deepInclude(clean, { run_id: "r", commit: "c", passed: 29, failed: 0, judgement: "clean", confidence: 0.95 })
    assert.match(clean.sentence, /^29 clean runs: fails in less than 9\.8 % of its runs, with 95 %$/u)
    assert.strictEqual((await stressOf(server, "b")).stress_runs[0].judgement, "flaky")
    assert.deepStrictEqual(await stressOf(server, "c"), { stress_runs: [] })
  })

  it("a run without tests and a confidence of one are refused, and an unknown repository is 404", async () => {
    await using server = await serve()
    await upload(server, { commit: "c", at: now, xml: junit({ a: "passed" }) })
    assert.strictEqual((await record(server, { tests: [] }))[0], 422)
    assert.strictEqual(
      (await record(server, { tests: [{ test_name: "a", passed: 1, failed: 0 }], confidence: 1 }))[0],
      422
    )
    const path = `/v1/ci/acme/repositories/none/tests/${TestId.of("a")}/stress-runs`
    assert.strictEqual((await server.send(path)).status, 404)
  })
})
