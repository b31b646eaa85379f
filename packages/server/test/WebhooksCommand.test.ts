import { createServer } from "node:http"
import { assert, layer } from "@effect/vitest"
import { stepsOf } from "@lazaret/tools/steps"
import { StandardInput } from "@lazaret/cli"
import { Event, Subscription } from "@lazaret/domain"
import { EventStore, MemoryStores, SubscriptionStore } from "@lazaret/store"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpServer } from "effect/http"
import * as Server from "../src/Server.ts"
import { run } from "./lazaretEffect.ts"
import { settings } from "./settings.ts"

const lazaret = (args: ReadonlyArray<string>, input = "") =>
  Effect.flatMap(HttpServer.HttpServer, (server) =>
    run(["webhooks", ...args], {
      LAZARET_URL: Server.urlOf(server),
      LAZARET_TOKEN: "key",
      LAZARET_REPO: "acme/widgets"
    })
  ).pipe(Effect.provideService(StandardInput.Input, { bytes: Stream.make(Buffer.from(input)) }))

const succeed = (args: ReadonlyArray<string>, input = "") =>
  Effect.map(lazaret(args, input), (ended) => {
    assert.deepStrictEqual({ exitCode: ended.exitCode, stderr: ended.stderr }, { exitCode: 0, stderr: "" })
    return ended.stdout
  })

const json = (args: ReadonlyArray<string>, input = "") =>
  Effect.map(succeed([...args, "--json"], input), (stdout) => JSON.parse(stdout))

const ref = { owner: "acme", repository: "widgets" }

/** The secrets that are kept. */
const secrets = Effect.map(
  SubscriptionStore.use((store) => store.list(ref)),
  (all) => all.map(({ secret }) => secret)
)

/** Gives up events that happened this many milliseconds after each other, the first one in 1970. */
const giveUp = (id: string, count: number) =>
  Effect.gen(function* () {
    const events = yield* EventStore
    const subscriptions = yield* SubscriptionStore
    const pauses = Array.from({ length: count }, (_, at) =>
      Event.paused({ reason: "release", pauseDate: 0 }, at, "key 1")
    )
    yield* events.append(ref, pauses, 0)
    const now = Number.MAX_SAFE_INTEGER
    // The server delivers events too, and may deliver this one first.
    for (let tries = 0; ; tries++) {
      yield* events.append(ref, [Event.paused({ reason: "another", pauseDate: 0 }, tries, "key 1")], 0)
      const leased = yield* subscriptions.lease({ now, until: now, lease: `mine ${tries}`, limit: 10 })
      const mine = leased.find(({ subscription }) => subscription.id === id)
      if (mine === undefined) continue
      const dead = pauses.map((event) => ({
        event,
        at: 5,
        attempts: 7,
        error: "the receiver answered with status 500"
      }))
      yield* subscriptions.settle(mine, { position: Number.MAX_SAFE_INTEGER, attempts: 0, nextAt: 0, dead })
      return pauses.map((event) => event.id)
    }
  })

/** A receiver on a port of its own that takes what it is asked to take. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly got: Array<string>; takes: boolean; readonly url: string; readonly close: () => void }>(
        (resolve) => {
          const got: Array<string> = []
          const server = createServer((request, response) => {
            got.push(String(request.headers["webhook-id"]))
            response.writeHead(state.takes ? 204 : 410).end()
          })
          const state = { got, takes: false, url: "", close: () => server.close() }
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            state.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/hook`
            resolve(state)
          })
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

// The stores are those of the server: a layer is built once.
const layers = Layer.mergeAll(Server.layer(settings, Redacted.make("key")), MemoryStores.layer)

layer(layers, { excludeTestServices: true })("lazaret webhooks", (it) => {
  const test = stepsOf(it)
  test("a secret is created and shown once, or read from the standard input and never shown", function* () {
    assert.strictEqual((yield* lazaret(["list"])).exitCode, 5, "nobody knows the repository yet")
    const made = yield* json(["add", "http://127.0.0.1:1/a", "--type", "queue.paused", "--type", "queue.unpaused"])
    assert.match(made.secret, /^whsec_[\w+/]{43}=$/)
    assert.deepStrictEqual(made.events, ["queue.paused", "queue.unpaused"])
    const shown = yield* succeed(["add", "http://127.0.0.1:1/b"])
    const secret = /^webhook [0-9a-f-]{36} is created\n[^\n]*\n\n {2}(whsec_[\w+/]{43}=)\n$/.exec(shown)?.[1]
    const own = "a secret of one's own"
    const piped = yield* succeed(["add", "http://127.0.0.1:1/c", "--secret-stdin"], `${own}\n`)
    assert.match(piped, /^webhook [0-9a-f-]{36} is created\n$/)
    assert.deepStrictEqual(yield* secrets, [made.secret, secret, own])
    const listed = yield* succeed(["list"])
    assert.match(listed, /^id +url +events +created\n/)
    assert.include(listed, "http://127.0.0.1:1/a  queue.paused queue.unpaused  ")
    const { webhooks } = yield* json(["list"])
    assert.deepStrictEqual([webhooks.length, webhooks[0].id, webhooks[0].secret], [3, made.id, undefined])
    for (const { id } of webhooks) assert.strictEqual(yield* succeed(["remove", id]), `removed: ${id}\n`)
    assert.strictEqual(yield* succeed(["list"]), "there is no webhook\n")
  })

  test("an invalid webhook is refused with its fault, and not created", function* () {
    const url = "http://127.0.0.1:1"
    assert.match((yield* lazaret(["add", url, "--secret-stdin"])).stderr, /standard input is empty: pipe the secret/)
    assert.match((yield* lazaret(["add", url, "--secret-stdin"], "short")).stderr, /secret/)
    assert.match((yield* lazaret(["add", "ftp://example.com"])).stderr, /http or https/)
    assert.strictEqual((yield* lazaret(["add", url, "--type", "x"])).exitCode, 2)
    assert.deepStrictEqual(yield* secrets, [])
    assert.match((yield* lazaret(["dead", "x"])).stderr, /"x" is not the id of a webhook/)
    const unknown = "0b6f3d0e-7d0a-4a53-9a39-5f0f4d1c2b3a"
    for (const args of [["remove"], ["dead"], ["redeliver", "--all"]]) {
      const ended = yield* lazaret([...args, unknown])
      assert.deepStrictEqual([ended.exitCode, ended.stdout], [5, ""])
      assert.match(ended.stderr, /no webhook with this id/)
    }
    assert.strictEqual((yield* lazaret(["redeliver", unknown])).exitCode, 2)
    assert.strictEqual((yield* lazaret(["redeliver", unknown, unknown, "--all"])).exitCode, 2)
  })

  it.effect("dead letters are listed, and sent again one by one or all in order, until the receiver refuses one", () =>
    Effect.gen(function* () {
      const hook = yield* receiver
      const { id } = yield* json(["add", hook.url, "--type", "queue.unpaused"])
      assert.strictEqual(yield* succeed(["dead", id]), "there is no dead letter\n")
      const [first = "", ...others] = yield* giveUp(id, 3)
      assert.match(yield* succeed(["dead", id]), /^event +happened +given up +why +what\n/)
      const letters = yield* json(["dead", id])
      assert.deepInclude(letters.dead_letters[0], { attempts: 7, error: "the receiver answered with status 500" })

      const refused = yield* lazaret(["redeliver", id, "--all"])
      assert.deepStrictEqual([refused.exitCode, refused.stdout, hook.got.length], [5, "", 1])
      assert.match(refused.stderr, /did not accept the event: the receiver answered with status 410/)

      hook.takes = true
      assert.strictEqual(yield* succeed(["redeliver", id, first]), "redelivered: 1\n")
      assert.deepStrictEqual(yield* json(["redeliver", id, "--all"]), { redelivered: others })
      const deliveries = [first, first, ...others].map((event) => Subscription.deliveryId(id, event))
      assert.deepStrictEqual(hook.got, deliveries)
      assert.strictEqual(yield* succeed(["dead", id]), "there is no dead letter\n")
      assert.match((yield* lazaret(["redeliver", id, first])).stderr, /has no dead letter of this event/)
    }).pipe(Effect.scoped)
  )
})
