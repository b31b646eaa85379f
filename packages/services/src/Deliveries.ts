/**
 * The use case of delivering events to webhooks: at least once, in order, retried, and a dead letter after the last
 * attempt (see `docs/how-to/outgoing-webhooks.md`).
 */
import { type Event, Instant, Subscription } from "@lazaret/domain"
import {
  EventStore,
  type Leased,
  type LoggedEvent,
  type Progress,
  type StoreError,
  SubscriptionStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer, Result, Schedule } from "effect"
import { type DeliveryFailure, EventSender } from "./EventSender.ts"
import { NewId } from "./NewId.ts"

/**
 * Delivers events to the webhooks of their repository.
 *
 * **Laws**
 *
 * - *At least once, in order.* Each event that a webhook selects is sent before the next one, and again until the receiver
 *   accepts it or the last attempt failed (`Subscription.waitAfter`). Then it is a dead letter.
 * - A receiver may get an event twice, if a process dies after the answer and before it is stored. Both deliveries have the
 *   same id.
 * - Any number of processes may deliver; at any time one of them does so for a webhook.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Delivers the due events, and yields the number of webhooks that it served. */
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
      const newId = yield* NewId

      const send = Effect.fn("Deliveries.send")(function* (
        subscription: Subscription.Subscription,
        event: Event.Event
      ) {
        const { id, secret, url } = subscription
        const sentAt = yield* Clock.currentTimeMillis
        yield* sender.send({ id: Subscription.deliveryId(id, event.id), url, secret, event, sentAt })
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
        const request = { now, until: now + leaseTime, lease: yield* newId, limit: subscriptionsAtOnce }
        const leased = yield* subscriptions.lease(request)
        yield* Effect.forEach(leased, safely, { concurrency: subscriptionsAtOnce, discard: true })
        return leased.length
      })

      return Deliveries.of({ round, send })
    })
  )

  /** Delivers every five seconds, and continues at once while events are due. */
  static readonly layerRounds = Layer.effectDiscard(
    Effect.flatMap(Deliveries, ({ round }) => {
      const safe = Effect.catchCause(round, (cause) =>
        Effect.as(Effect.logWarning("Events could not be delivered", cause), 0)
      )
      const rest = Effect.repeat(Effect.tap(safe, Effect.yieldNow), { while: (done) => done > 0 })
      return Effect.forkScoped(Effect.repeat(rest, Schedule.spaced("5 seconds")))
    })
  )
}

/** A lease outlives the slowest batch: each of its events takes a sender ten seconds at most. */
const leaseTime = 5 * Instant.minute
const eventsAtOnce = 20
const subscriptionsAtOnce = 16

type Send = Deliveries["Service"]["send"]

/** Sends events until one is refused, and yields the progress. */
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
