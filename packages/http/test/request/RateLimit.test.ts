import { assert, describe, it } from "@effect/vitest"
import { UploadTokens } from "@lazaret/services"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpLimits } from "../../src/index.ts"
import * as RateLimit from "../../src/request/RateLimit.ts"
import { operations } from "../description.ts"
import { now, platformOf, repository, serve, tokens } from "../wire.ts"

const limited = (perMinute: number) => serve({ config: { rateLimit: Option.some(perMinute) } })

const path = `${repository}/quarantines`

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

describe("a bucket", () => {
  it.prop(
    "a bucket never gives more in a span than it holds and what comes back in the span",
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
  it("a rate limit holds for each key separately, and recovers with time", async () => {
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

  it("the tokens of forks of a repository share a limit, and a token of the repository itself has its own", async () => {
    const ref = { owner: "acme", repository: "widgets" }
    const originOf = (token: Redacted.Redacted) => {
      const [, fork] = Redacted.value(token).split(".")
      const code =
        fork === "own"
          ? { _tag: "pull" as const, head: "topic", base: "main" }
          : { _tag: "unproven" as const, head: "topic", base: "main", actor: fork ?? "" }
      const platform = { issuer: "https://issuer.test", ownerId: "1", repositoryId: "2" }
      return Effect.succeedSome({ platform, repository: ref, subject: "a run", runId: fork ?? "", runAttempt: 1, code })
    }
    await using server = await serve({
      config: { rateLimit: Option.some(2) },
      platform: Layer.merge(
        platformOf(() => "none"),
        Layer.succeed(UploadTokens, { originOf })
      )
    })
    const upload = async (token: string) => {
      const answer = await server.send(`${repository}/reports?pipeline_name=CI&job_name=unit&commit=c`, {
        token,
        method: "POST",
        headers: { "content-type": "application/xml" },
        body: '<testsuite><testcase name="a"/></testsuite>'
      })
      return answer.status
    }
    assert.deepStrictEqual([await upload("eyJ.ada.1"), await upload("eyJ.bob.2")], [201, 201])
    assert.strictEqual(await upload("eyJ.eve.3"), 429)
    assert.strictEqual(await upload("eyJ.own.4"), 201)
  })

  it("an upload over the rate limit is refused before its body is read", async () => {
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

  it("bounds the credentials that an address can try, right ones included, and a key that was used before is not hindered", async () => {
    await using server = await limited(2)
    const status = async (token: string | null) => (await server.send(path, { token })).status
    assert.strictEqual(await status(tokens.admin), 404)
    assert.deepStrictEqual([await status("guess-1"), await status("guess-2"), await status("guess-3")], [403, 403, 429])
    assert.deepStrictEqual([await status(tokens.ci), await status(tokens.writer)], [429, 429])
    assert.strictEqual((await server.send("/openapi.json", { token: null })).status, 429)
    assert.strictEqual(await status(tokens.admin), 404)
    server.setNow(now + 30_000)
    assert.strictEqual(await status(tokens.ci), 404)
  })

  it("a credential that is found costs its address nothing", async () => {
    await using server = await limited(1)
    const status = async (token: string) => (await server.send(path, { token })).status
    for (const token of [tokens.admin, tokens.ci, tokens.reader]) assert.strictEqual(await status(token), 404)
    assert.deepStrictEqual([await status("guess-1"), await status("guess-2")], [403, 429])
  })

  it("a refused request does not reach the hosting platform, and no key of Lazaret ever does", async () => {
    const asked: Array<string> = []
    const platform = platformOf((token) => {
      asked.push(token)
      return "none"
    })
    await using server = await serve({ platform, config: { rateLimit: Option.some(3) } })
    for (let index = 0; index < 10; index++) await server.send(path, { token: `ghp_${index}` })
    assert.deepStrictEqual(asked, ["ghp_0", "ghp_1", "ghp_2"])
    await using free = await serve({ platform })
    for (const token of ["lzr_ci_mistyped", "lzr_admin_of_another_server"]) {
      assert.strictEqual((await free.send(path, { token })).status, 403)
    }
    assert.strictEqual(asked.length, 3)
  })

  it("the IPv6 addresses of one network of 64 bits are one caller, and each IPv4 address is a caller", () => {
    const request = HttpServerRequest.fromWeb(new Request("http://lazaret.test/"))
    const of = (address: string) => RateLimit.addressOf(request.modify({ remoteAddress: Option.some(address) }))
    assert.strictEqual(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"))
    assert.notStrictEqual(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"))
    assert.strictEqual(of("::ffff:192.0.2.1"), of("192.0.2.1"))
    assert.notStrictEqual(of("::ffff:192.0.2.1"), of("::ffff:192.0.2.2"))
  })

  it("the limit does not apply to the probes, nor without a configured limit", async () => {
    await using server = await limited(1)
    for (let index = 0; index < 3; index++) assert.strictEqual((await server.send("/health/ready")).status, 200)
    await using free = await serve()
    for (let index = 0; index < 50; index++) assert.strictEqual((await free.send(path)).status, 404)
  })

  it("sign-ins from one address have a limit of their own, which recovers with time", async () => {
    await using server = await serve()
    const signIn = async () =>
      (
        await server.send("/session", {
          method: "POST",
          token: null,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ code: "a-guess" })
        })
      ).status
    for (let index = 0; index < HttpLimits.signInsPerMinute; index++) assert.strictEqual(await signIn(), 403)
    assert.strictEqual(await signIn(), 429)
    assert.strictEqual((await server.send(path)).status, 404)
    server.setNow(now + 1000)
    assert.strictEqual(await signIn(), 403)
  })

  it("the OpenAPI document declares 429 for every operation but the probes", () => {
    for (const { op } of operations()) {
      const isProbe = String(op["operationId"]).startsWith("getLiveness") || op["operationId"] === "getReadiness"
      assert.strictEqual("429" in op["responses"], !isProbe, op["operationId"])
      if (!isProbe) assert.property(op["responses"]["429"]["headers"], "retry-after")
    }
  })
})
