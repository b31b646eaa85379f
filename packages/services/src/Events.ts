/** The use case of reading what has happened in a repository. */
import { Event, type Repository } from "@lazaret/domain"
import { EventStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Schema } from "effect"
import * as Lookup from "./Lookup.ts"
import * as Listing from "./Listing.ts"
import type { Invalid, RepositoryNotFound } from "./ServiceError.ts"

/** The query of a list of events; `type` null selects all types. */
export interface EventsRequest extends Listing.PageRequest {
  readonly type: Event.EventType | null
}

/** Reads the log of events. */
export class Events extends Context.Service<
  Events,
  {
    /** The events of a repository, newest first. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: EventsRequest
    ) => Effect.Effect<Listing.Listing<Event.Event>, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Events") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const events = yield* EventStore

      const list = Effect.fn("Events.list")(function* (
        ref: Repository.RepositoryRef,
        { cursor, perPage, type }: EventsRequest
      ) {
        yield* Lookup.repository(repositories)(ref)
        const bound = Listing.binding("events", ref, [type ?? ""])
        const from = yield* Listing.from(bound, cursor, Position)
        const page = yield* events.page(ref, { type, from, limit: perPage })
        return Listing.of(bound, page, ({ position }) => position)
      })

      return Events.of({ list })
    })
  )
}

const Position = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
