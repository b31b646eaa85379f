import { Deliveries, DeliveryFailure, EventSender, Services, Webhooks } from "@lazaret/services"
import type { Delivery } from "@lazaret/services"
import { Event, Instant, Subscription } from "@lazaret/domain"
import { EventStore } from "@lazaret/store"
import { HostingPlatform } from "@lazaret/services"
import { MemoryStores } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { noon, ref } from "../builders.ts"

const secret = "a secret that is long"

/** A receiver that records requests and answers as `takes` says. */
const receiver = (takes: (attempt: number) => boolean = () => true) => {
  const got: Array<Delivery> = []
  const send = (request: Delivery) =>
    Effect.suspend(() => {
      got.push(request)
      return takes(got.length) ? Effect.void : Effect.fail(new DeliveryFailure({ message: "status 500" }))
    })
  return { got, layer: Layer.succeed(EventSender, { send }) }
}

const scenario = <A, E>(layer: Layer.Layer<never>, body: Effect.Effect<A, E, Deliveries | Webhooks | EventStore>) => {
  const memory = Services.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, HostingPlatform.layerOff)),
    Layer.provide(layer)
  )
  return TestClock.setTime(noon).pipe(Effect.andThen(body), Effect.provide(memory))
}

const happen = (...minutes: ReadonlyArray<number>) =>
  EventStore.use((store) =>
    store.append(
      ref,
      minutes.map((minute) => Event.paused({ reason: "release", pauseDate: noon }, noon + minute, "key 1")),
      noon
    )
  )

const subscribe = (types: ReadonlyArray<Event.EventType> = []) =>
  Effect.flatMap(Webhooks, ({ create }) => create(ref, { url: "http://a", secret, types, by: "key 1" }))

const round = Effect.flatMap(Deliveries, (deliveries) => deliveries.round)

const times = (got: ReadonlyArray<Delivery>) => got.map(({ event }) => event.at - noon)

describe("Deliveries", () => {
  it.effect("an event after the creation of a webhook is sent once, in order, with the secret of the webhook", () => {
    const { got, layer } = receiver()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* happen(1)
        const { id } = yield* subscribe()
        yield* happen(2, 3)
        yield* round
        yield* round
        assert.deepStrictEqual(times(got), [2, 3])
        const [first] = got
        assert.deepInclude(first, {
          id: Subscription.deliveryId(id, first?.event.id ?? ""),
          url: "http://a",
          secret,
          sentAt: noon
        })
      })
    )
  })

  it.effect("a subscription to some types receives only events of these types", () => {
    const { got, layer } = receiver()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* subscribe(["quarantine.created"])
        yield* happen(1)
        yield* round
        assert.deepStrictEqual([got.length, yield* round], [0, 0])
      })
    )
  })

  it.effect("a refused event is retried with growing pauses and the same id before later events", () => {
    const { got, layer } = receiver((attempt) => attempt > 3)
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* subscribe()
        yield* happen(1, 2)
        const waits = [10 * Instant.second, Instant.minute, 5 * Instant.minute]
        for (const [index, wait] of waits.entries()) {
          yield* round
          yield* TestClock.adjust(wait - 1)
          yield* round
          assert.lengthOf(got, index + 1)
          yield* TestClock.adjust(1)
        }
        yield* round
        assert.deepStrictEqual(times(got), [1, 1, 1, 1, 2])
        assert.strictEqual(new Set(got.slice(0, 4).map((each) => each.id)).size, 1)
      })
    )
  })

  it.effect(
    "an event that is always refused becomes a dead letter that can be sent again, and later events are sent",
    () => {
      let isUp = false
      const { got, layer } = receiver(() => isUp)
      return scenario(
        layer,
        Effect.gen(function* () {
          const subscriptions = yield* Webhooks
          const { id } = yield* subscribe()
          yield* happen(1, 2)
          for (let attempt = 0; attempt < 7; attempt++) {
            yield* round
            yield* TestClock.adjust("6 hours")
          }
          assert.lengthOf(got, 7)
          const [letter] = yield* subscriptions.deadLetters(ref, id)
          assert.deepInclude(letter, { attempts: 7, error: "status 500" })
          const eventId = letter?.event.id ?? ""
          const refused = yield* Effect.flip(subscriptions.redeliver(ref, id, eventId))
          assert.deepInclude(refused, { _tag: "RedeliveryFailed", eventId, reason: "status 500" })
          isUp = true
          yield* subscriptions.redeliver(ref, id, eventId)
          assert.deepStrictEqual(yield* subscriptions.deadLetters(ref, id), [])
          yield* round
          assert.deepStrictEqual(times(got).slice(-3), [1, 1, 2])
          const gone = yield* Effect.flip(subscriptions.redeliver(ref, id, eventId))
          assert.deepInclude(gone, { _tag: "DeadLetterNotFound", eventId })
        })
      )
    }
  )

  it.effect("many rounds at once send each event once", () => {
    const { got, layer } = receiver()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* subscribe()
        yield* happen(1, 2, 3)
        yield* Effect.all([round, round, round], { concurrency: 3 })
        assert.deepStrictEqual(times(got), [1, 2, 3])
      })
    )
  })

  it.effect("new events are looked for every five seconds", () => {
    const { got, layer } = receiver()
    return scenario(
      layer,
      Effect.gen(function* () {
        yield* subscribe()
        yield* happen(1)
        yield* Effect.gen(function* () {
          while (got.length < 1) yield* Effect.yieldNow
          yield* happen(2)
          yield* TestClock.adjust("5 seconds")
          while (got.length < 2) yield* Effect.yieldNow
        }).pipe(Effect.provide(Deliveries.layerRounds))
        assert.deepStrictEqual(times(got), [1, 2])
      })
    )
  })

  it.effect("a secret is never shown, and a deleted subscription receives no events", () => {
    const { got, layer } = receiver()
    return scenario(
      layer,
      Effect.gen(function* () {
        const subscriptions = yield* Webhooks
        const made = yield* subscribe()
        const shown = yield* subscriptions.list(ref)
        assert.deepStrictEqual(shown, [made])
        assert.notInclude(JSON.stringify(shown), secret)
        yield* subscriptions.remove(ref, made.id)
        assert.deepInclude(yield* Effect.flip(subscriptions.remove(ref, made.id)), {
          _tag: "WebhookNotFound",
          webhookId: made.id
        })
        yield* happen(1)
        yield* round
        assert.deepStrictEqual(got, [])
      })
    )
  })

  it.effect("slow receivers of one owner delay no receiver of another owner, and use only a part of the slots", () => {
    const release = Deferred.makeUnsafe<void>()
    const open = new Map<string, number>()
    const got: Array<string> = []
    const send = ({ url }: Delivery) =>
      Effect.gen(function* () {
        got.push(url)
        open.set(url, (open.get(url) ?? 0) + 1)
        if (url === "http://slow") yield* Deferred.await(release)
        open.set(url, (open.get(url) ?? 0) - 1)
      })
    return scenario(
      Layer.succeed(EventSender, { send }),
      Effect.gen(function* () {
        const other = { owner: "other", repository: "widgets" }
        const { create } = yield* Webhooks
        yield* Effect.replicateEffect(create(ref, { url: "http://slow", secret, types: [], by: "key 1" }), 40)
        yield* create(other, { url: "http://quick", secret, types: [], by: "key 2" })
        yield* happen(1)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(open.get("http://slow"), 8)
        // The quick one gets its events while all of the slow ones wait.
        for (const minute of [1, 2, 3]) {
          const event = Event.paused({ reason: "release", pauseDate: noon }, noon + minute, "key 1")
          yield* EventStore.use((store) => store.append(other, [event], noon))
          yield* TestClock.adjust("5 seconds")
        }
        assert.lengthOf(
          got.filter((url) => url === "http://quick"),
          3
        )
        assert.strictEqual(open.get("http://slow"), 8)
        // One that ends makes room at once: all are served without another five seconds.
        yield* Deferred.succeed(release, undefined)
        const slow = () => got.filter((url) => url === "http://slow").length
        for (let turn = 0; turn < 10_000 && slow() < 40; turn++) yield* Effect.yieldNow
        assert.strictEqual(slow(), 40)
      }).pipe(Effect.provide(Deliveries.layerRounds))
    )
  })
})
