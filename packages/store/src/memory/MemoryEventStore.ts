/** Events in memory. */
import { Page } from "@lazaret/domain"
import { Effect } from "effect"
import { EventStore, type LoggedEvent } from "../EventStore.ts"
import * as EventLog from "./EventLog.ts"
import * as MemoryState from "./MemoryState.ts"

/** The event port over a memory state. */
export const make = (state: MemoryState.MemoryState): EventStore["Service"] => {
  const logOf = (ref: Parameters<typeof MemoryState.find>[1]) => MemoryState.find(state, ref)?.events ?? EventLog.make()
  return EventStore.of({
    append: (ref, events, at) =>
      Effect.andThen(
        MemoryState.requireStorable("EventStore.append", MemoryState.textsIn(events)),
        Effect.sync(() => EventLog.append(MemoryState.ensure(state, ref, at).events, events))
      ),
    page: (ref, { from, limit, type }) =>
      Effect.sync(() => {
        const rows = logOf(ref).rows.filter((event) => type === null || event.type === type)
        return Page.select(rows, { order, comparePosition, from, limit })
      }),
    after: (ref, position, limit) =>
      Effect.sync(() =>
        logOf(ref)
          .rows.filter((event) => event.position > position)
          .slice(0, limit)
      ),
    head: (ref) => Effect.sync(() => logOf(ref).last),
    prune: (ref, before) => Effect.sync(() => EventLog.prune(logOf(ref), before))
  })
}

/** Newest first. */
const comparePosition = (row: LoggedEvent, position: number): -1 | 0 | 1 =>
  row.position > position ? -1 : row.position < position ? 1 : 0

const order = (a: LoggedEvent, b: LoggedEvent): -1 | 0 | 1 => comparePosition(a, b.position)
