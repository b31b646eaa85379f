import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ByteSize, type Clock, Context, Duration, Effect } from "effect"
import { HttpConfig } from "@lazaret/http"
import { delivery, takesDeliveries } from "../github.ts"
import { junit, repository, serve, tokens } from "../wire.ts"

const { upload } = Context.get(Context.empty(), HttpConfig)

/** The largest upload, with its 200,000 test cases, and one mebibyte for all others. */
const small = { upload: { ...upload, memory: ByteSize.mebibytes(256 + 195.3125 + 1) } }

const path = `${repository}/reports?pipeline_name=CI&job_name=unit&commit=c`

/** A body of which nothing more comes; `pulled` says whether the server has asked for it. */
const stalled = (head: string) => {
  const state = { pulled: false }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        if (!state.pulled) controller.enqueue(new TextEncoder().encode(head))
        state.pulled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { state, stream }
}

/** A body of some pieces of 64 KiB; `left` counts those that the server has not asked for. */
const sent = (pieces: number) => {
  const state = { left: pieces }
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        state.left -= 1
        controller.enqueue(new Uint8Array(65_536))
        if (state.left === 0) controller.close()
      }
    },
    { highWaterMark: 0 }
  )
  return { state, stream }
}

const headers = (length: number) => ({ "content-type": "application/xml", "content-length": `${length}` })

const big = 400_000

describe("the memory of uploads", () => {
  it("an upload beyond it is 503 with Retry-After, its body is thrown away, and other keys go on", async () => {
    await using server = await serve({ config: small })
    // The first upload uses the share of its key, the second the memory that is kept free for the largest upload.
    const held = [0, 1].map(() => stalled("<testsuite>"))
    for (const { stream } of held) {
      void server.send(path, { method: "POST", token: tokens.ci, headers: headers(big), stream }).catch(() => {})
    }
    while (!held.every(({ state }) => state.pulled)) await new Promise(setImmediate)
    const third = sent(8)
    const refused = await server.send(path, {
      method: "POST",
      token: tokens.ci,
      headers: headers(big),
      stream: third.stream
    })
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "10")
    assert.match(JSON.parse(await refused.text()).detail, /memory/u)
    assert.strictEqual(third.state.left, 0)
    const endless = await server.send(path, {
      method: "POST",
      token: tokens.ci,
      headers: headers(big),
      stream: stalled("<testsuite>").stream
    })
    assert.strictEqual(endless.status, 503)
    const other = await server.send(path, {
      method: "POST",
      token: tokens.admin,
      headers: { "content-type": "application/xml" },
      body: junit({ a: "passed" })
    })
    assert.strictEqual(other.status, 201)
  })

  it("a packed body that is larger than it seemed waits while it is read, and all of it is given back at the end", async () => {
    await using server = await serve({ config: small })
    const cases = Array.from({ length: 5000 }, (_, index) => `<testcase name="law ${index}"/>`).join("")
    const body = new Uint8Array(gzipSync(`<testsuite>${cases}</testsuite>`))
    const status = async (commit: string) =>
      (
        await server.send(`${path}${commit}`, {
          method: "POST",
          headers: { "content-type": "application/xml", "content-encoding": "gzip" },
          body
        })
      ).status
    // Each upload needs more than the share of its key: they take turns with the memory that is kept free for the
    // largest upload.
    for (const commit of ["1", "2", "3"]) assert.strictEqual(await status(commit), 201)
    const statuses = await Promise.all(["4", "5", "6", "7"].map(status))
    assert.include(statuses, 201)
    assert.sameMembers([...new Set([...statuses, 503])], [201, 503])
    assert.strictEqual(await status("8"), 201)
  })

  it("a text beyond Latin-1 counts twice", async () => {
    await using server = await serve({ config: small })
    const largest = stalled("<testsuite>")
    void server
      .send(path, { method: "POST", token: tokens.ci, headers: headers(600_000), stream: largest.stream })
      .catch(() => {})
    while (!largest.state.pulled) await new Promise(setImmediate)
    const status = async (letter: string) => {
      const text = `${letter}${"x".repeat(99)}`.repeat(3000)
      const body = gzipSync(`<testsuite><testcase name="a"><system-out>${text}</system-out></testcase></testsuite>`)
      const answer = await server.send(`${path}${letter === "x" ? 1 : 2}`, {
        method: "POST",
        token: tokens.ci,
        headers: { ...headers(4800), "content-encoding": "gzip" },
        body: new Uint8Array(body)
      })
      return answer.status
    }
    // The headers announce 480,000 bytes, which fit into the share of the key: 300,000 characters need less as single bytes only.
    assert.strictEqual(await status("x"), 201)
    assert.strictEqual(await status("→"), 503)
  })
})

describe("the memory of deliveries", () => {
  it("a delivery without a well-formed signature is refused before its body is read", async () => {
    await using server = await serve({ config: takesDeliveries })
    for (const signature of [undefined, "sha1=00", `sha256=${"0".repeat(63)}`]) {
      const { state, stream } = stalled("{}")
      const { headers: signed } = delivery("ping", {})
      const { "x-hub-signature-256": _, ...rest } = signed ?? {}
      const answer = await server.send("/v1/webhooks/github", {
        method: "POST",
        token: null,
        headers: signature === undefined ? rest : { ...rest, "x-hub-signature-256": signature },
        stream
      })
      assert.strictEqual(answer.status, 403)
      assert.isFalse(state.pulled)
    }
  })

  it("deliveries of one address hold 32 MiB together, and each is read for ten seconds at most", async () => {
    let isOver = false
    // Sleeps of five seconds, of a waiting delivery, end at once; those of ten, of the reading, end on demand.
    const sleep: Clock.Clock["sleep"] = (duration) =>
      Effect.suspend(() => {
        const isPast = Duration.toSeconds(duration) <= 5 || isOver
        return isPast
          ? Effect.yieldNow
          : Effect.andThen(
              Effect.promise(() => new Promise(setImmediate)),
              sleep(duration)
            )
      })
    await using server = await serve({ sleep, config: takesDeliveries })
    const send = (length: number, stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
      server.send("/v1/webhooks/github", {
        method: "POST",
        token: null,
        headers: { ...delivery("ping", {}).headers, "content-length": `${length}` },
        stream
      })
    const mebibyte = 1_048_576
    const large = stalled("{}")
    assert.strictEqual((await send(26 * mebibyte, large.stream)).status, 413)
    assert.isFalse(large.state.pulled)
    const held = stalled("{}")
    const slow = send(25 * mebibyte, held.stream)
    const refused = await send(25 * mebibyte, stalled("{}").stream)
    assert.strictEqual(refused.status, 503)
    isOver = true
    assert.strictEqual((await slow).status, 422)
    assert.strictEqual((await server.send("/v1/webhooks/github", delivery("ping", {}))).status, 202)
  })
})
