import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as RateLimit from "../src/RateLimit.ts"
import { operations } from "./description.ts"
import { now, repository, serve, tokens } from "./wire.ts"

const limited = (perMinute: number) => serve({ config: { rateLimit: Option.some(perMinute) } })

const path = `${repository}/quarantines`

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

describe("a bucket", () => {
  it.prop(
    "never gives more in a span than it holds and what comes back in the span",
    [Schema.Array(upTo(10_000)).check(Schema.isMaxLength(100)), upTo(50)],
    ([steps, drawn]) => {
      const perMinute = drawn + 1
      let bucket = { credit: perMinute * 60_000, at: 0 }
      let given = 0
      for (const step of steps) {
        const taken = RateLimit.take(bucket, perMinute, bucket.at + step)
        bucket = taken.bucket
        if (taken.wait === 0) given += 1
        else assert.strictEqual(RateLimit.take(bucket, perMinute, bucket.at + taken.wait).wait, 0)
      }
      assert.isAtMost(given, perMinute + (bucket.at * perMinute) / 60_000)
    }
  )
})

describe("a limit of requests", () => {
  it("holds for each key apart, and passes with time", async () => {
    await using server = await limited(2)
    const status = async (token: string) => (await server.send(path, { token })).status
    assert.deepStrictEqual([await status(tokens.admin), await status(tokens.admin)], [404, 404])
    const refused = await server.send(path)
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers.get("retry-after"), "30")
    assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
    assert.strictEqual(await status(tokens.ci), 404)
    assert.strictEqual(await status(tokens.reader), 404)
    server.setNow(now + 30_000)
    assert.deepStrictEqual([await status(tokens.admin), await status(tokens.admin)], [404, 429])
  })

  it("holds for uploads, of which nothing is read then", async () => {
    await using server = await limited(1)
    const upload = () =>
      server.send(`${repository}/reports?pipeline_name=CI&job_name=unit&commit=c`, {
        method: "POST",
        headers: { "content-type": "application/xml" },
        body: '<testsuite><testcase name="a"/></testsuite>'
      })
    assert.strictEqual((await upload()).status, 201)
    assert.strictEqual((await upload()).status, 429)
  })

  it("holds for an address that tries credentials, whichever they are, and without hindering the keys behind it", async () => {
    await using server = await limited(2)
    const status = async (token: string | null) => (await server.send(path, { token })).status
    assert.deepStrictEqual([await status("guess-1"), await status("guess-2"), await status("guess-3")], [403, 403, 429])
    assert.strictEqual((await server.send("/openapi.json", { token: null })).status, 429)
    assert.strictEqual(await status(tokens.admin), 404)
  })

  it("the limit does not apply to the probes, nor without a configured limit", async () => {
    await using server = await limited(1)
    for (let index = 0; index < 3; index++) assert.strictEqual((await server.send("/health/ready")).status, 200)
    await using free = await serve()
    for (let index = 0; index < 50; index++) assert.strictEqual((await free.send(path)).status, 404)
  })

  it("is in the description of every operation but the probes", () => {
    for (const { op } of operations()) {
      const isProbe = String(op["operationId"]).startsWith("getLiveness") || op["operationId"] === "getReadiness"
      assert.strictEqual("429" in op["responses"], !isProbe, op["operationId"])
      if (!isProbe) assert.property(op["responses"]["429"]["headers"], "retry-after")
    }
  })
})
