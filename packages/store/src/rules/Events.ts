/** The log of events over a driver. */
import { Page } from "@lazaret/domain"
import { Effect } from "effect"
import type { Driver, View } from "../Driver.ts"
import { type EventQuery, EventStore, type LoggedEvent } from "../EventStore.ts"
import { type EventRow, events } from "../Rows.ts"

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
      isDescending: from._tag === "Start" || from._tag === "After",
      ...("position" in from && { after: [from.position] }),
      // One more than asked for says whether the list goes on.
      limit: limit + 1
    }),
    ({ rows, total }) => cut(rows.map(loggedOf), total, from, limit)
  )

const cut = (
  rows: ReadonlyArray<LoggedEvent>,
  total: number,
  from: Page.From<number>,
  limit: number
): Page.Page<LoggedEvent> => {
  const hasFurther = rows.length > limit
  if (from._tag === "End") {
    // The last page holds what remains when all pages before it are full.
    const kept = rows.slice(0, total % limit || limit).toReversed()
    return { rows: kept, hasPrevious: total > kept.length, hasNext: false, total }
  }
  const kept = rows.slice(0, limit)
  if (from._tag === "Start") return { rows: kept, hasPrevious: false, hasNext: hasFurther, total }
  return from._tag === "Before"
    ? { rows: kept.toReversed(), hasPrevious: hasFurther, hasNext: true, total }
    : { rows: kept, hasPrevious: true, hasNext: hasFurther, total }
}
