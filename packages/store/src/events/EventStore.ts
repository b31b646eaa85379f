/** The port of events, and its rules over a driver: the log of what has happened in each repository. */
import type { Event, Instant, Page, Repository } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver, View } from "../Driver.ts"
import { type EventRow, events } from "../Rows.ts"
import * as Cut from "../driver/Cut.ts"

/** An event at its place in the log of its repository. */
export interface LoggedEvent extends Event.Event {
  readonly position: number
}

/** The events to list, newest first; `types` null lists those of all types. */
export interface EventQuery {
  readonly types: ReadonlyArray<Event.EventType> | null
  readonly from: Page.From<number>
  readonly limit: number
}

/**
 * The port of events.
 *
 * **Laws**
 *
 * - *In the same transaction.* The writes of the other ports append what they bring about, or are not done themselves:
 *   `ExecutionStore.append` the verdicts that it moved (`Event.healthChanged`, beyond `Event.mostMoves` the one event of
 *   `Event.manyHealthChanged`), `QuarantineStore` what began and ended, `QueueStore` pauses that changed. A duplicate
 *   appends nothing. Settings append nothing: they change how facts are read, and nothing has happened.
 * - *A verdict has moved* when it differs before and after the write, whatever lay between. When the write changes
 *   which branch is the default one, only the identities in it are compared.
 * - *Idempotent.* An event whose id is in the log is not appended again.
 * - *In order.* Positions grow. An event becomes readable after every event with a lower position, so that a caller that reads on
 *   from a position misses none.
 * - The log is only appended to, and its oldest events may be dropped.
 */
export class EventStore extends Context.Service<
  EventStore,
  {
    /** Appends the events that are not in the log, and yields how many. Creates the repository. */
    readonly append: (
      ref: Repository.RepositoryRef,
      events: ReadonlyArray<Event.Event>,
      at: Instant.Instant
    ) => Effect.Effect<number, StoreError>
    /** One page, newest first, with the number of all that match; positions are those of the log. */
    readonly page: (
      ref: Repository.RepositoryRef,
      query: EventQuery
    ) => Effect.Effect<Page.Page<LoggedEvent>, StoreError>
    /** The first events after a position, oldest first, `limit` at most. */
    readonly after: (
      ref: Repository.RepositoryRef,
      position: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LoggedEvent>, StoreError>
    /** The position of the newest event ever appended, 0 before any. */
    readonly head: (ref: Repository.RepositoryRef) => Effect.Effect<number, StoreError>
    /** Drops the events of a repository before an instant, and yields how many. Their positions are not used again. */
    readonly prune: (ref: Repository.RepositoryRef, before: Instant.Instant) => Effect.Effect<number, StoreError>
  }
>()("@lazaret/store/EventStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): EventStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): EventStore["Service"] =>
  EventStore.of({
    append: (ref, happened, at) =>
      driver.transact("EventStore.append", ref, at, (transaction) => transaction.log(happened)),
    page: (ref, query) => driver.read("EventStore.page", ref, (view) => page(view, query)),
    after: (ref, position, limit) =>
      driver.read("EventStore.after", ref, (view) =>
        Effect.map(view.select(events, { where: [["position", ">", position]], order: ["position"], limit }), (rows) =>
          rows.map(loggedOf)
        )
      ),
    head: (ref) => driver.read("EventStore.head", ref, (view) => view.head),
    prune: (ref, before) =>
      driver.transact("EventStore.prune", ref, null, (transaction) => transaction.remove(events, [["at", "<", before]]))
  })

const loggedOf = ({ event, position }: EventRow): LoggedEvent => ({ ...event, position })

/** A page of the log, newest first. */
const page = (view: View, { from, limit, types }: EventQuery) =>
  Effect.map(
    view.page(events, {
      where: types === null ? [] : [["type", "in", types]],
      order: ["position"],
      isDescending: Cut.isForward(from),
      ...("position" in from && { after: [from.position] }),
      // Read one row more than requested: it shows whether there is a next page.
      limit: limit + 1
    }),
    ({ rows, total }) => Cut.page({ rows: rows.map(loggedOf), total }, from, limit)
  )
