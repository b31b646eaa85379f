/** The log of events over a driver. */
import { Effect } from "effect"
import type { Driver, View } from "../Driver.ts"
import { type EventQuery, EventStore, type LoggedEvent } from "./EventStore.ts"
import { type EventRow, events } from "../Rows.ts"
import * as Cut from "../driver/Cut.ts"

/** The port of events. */
export const make = (driver: Driver["Service"]): EventStore["Service"] =>
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
      // One more than asked for says whether the list goes on.
      limit: limit + 1
    }),
    ({ rows, total }) => Cut.page({ rows: rows.map(loggedOf), total }, from, limit)
  )
