/**
 * The use case of delivering events to webhooks: at least once, in order, retried, and a dead letter after the last
 * attempt (see `docs/how-to/outgoing-webhooks.md`).
 */
import { Instant, Subscription } from "@lazaret/domain"
import {
  EventStore,
  type Leased,
  type LoggedEvent,
  type Progress,
  type StoreError,
  SubscriptionStore
} from "@lazaret/store"
import { Clock, Context, Effect, FiberSet, Layer, Queue, Result } from "effect"
import { type DeliveryFailure, EventSender } from "./EventSender.ts"
import { NewId } from "../ports/NewId.ts"
import { type OwnedEvent, EventOwners } from "./EventOwners.ts"

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
 * - A slow receiver delays no webhook of another owner: a delivery that ends makes room for the next one at once, and one
 *   owner has a part of the slots at most.
 */
export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Delivers the due events of as many webhooks as there are slots, and yields the number of webhooks. */
    readonly round: Effect.Effect<number, StoreError>
    /** Delivers for ever: at once while events are due, and every five seconds. */
    readonly run: Effect.Effect<never>
    /** Sends one event once. */
    readonly send: (subscription: Subscription.Subscription, event: OwnedEvent) => Effect.Effect<void, DeliveryFailure>
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
      const owners = yield* EventOwners

      const send = Effect.fn("Deliveries.send")(function* (subscription: Subscription.Subscription, event: OwnedEvent) {
        const { id, secret, url } = subscription
        const sentAt = yield* Clock.currentTimeMillis
        yield* sender.send({ id: Subscription.deliveryId(id, event.id), url, secret, event, sentAt })
      })

      const deliver = Effect.fnUntraced(function* (leased: Leased) {
        const batch = yield* owners.owned(leased.ref, yield* events.after(leased.ref, leased.position, eventsAtOnce))
        return yield* subscriptions.settle(leased, yield* progress(leased, batch, send))
      })

      const safely = (leased: Leased) =>
        deliver(leased).pipe(
          Effect.catchCause((cause) => Effect.logWarning("Events could not be delivered", cause)),
          Effect.annotateLogs({ subscription: leased.subscription.id })
        )

      const slots = yield* FiberSet.make<void>()
      const ended = yield* Queue.sliding<void>(1)
      const held = new Map<string, number>()

      const hold = (owner: string, change: number) => held.set(owner, (held.get(owner) ?? 0) + change)

      /** Fills the slots with webhooks that have due events, and yields how many it found. */
      const fill = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const limit = slotCount - (yield* FiberSet.size(slots))
        if (limit === 0) return 0
        const perOwner = { most: slotsPerOwner, held }
        const leased = yield* subscriptions.lease({ now, until: now + leaseTime, lease: yield* newId, limit, perOwner })
        for (const each of leased) {
          const owner = each.ref.owner.toLowerCase()
          hold(owner, 1)
          const freed = Effect.andThen(
            Effect.sync(() => hold(owner, -1)),
            Queue.offer(ended, undefined)
          )
          yield* FiberSet.run(slots, Effect.ensuring(safely(each), freed))
        }
        return leased.length
      })

      const safeFill = Effect.catchCause(fill, (cause) => Effect.logWarning("Events could not be delivered", cause))

      const round = Effect.tap(fill, () => FiberSet.awaitEmpty(slots))

      const next = Effect.raceFirst(Queue.take(ended), Effect.sleep("5 seconds"))
      const run = Effect.forever(Effect.andThen(safeFill, next))

      return Deliveries.of({ round, run, send })
    })
  ).pipe(Layer.provide(EventOwners.layer))

  /** Delivers for ever in the background. */
  static readonly layerRounds = Layer.effectDiscard(Effect.flatMap(Deliveries, ({ run }) => Effect.forkScoped(run)))
}

/** A lease outlives the slowest batch: each of its events takes a sender ten seconds at most. */
const leaseTime = 5 * Instant.minute
const eventsAtOnce = 20

/** How many webhooks are served at the same time, in all and of one owner. */
const slotCount = 32
const slotsPerOwner = 8

type Send = Deliveries["Service"]["send"]

/** Sends events until one is refused, and yields the progress. */
const progress = Effect.fnUntraced(function* (
  { attempts, position, subscription }: Leased,
  events: ReadonlyArray<LoggedEvent & OwnedEvent>,
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
  readonly event: LoggedEvent & OwnedEvent
  readonly attempts: number
  readonly error: string
  readonly now: Instant.Instant
}

const refused = ({ attempts, error, event, now, reached }: Refused): Progress => {
  const wait = Subscription.waitAfter(attempts)
  if (wait !== null) return { position: reached, attempts, nextAt: now + wait, dead: [] }
  const { owners: _, position, ...plain } = event
  return { position, attempts: 0, nextAt: now, dead: [{ event: plain, at: now, attempts, error }] }
}
