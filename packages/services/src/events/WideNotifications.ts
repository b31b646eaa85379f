/** The use cases of wide notifiers: people learn what has happened in several repositories (see `docs/how-to/notifications.md`). */
import { Credential, Instant, Notifier, Repository, Role } from "@lazaret/domain"
import {
  type LeasedWideNotifier,
  type LogPlace,
  EventStore,
  RepositoryStore,
  type StoreError,
  type WideNotifierState,
  WideNotifierStore
} from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { note } from "../answer/AuditNote.ts"
import { EventOwners } from "./EventOwners.ts"
import { MessageOptions } from "./MessageOptions.ts"
import { MessageSender } from "./MessageSender.ts"
import { NewId } from "../ports/NewId.ts"
import * as AuditedNotifier from "./AuditedNotifier.ts"
import * as Message from "./Message.ts"
import * as Turn from "./Turn.ts"
import * as Rounds from "../background/Rounds.ts"
import { NotificationFailed, NotifierNotFound, NotifierOutOfReach } from "../answer/ServiceError.ts"

export type { WideNotifierState } from "@lazaret/store"

/** A new wide notifier. */
export type NewWideNotifier = Omit<Notifier.WideNotifier, "id" | "createdAt" | "createdBy">

/**
 * Tells people what has happened in several repositories: one message, with a part for each.
 *
 * **Laws**
 *
 * - Those of `Notifications`. A repository that is created later is covered from its first event on; one that is removed drops out
 *   of every message, also of one that was begun.
 * - Only a caller who administers every owner that the patterns can name creates, sees, tests and deletes a wide notifier.
 */
export class WideNotifications extends Context.Service<
  WideNotifications,
  {
    /** Creates a notifier that reports every event from now on. */
    readonly create: (
      caller: Credential.Principal,
      notifier: NewWideNotifier
    ) => Effect.Effect<WideNotifierState, NotifierOutOfReach | StoreError>
    /** The notifiers within reach with their progress, oldest first. */
    readonly list: (caller: Credential.Principal) => Effect.Effect<ReadonlyArray<WideNotifierState>, StoreError>
    /** Deletes a notifier. */
    readonly remove: (caller: Credential.Principal, id: string) => Effect.Effect<void, NotifierNotFound | StoreError>
    /** Sends a test message. */
    readonly test: (
      caller: Credential.Principal,
      id: string
    ) => Effect.Effect<void, NotificationFailed | NotifierNotFound | StoreError>
    /** Sends the messages that are due, and yields the number of notifiers that it took on. */
    readonly round: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/WideNotifications") {
  /** The use cases over the storage ports and the sender. */
  static readonly layer = Layer.effect(
    WideNotifications,
    Effect.gen(function* () {
      const store = yield* WideNotifierStore
      const repositories = yield* RepositoryStore
      const events = yield* EventStore
      const sender = yield* MessageSender
      const newId = yield* NewId
      const takeTurn = yield* Turn.make(yield* MessageOptions)

      const covered = (patterns: ReadonlyArray<string>) =>
        Effect.map(repositories.list, (all) => all.filter(Notifier.covers(patterns)))

      const create = Effect.fn("WideNotifications.create")(function* (
        caller: Credential.Principal,
        parts: NewWideNotifier
      ) {
        const grants = Credential.grantsOf(caller)
        const owners = Notifier.ownersOf(parts.repositories)
        const foreign = owners.find((owner) => !Role.administers(grants, owner))
        if (foreign !== undefined) return yield* new NotifierOutOfReach({ owner: foreign })
        const createdAt = yield* Clock.currentTimeMillis
        const notifier = { ...parts, id: yield* newId, createdAt, createdBy: caller.subject }
        // A repository that is created meanwhile has no stored position, so it is read from its first event.
        const places = yield* Effect.forEach(yield* covered(parts.repositories), (repository) =>
          Effect.map(events.head(repository), (position) => placeOf(repository, position))
        )
        const nextAt = Notifier.next(notifier.schedule, createdAt)
        yield* note(noteOf(notifier, "after"))
        yield* store.insert(notifier, places, nextAt)
        return {
          notifier,
          places,
          attempts: 0,
          nextAt,
          failure: sender.obstacle?.(notifier.channel) ?? null,
          sentAt: null
        }
      })

      const list = Effect.fn("WideNotifications.list")(function* (caller: Credential.Principal) {
        const grants = Credential.grantsOf(caller)
        return (yield* store.list).filter(({ notifier }) =>
          Notifier.ownersOf(notifier.repositories).every((owner) => Role.administers(grants, owner))
        )
      })

      const find = Effect.fnUntraced(function* (caller: Credential.Principal, id: string) {
        const found = (yield* list(caller)).find(({ notifier }) => notifier.id === id)
        return found === undefined ? yield* unknown(id) : found.notifier
      })

      const remove = Effect.fn("WideNotifications.remove")(function* (caller: Credential.Principal, id: string) {
        yield* note(noteOf(yield* find(caller, id), "before"))
        if (!(yield* store.remove(id))) return yield* unknown(id)
      })

      const test = Effect.fn("WideNotifications.test")(function* (caller: Credential.Principal, id: string) {
        const notifier = yield* find(caller, id)
        const message = Message.test(yield* newId, notifier.repositories.join(", "), yield* Clock.currentTimeMillis)
        yield* Effect.mapError(
          sender.send(notifier.channel, message),
          ({ message: reason }) => new NotificationFailed({ ...everywhere, notifierId: id, reason })
        )
      })

      const turnOf = Effect.fnUntraced(function* (leased: LeasedWideNotifier) {
        const { attempts, notifier, staged } = leased
        const all = yield* covered(notifier.repositories)
        // A message that was begun covers the logs that it began with.
        const read = staged === null ? all : all.filter((repository) => placeIn(staged, repository) !== undefined)
        const sources = read.map((repository) => {
          const position = placeIn(leased.places, repository)?.position ?? 0
          const until = staged === null ? null : (placeIn(staged, repository)?.position ?? position)
          return { ref: repository, position, until, empty: position }
        })
        const placesAt = (positions: ReadonlyArray<number>) =>
          read.map((repository, index) => placeOf(repository, positions[index] ?? 0))
        const others = all
          .filter((repository) => !read.includes(repository))
          .flatMap((repository) => placeIn(leased.places, repository) ?? [])
        return {
          notifier,
          attempts,
          isBegun: staged !== null,
          sources,
          pause: Notifier.readEvery,
          messageId: (ranges) =>
            Notifier.wideMessageId(
              notifier.id,
              read.flatMap((repository, index) => {
                const range = ranges[index]
                return range === undefined || range.until === range.after
                  ? []
                  : [{ key: Repository.key(repository), ...range }]
              })
            ),
          stage: (positions) => store.stage(leased, placesAt(positions)),
          settle: ({ positions, ...progress }) =>
            store.settle(leased, { ...progress, places: [...placesAt(positions), ...others] })
        } satisfies Turn.Turn
      })

      const round = yield* Rounds.ofLeases({
        lease: store.lease,
        leaseTime,
        atOnce,
        work: (leased) => Effect.flatMap(turnOf(leased), takeTurn),
        failure: "A notification could not be sent",
        about: ({ notifier }) => ({ notifier: notifier.id })
      })

      return WideNotifications.of({ create, list, remove, test, round })
    })
  ).pipe(Layer.provide(EventOwners.layer))

  /** Sends in rounds in the background, and continues at once while messages are due. */
  static readonly layerRounds = Rounds.layer(
    WideNotifications,
    Effect.succeed({ every: 5 * Instant.second }),
    "Notifications could not be sent"
  )
}

/** A lease outlives the reading of many logs and the slowest message. */
const leaseTime = 10 * Instant.minute

/** How many notifiers are served at the same time. */
const atOnce = 4

const everywhere = { owner: null, repository: null }

const unknown = (notifierId: string) => new NotifierNotFound({ ...everywhere, notifierId })

const placeOf = (repository: Repository.Repository, position: number): LogPlace => ({
  key: Repository.key(repository),
  createdAt: repository.createdAt,
  position
})

/** The place of a repository; one of a removed repository with the same name does not count. */
const placeIn = (places: ReadonlyArray<LogPlace>, repository: Repository.Repository): LogPlace | undefined =>
  places.find(({ createdAt, key }) => createdAt === repository.createdAt && key === Repository.key(repository))

/** The entry of the audit log belongs to the owner whom all patterns name. */
const noteOf = (notifier: Notifier.WideNotifier, side: "after" | "before") => {
  const [owner, ...others] = Notifier.ownersOf(notifier.repositories)
  const fields = { ...AuditedNotifier.of(notifier), repositories: [...notifier.repositories] }
  return { owner: others.length === 0 ? (owner ?? null) : null, [side]: fields }
}
