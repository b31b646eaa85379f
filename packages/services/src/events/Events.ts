/** The use case of reading what has happened in a repository. */
import { type Credential, Event, type Repository } from "@lazaret/domain"
import { EventStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Schema } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import * as Listing from "../answer/Listing.ts"
import type { Invalid, RepositoryNotFound } from "../answer/ServiceError.ts"
import { type OwnedEvent, EventOwners } from "./EventOwners.ts"

/** The query of a list of events by a caller; `type` null selects all types. */
export interface EventsRequest extends Listing.PageRequest {
  readonly type: Event.EventType | null
  readonly caller: Credential.CredentialKind
}

/** Reads the log of events. */
export class Events extends Context.Service<
  Events,
  {
    /** The events of a repository that the caller may read, newest first: events of the queue not for a CI key. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: EventsRequest
    ) => Effect.Effect<Listing.Listing<OwnedEvent>, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Events") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const events = yield* EventStore
      const owners = yield* EventOwners

      const list = Effect.fn("Events.list")(function* (
        ref: Repository.RepositoryRef,
        { caller, cursor, perPage, type }: EventsRequest
      ) {
        yield* Lookup.repository(repositories)(ref)
        const types = readable(caller).filter((each) => type === null || each === type)
        const bound = Listing.binding("events", ref, types)
        const from = yield* Listing.from(bound, cursor, Position)
        const page = yield* events.page(ref, { types, from, limit: perPage })
        const rows = yield* owners.owned(ref, page.rows)
        return Listing.of(bound, { ...page, rows }, ({ position }) => position)
      })

      return Events.of({ list })
    })
  ).pipe(Layer.provide(EventOwners.layer))
}

/** A CI key may not read the merge queue (interface 4.2), so that it does not read its events either. */
const readable = (caller: Credential.CredentialKind): ReadonlyArray<Event.EventType> =>
  caller === "ci" ? Event.EventType.literals.filter((type) => !type.startsWith("queue.")) : Event.EventType.literals

const Position = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
