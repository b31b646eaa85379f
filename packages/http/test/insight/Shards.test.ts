import { assert, describe, it } from "@effect/vitest"
import { junit, now, repository, serve, upload } from "../wire.ts"

type Server = Awaited<ReturnType<typeof serve>>

const names = ["net > a", "net > b", "ui > x"]

const question = { run_id: "r1", job_name: "unit", total: 2, index: 1, by: "test", names }

const post = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** The parts of an answer that these tests read. */
interface Body {
  readonly by: string
  readonly known: number
  readonly durations: ReadonlyArray<number>
  readonly names: ReadonlyArray<string>
  readonly is_new: boolean
  readonly detail: string
}

// The schemas of the routes have these fields.
const bodyOf = async (answer: Promise<Response> | Response): Promise<Body> => (await (await answer).json()) as Body

const plan = (server: Server, change: object = {}) =>
  server.send(`${repository}/shards/plan`, post({ ...question, ...change }))

describe("shards", () => {
  it("each name is in the share of one shard, and durations say what is known", async () => {
    await using server = await serve()
    await upload(server, { commit: "c1", at: now, xml: junit({ "net > a": "passed", "net > b": "passed" }) })
    const weighed = await bodyOf(server.send(`${repository}/shards/durations`, post({ by: "test", names })))
    assert.deepStrictEqual([weighed.by, weighed.known, weighed.durations.length], ["test", 2, 3])
    const shares = [await bodyOf(plan(server)), await bodyOf(plan(server, { index: 2 }))]
    assert.deepStrictEqual(shares.flatMap((share) => share.names).sort(), names)
    assert.deepStrictEqual(
      shares.map((share) => [share.is_new, share.known]),
      [
        [true, 2],
        [false, 2]
      ]
    )
  })

  it("durations follow each report, also of another job", async () => {
    await using server = await serve()
    const known = async (change: object = {}) =>
      (await bodyOf(server.send(`${repository}/shards/durations`, post({ by: "test", names, ...change })))).known
    assert.deepStrictEqual([await known(), await known()], [0, 0])
    await upload(server, { commit: "c1", at: now, xml: junit({ "net > a": "passed" }) })
    assert.deepStrictEqual([await known(), await known({ job_name: "unit" })], [1, 1])
    await upload(server, { commit: "c2", at: now, xml: junit({ "net > b": "passed", "ui > x": "passed" }) })
    assert.deepStrictEqual([await known(), await known({ job_name: "unit" }), await known()], [3, 3, 3])
  })

  it("a shard that differs from the plan of its run is a conflict, and one outside of the total is invalid", async () => {
    await using server = await serve()
    assert.strictEqual((await plan(server)).status, 200)
    const conflict = await plan(server, { total: 3 })
    assert.strictEqual(conflict.status, 409)
    assert.match((await bodyOf(conflict)).detail, /are 2, and this one says that there are 3\. Give every shard/)
    for (const change of [{ names: names.slice(1) }, { by: "class" }]) {
      assert.strictEqual((await plan(server, change)).status, 409)
    }
    for (const change of [{ index: 3 }, { index: 0 }, { total: 0 }, { names: [] }, { seconds: [1] }]) {
      assert.strictEqual((await plan(server, change)).status, 422, JSON.stringify(change))
    }
    assert.strictEqual((await plan(server)).status, 200, "the plan stays")
  })
})
