/** The use cases of notifications: people learn what has happened in a chat or by e-mail (see `docs/how-to/notifications.md`). */
import { Instant, Notifier, type Repository } from "@lazaret/domain"
import {
  EventStore,
  type LeasedNotifier,
  type NotifierState,
  NotifierStore,
  RepositoryStore,
  type StoreError
} from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { note } from "../answer/AuditNote.ts"
import * as Lookup from "../answer/Lookup.ts"
import { MessageOptions } from "./MessageOptions.ts"
import { MessageSender } from "./MessageSender.ts"
import { NewId } from "../ports/NewId.ts"
import * as AuditedNotifier from "./AuditedNotifier.ts"
import * as Message from "./Message.ts"
import * as Turn from "./Turn.ts"
import * as Rounds from "../background/Rounds.ts"
import { NotificationFailed, NotifierNotFound, type RepositoryNotFound } from "../answer/ServiceError.ts"
import { EventOwners } from "./EventOwners.ts"

export type { NotifierState } from "@lazaret/store"

/** A new notifier and the name of its creator. */
export interface NewNotifier extends Omit<Notifier.Notifier, "id" | "createdAt" | "createdBy"> {
  readonly by: string
}

/**
 * Tells people what has happened, from the log of events.
 *
 * **Laws**
 *
 * - *Nothing is lost.* A message that is not accepted is sent again, after longer and longer pauses of an hour at most, and no
 *   later one before it. Only what retention drops from the log is not reported.
 * - *At least once, as the same message.* Which events a message is about is stored before it is sent, and that it was accepted
 *   after it. A process that dies in between sends it again, with the same events and the same id.
 * - Any number of processes may work; at any time one of them does so for a notifier.
 * - No text leaves before secrets are removed.
 */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Creates a notifier that reports every event from now on; `failure` says why none can be sent with the settings of the server. */
    readonly create: (ref: Repository.RepositoryRef, notifier: NewNotifier) => Effect.Effect<NotifierState, StoreError>
    /** The notifiers of a repository with their progress, oldest first. */
    readonly list: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<ReadonlyArray<NotifierState>, RepositoryNotFound | StoreError>
    /** Deletes a notifier. */
    readonly remove: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<void, NotifierNotFound | RepositoryNotFound | StoreError>
    /** Sends a test message. */
    readonly test: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<void, NotificationFailed | NotifierNotFound | RepositoryNotFound | StoreError>
    /** Sends the messages that are due, and yields the number of notifiers that it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/Notifications") {
  /** The use cases over the storage ports and the sender. */
  static readonly layer = Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const store = yield* NotifierStore
      const events = yield* EventStore
      const sender = yield* MessageSender
      const options = yield* MessageOptions
      const newId = yield* NewId

      const create = Effect.fn("Notifications.create")(function* (
        ref: Repository.RepositoryRef,
        { by, ...parts }: NewNotifier
      ) {
        const createdAt = yield* Clock.currentTimeMillis
        const notifier: Notifier.Notifier = { ...parts, id: yield* newId, createdAt, createdBy: by }
        const nextAt = Notifier.next(notifier.schedule, createdAt)
        yield* store.insert(ref, notifier, nextAt)
        yield* note({ after: AuditedNotifier.of(notifier) })
        const failure = sender.obstacle?.(notifier.channel) ?? null
        return { notifier, position: 0, attempts: 0, nextAt, failure, sentAt: null, waiting: 0 }
      })

      const list = Effect.fn("Notifications.list")(function* (ref: Repository.RepositoryRef) {
        yield* repository(ref)
        return yield* store.list(ref)
      })

      const remove = Effect.fn("Notifications.remove")(function* (ref: Repository.RepositoryRef, id: string) {
        yield* repository(ref)
        const held = (yield* store.list(ref)).find(({ notifier }) => notifier.id === id)
        yield* note({ before: held === undefined ? null : AuditedNotifier.of(held.notifier) })
        if (!(yield* store.remove(ref, id))) return yield* unknown(ref, id)
      })

      const test = Effect.fn("Notifications.test")(function* (ref: Repository.RepositoryRef, id: string) {
        const found = (yield* list(ref)).find(({ notifier }) => notifier.id === id)
        if (found === undefined) return yield* unknown(ref, id)
        const message = Message.test(yield* newId, `${ref.owner}/${ref.repository}`, yield* Clock.currentTimeMillis)
        yield* Effect.mapError(
          sender.send(found.notifier.channel, message),
          ({ message: reason }) => new NotificationFailed({ ...nameOf(ref), notifierId: id, reason })
        )
      })

      const takeTurn = yield* Turn.make(options)

      const turnOf = Effect.fnUntraced(function* (leased: LeasedNotifier) {
        const { attempts, notifier, position, ref, until } = leased
        return {
          notifier,
          attempts,
          isBegun: until !== null,
          sources: [{ ref, position, until, empty: yield* events.head(ref) }],
          pause: 0,
          messageId: ([range]) => Notifier.messageId(notifier.id, range ?? { after: position, until: position }),
          stage: ([end = position]) => store.stage(leased, end),
          settle: ({ positions: [reached = position], ...progress }) =>
            store.settle(leased, { ...progress, position: reached })
        } satisfies Turn.Turn
      })

      const round = yield* Rounds.ofLeases({
        lease: (request) => store.lease({ ...request, perOwner: { most: perOwner, held: new Map() } }),
        leaseTime,
        atOnce,
        work: (leased) => Effect.flatMap(turnOf(leased), takeTurn),
        failure: "A notification could not be sent",
        about: ({ notifier }) => ({ notifier: notifier.id })
      })

      return Notifications.of({ create, list, remove, test, round })
    })
  ).pipe(Layer.provide(EventOwners.layer))

  /** Sends in rounds in the background, and continues at once while messages are due. */
  static readonly layerRounds = Rounds.layer(
    Notifications,
    Effect.succeed({ every: 5 * Instant.second }),
    "Notifications could not be sent"
  )
}

/** A lease outlives the slowest message. */
const leaseTime = 5 * Instant.minute

/** How many notifiers are served at the same time, in all and of one owner. */
const atOnce = 16
const perOwner = 8

const nameOf = ({ owner, repository }: Repository.RepositoryRef) => ({ owner, repository })

const unknown = (ref: Repository.RepositoryRef, notifierId: string) =>
  new NotifierNotFound({ ...nameOf(ref), notifierId })
