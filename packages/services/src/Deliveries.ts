/**
 * The use case of telling subscribers of events: at least once, in order, signed, tried again, and given up at last (see
 * `docs/how-to/outgoing-webhooks.md`).
 */
import { createHmac, randomUUID } from "node:crypto"
import { type Event, Instant, Subscription } from "@lazaret/domain"
import {
  EventStore,
  type Leased,
  type LoggedEvent,
  type Progress,
  type StoreError,
  SubscriptionStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { type DeliveryFailure, EventSender } from "./EventSender.ts"

/**
 * Delivers events to subscribers.
 *
 * **Laws**
 *
 * - *At least once, in order.* Each event that a subscription wants is sent before the next one, and again until the
 *   receiver takes it or it is given up (`Subscription.waitAfter`). An event that was given up is a dead letter.
 * - A receiver may get an event again: when a process dies between the answer and the note of it. It has the same delivery id.
 * - However many processes deliver, one at a time does so for a subscription.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Delivers what is due, and yields how many subscriptions something was done for. */
    readonly round: Effect.Effect<number, StoreError>
    /** Sends one event once. */
    readonly send: (subscription: Subscription.Subscription, event: Event.Event) => Effect.Effect<void, DeliveryFailure>
  }
>()("@lazaret/services/Deliveries") {
  /** The use case over the storage ports and the sender. */
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const events = yield* EventStore
      const subscriptions = yield* SubscriptionStore
      const sender = yield* EventSender

      const send = Effect.fn("Deliveries.send")(function* (
        subscription: Subscription.Subscription,
        event: Event.Event
      ) {
        const timestamp = Math.floor((yield* Clock.currentTimeMillis) / Instant.second)
        const text = bodyOf(event)
        yield* sender.send({
          url: subscription.url,
          body: text,
          headers: {
            "content-type": "application/json",
            "x-lazaret-event": event.type,
            "x-lazaret-delivery": Subscription.deliveryId(subscription.id, event.id),
            "x-lazaret-timestamp": `${timestamp}`,
            "x-lazaret-signature-256": signature(subscription.secret, timestamp, text)
          }
        })
      })

      const deliver = Effect.fnUntraced(function* (leased: Leased) {
        const batch = yield* events.after(leased.ref, leased.position, eventsAtOnce)
        return yield* subscriptions.settle(leased, yield* progress(leased, batch, send))
      })

      const safely = (leased: Leased) =>
        deliver(leased).pipe(
          Effect.catchCause((cause) => Effect.logWarning("Events could not be delivered", cause)),
          Effect.annotateLogs({ subscription: leased.subscription.id })
        )

      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const request = { now, until: now + leaseTime, lease: randomUUID(), limit: subscriptionsAtOnce }
        const leased = yield* subscriptions.lease(request)
        yield* Effect.forEach(leased, safely, { concurrency: subscriptionsAtOnce, discard: true })
        return leased.length
      })

      return Deliveries.of({ round, send })
    })
  )

  /** Delivers every five seconds, and at once while there is more. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Deliveries, ({ round }) => {
      const safe = Effect.catchCause(round, (cause) =>
        Effect.as(Effect.logWarning("Events could not be delivered", cause), 0)
      )
      const once = Effect.flatMap(safe, (done) => (done === 0 ? Effect.sleep("5 seconds") : Effect.yieldNow))
      return Effect.forkScoped(Effect.forever(once))
    })
  )
}

/**
 * The signature of a body that is sent at a time: `sha256=` and the HMAC of the seconds, a dot and the body, in hexadecimal
 * digits. The time is signed, so that nobody can send an old request again as a new one.
 */
export const signature = (secret: string, timestamp: number, body: string): string =>
  `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`

/** A lease outlives the slowest batch: each of its events takes a sender ten seconds at most. */
const leaseTime = 5 * Instant.minute
const eventsAtOnce = 20
const subscriptionsAtOnce = 16

type Send = Deliveries["Service"]["send"]

/** Sends events until one is not taken, and yields how far that came. */
const progress = Effect.fnUntraced(function* (
  { attempts, position, subscription }: Leased,
  events: ReadonlyArray<LoggedEvent>,
  send: Send
): Effect.fn.Return<Progress> {
  let reached = position
  let before = attempts
  for (const event of events) {
    if (Subscription.wants(subscription, event)) {
      const sent = yield* Effect.result(send(subscription, event))
      if (Result.isFailure(sent)) {
        const now = yield* Clock.currentTimeMillis
        return refused({ reached, event, attempts: before + 1, error: sent.failure.message, now })
      }
    }
    reached = event.position
    before = 0
  }
  return { position: reached, attempts: 0, nextAt: 0, dead: [] }
})

interface Refused {
  readonly reached: number
  readonly event: LoggedEvent
  readonly attempts: number
  readonly error: string
  readonly now: Instant.Instant
}

const refused = ({ attempts, error, event, now, reached }: Refused): Progress => {
  const wait = Subscription.waitAfter(attempts)
  if (wait !== null) return { position: reached, attempts, nextAt: now + wait, dead: [] }
  const { position, ...plain } = event
  return { position, attempts: 0, nextAt: now, dead: [{ event: plain, at: now, attempts, error }] }
}

/** The event as `GET …/events` shows it. */
const bodyOf = (event: Event.Event): string =>
  JSON.stringify({
    id: event.id,
    at: Instant.toIso(event.at),
    type: event.type,
    actor: event.actor,
    test_id: event.testId,
    test_name: event.testName,
    branch: event.branch,
    summary: event.summary,
    detail: event.detail
  })
