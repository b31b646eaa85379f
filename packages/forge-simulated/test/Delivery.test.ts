import { assert, describe, it } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as fc from "fast-check"
import { Delivery, SimulatedGitHub } from "../src/index.ts"

const fate = fc.oneof(
  fc.constantFrom<Delivery.Fate>("arrives", "lost", "doubled"),
  fc.record({ after: fc.integer({ min: 0, max: 9 }) })
)

describe("deliveries", () => {
  it("arrive once, twice or not at all, as their fates say", () => {
    fc.assert(
      fc.property(fc.array(fate, { maxLength: 12 }), (fates) => {
        const arrived = Delivery.arrivals([...fates.keys()], fates)
        for (const [index, each] of fates.entries()) {
          const times = each === "lost" ? 0 : each === "doubled" ? 2 : 1
          assert.strictEqual(arrived.filter((one) => one === index).length, times)
        }
      })
    )
  })

  it("deliveries keep their order when none is late", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Delivery.Fate>("arrives", "lost", "doubled")), (fates) => {
        const arrived = Delivery.arrivals([...fates.keys()], fates)
        assert.deepStrictEqual(
          arrived,
          [...arrived].sort((a, b) => a - b)
        )
      })
    )
  })

  test("deliveries are sent signed, and a redelivery has the same id", function* () {
    const received: Array<{ readonly guid: unknown; readonly event: unknown; readonly signature: unknown }> = []
    const receiver = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(({ headers }, response) => {
          received.push({
            guid: headers["x-github-delivery"],
            event: headers["x-github-event"],
            signature: headers["x-hub-signature-256"]
          })
          response.writeHead(received.length === 1 ? 500 : 200).end()
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.close())
    )
    // A server that listens on a port of TCP has such an address.
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const github = yield* SimulatedGitHub.start
    const repository = github.addRepository({ owner: "acme", name: "widgets" })
    const pull = github.openPull(repository, { head: "c0ffee" })
    const sent = github.enqueue(repository, "pull-request-opened", SimulatedGitHub.pullMembers(repository, pull))
    assert.deepStrictEqual(yield* github.flush(url), [500])
    assert.deepStrictEqual(yield* github.flush(url), [])
    github.server.hub.deliveries.push({ ...sent, attempts: [] })
    assert.deepStrictEqual(yield* github.flush(url), [200])
    assert.deepStrictEqual(new Set(received.map(({ guid }) => guid)), new Set([sent.guid]))
    assert.strictEqual(received[0]?.event, "pull_request")
    assert.match(String(received[0]?.signature), /^sha256=[0-9a-f]{64}$/)
  })
})
