/** The log of events of one repository in memory. */
import type { Event, Instant } from "@lazaret/domain"
import type { LoggedEvent } from "../EventStore.ts"

/** A log: what is kept of it, oldest first, and the position of the newest event. */
export interface EventLog {
  rows: Array<LoggedEvent>
  readonly ids: Set<string>
  last: number
}

/** A log without events. */
export const make = (): EventLog => ({ rows: [], ids: new Set(), last: 0 })

/** Appends the events that are not in the log, and yields how many. */
export const append = (log: EventLog, events: ReadonlyArray<Event.Event>): number => {
  const before = log.rows.length
  for (const event of events) {
    if (log.ids.has(event.id)) continue
    log.last += 1
    log.ids.add(event.id)
    log.rows.push({ ...event, position: log.last })
  }
  return log.rows.length - before
}

/** Drops the events before an instant, and yields how many. */
export const prune = (log: EventLog, before: Instant.Instant): number => {
  const dropped = log.rows.filter((event) => event.at < before)
  log.rows = log.rows.filter((event) => event.at >= before)
  for (const { id } of dropped) log.ids.delete(id)
  return dropped.length
}
