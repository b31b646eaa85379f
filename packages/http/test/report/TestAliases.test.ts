import { TestId } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { now, serve, tokens } from "../wire.ts"

const path = "/v1/ci/acme/repositories/widgets"

type Send = Awaited<ReturnType<typeof serve>>["send"]

/** The body of an answer, whatever it is. */
const bodyOf = async (answer: Response | Promise<Response>) => JSON.parse(await (await answer).text())

const upload = async (send: Send, run: string, cases: ReadonlyArray<readonly [name: string, failure: boolean]>) => {
  const body = cases.map(
    ([name, failure]) => `<testcase name="${name}" time="1">${failure ? `<failure message="no"/>` : ""}</testcase>`
  )
  const query = `pipeline_name=CI&job_name=unit&commit=${run}&branch=main&run_id=${run}`
  const response = await send(`${path}/reports?${query}`, {
    method: "POST",
    token: tokens.ci,
    headers: { "content-type": "application/xml" },
    body: `<testsuite name="s">${body.join("")}</testsuite>`
  })
  assert.strictEqual(response.status, 201, await response.clone().text())
}

const make = (send: Send, ...aliases: ReadonlyArray<{ from: string; to?: string; kind?: string }>) =>
  send(`${path}/test-aliases`, {
    method: "POST",
    token: tokens.ci,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ test_aliases: aliases })
  })

const namesIn = async (send: Send, search = "") => {
  const { tests } = await bodyOf(send(`${path}/tests?test_name=${encodeURIComponent(search || "*")}`))
  return tests.map((test: { test_name: string }) => test.test_name).sort()
}

describe("aliases of tests", () => {
  it("the old id of a renamed test answers with the new test and the history of both, until the alias is revoked", async () => {
    const { send } = await serve()
    await upload(send, "r1", [
      ["old", true],
      ["other", false]
    ])
    await upload(send, "r2", [
      ["new", false],
      ["other", false]
    ])
    const names = (await namesIn(send)) as ReadonlyArray<string>
    const [from = "", to = ""] = [
      names.find((name) => name.endsWith("old")),
      names.find((name) => name.endsWith("new"))
    ]
    const created = await make(send, { from, to })
    assert.strictEqual(created.status, 201)
    const { test_aliases: made } = await bodyOf(created)
    assert.deepInclude(made[0], { kind: "name", from, to, stands_for: to, test_id: TestId.of(to), revoked_at: null })
    assert.deepStrictEqual(await bodyOf(make(send, { from, to })), { size: 1, test_aliases: made }, "made again")

    const asked = await bodyOf(send(`${path}/tests/${TestId.of(from)}`))
    assert.strictEqual(asked.test_id, TestId.of(to))
    assert.deepStrictEqual(asked, await bodyOf(send(`${path}/tests/${TestId.of(to)}`)))
    assert.notInclude(await namesIn(send), from)
    assert.deepStrictEqual(await namesIn(send, from), [to], "a search for the old name")

    await upload(send, "r3", [["old", true]])
    assert.notInclude(await namesIn(send), from)
    const ofTest = await bodyOf(send(`${path}/test-aliases?test_id=${TestId.of(to)}`))
    assert.deepStrictEqual(ofTest.test_aliases, made)

    const revoked = await send(`${path}/test-aliases/${made[0].id}`, { method: "DELETE" })
    assert.strictEqual(revoked.status, 204)
    assert.deepStrictEqual(await namesIn(send), [...names].sort())
    assert.strictEqual((await send(`${path}/test-aliases/${made[0].id}`, { method: "DELETE" })).status, 404)
    const past = await bodyOf(send(`${path}/test-aliases?revoked=true`))
    const [{ created_by: madeBy, id, revoked_by: revokedBy }] = past.test_aliases
    assert.strictEqual(id, made[0].id)
    assert.match(revokedBy, /^key /u)
    assert.notStrictEqual(revokedBy, madeBy)
    const audit = await bodyOf(send("/v1/audit"))
    const actions = audit.entries.map((entry: { action: string }) => entry.action)
    assert.includeMembers(actions, ["createTestAliases", "revokeTestAlias"])
  })

  it("an alias that cannot hold is a conflict that says why, and a reader makes none", async () => {
    const { send } = await serve()
    await upload(send, "r1", [["a", false]])
    assert.strictEqual((await make(send, { from: "a", to: "b" })).status, 201)
    const circle = await make(send, { from: "b", to: "a" })
    assert.strictEqual(circle.status, 409)
    assert.match((await bodyOf(circle)).detail, /leads back/u)
    assert.match((await bodyOf(make(send, { from: "a", to: "c" }))).detail, /alias of b already/u)
    assert.match((await bodyOf(make(send, { from: "a" }))).detail, /name itself/u)
    assert.match((await bodyOf(make(send, { kind: "mask", from: "takes" }))).detail, /not a mask/u)
    assert.strictEqual((await make(send)).status, 422)
    assert.strictEqual((await make(send, { from: "" })).status, 422)
    const headers = { "content-type": "application/json" }
    const body = `{"test_aliases":[{"from":"x","to":"y"}]}`
    const refused = await send(`${path}/test-aliases`, { method: "POST", token: tokens.readOnly, headers, body })
    assert.strictEqual(refused.status, 403)
    const unknown = await send("/v1/ci/acme/repositories/none/test-aliases")
    assert.strictEqual(unknown.status, 404)
  })

  it("a renamed suite is proposed until its alias is made", async () => {
    const { send, setNow } = await serve()
    const at = (minutes: number) => setNow(now + minutes * 60_000)
    at(-3 * 24 * 60)
    await upload(send, "r1", [
      ["cart adds", false],
      ["stays", false]
    ])
    at(0)
    await upload(send, "r2", [
      ["cart adds up", false],
      ["stays", false]
    ])
    const { test_renames: renames } = await bodyOf(send(`${path}/test-renames`))
    assert.strictEqual(renames.length, 1)
    const [{ from, to }] = renames
    assert.match(from, /cart adds$/u)
    assert.match(to, /cart adds up$/u)
    assert.strictEqual((await make(send, { from, to })).status, 201)
    assert.deepStrictEqual(await bodyOf(send(`${path}/test-renames`)), { size: 0, test_renames: [] })
  })
})
