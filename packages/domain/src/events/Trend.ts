/** How many tests were flaky, broken and quarantined on past days: counted back from now, along the log of events (our choice). */
import { Schema } from "effect"
import type * as Event from "./Event.ts"
import * as Instant from "../time/Instant.ts"
import * as HealthStatus from "../health/HealthStatus.ts"

/** Counts at the end of a UTC day; null where the log does not reach back to it. */
export interface Trend {
  readonly day: number
  readonly flaky: number | null
  readonly broken: number | null
  readonly quarantined: number | null
}

/** The counts of now. */
export interface Counts {
  readonly flaky: number
  readonly broken: number
  readonly quarantined: number
}

/** The types of the events that change a count. */
export const eventTypes = [
  "test.health_changed",
  "tests.health_changed",
  "quarantine.created",
  "quarantine.removed",
  "quarantine.expired"
] as const satisfies ReadonlyArray<Event.EventType>

/**
 * The counts at the end of each day from `first` to `last` (both inclusive), oldest first; those of `last` are the counts of now.
 *
 * **Details**
 *
 * - A change belongs to the day on which its run finished; where that is not known, to the day of the event.
 * - `knownSince` is the first day from which on `events` are complete: earlier days have no counts.
 * - Tests that left the list because they did not run for 30 days are not in the counts of now, and so in none of before.
 *
 * @example
 * ```ts
 * import { Trend } from "@lazaret/domain"
 *
 * const event = { at: 86_400_000, type: "test.health_changed", detail: { from: "healthy", to: "flaky" } } as const
 * const now = { flaky: 3, broken: 0, quarantined: 1 }
 * Trend.of(now, [event], { first: 0, last: 1, knownSince: 0 }).map(({ flaky }) => flaky) // => [2, 3]
 * ```
 */
export const of = (
  now: Counts,
  events: Iterable<Pick<Event.Event, "at" | "detail" | "type">>,
  { first, knownSince, last }: { readonly first: number; readonly last: number; readonly knownSince: number }
): ReadonlyArray<Trend> => {
  const changes = new Map<number, Counts>()
  for (const event of events) {
    const day = Instant.utcDay(ranAt(event))
    changes.set(day, sum(changes.get(day) ?? none, changeOf(event), 1))
  }
  const days: Array<Trend> = []
  let counts = now
  for (let day = last; day >= first; day--) {
    days.push(day < knownSince ? { day, ...unknown } : { day, ...atLeastZero(counts) })
    counts = sum(counts, changes.get(day) ?? none, -1)
  }
  return days.toReversed()
}

const none: Counts = { flaky: 0, broken: 0, quarantined: 0 }

const unknown = { flaky: null, broken: null, quarantined: null }

const sum = (a: Counts, b: Counts, sign: 1 | -1): Counts => ({
  flaky: a.flaky + sign * b.flaky,
  broken: a.broken + sign * b.broken,
  quarantined: a.quarantined + sign * b.quarantined
})

/** Changed settings move verdicts without an event. */
const atLeastZero = ({ broken, flaky, quarantined }: Counts): Counts => ({
  flaky: Math.max(0, flaky),
  broken: Math.max(0, broken),
  quarantined: Math.max(0, quarantined)
})

const ranAt = ({ at, detail }: Pick<Event.Event, "at" | "detail">): Instant.Instant => {
  const text = detail["ranAt"]
  const instant = typeof text === "string" ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? at : instant
}

const changeOf = ({ detail, type }: Pick<Event.Event, "detail" | "type">): Counts => {
  switch (type) {
    case "quarantine.created":
      return { ...none, quarantined: 1 }
    case "quarantine.removed":
    case "quarantine.expired":
      return { ...none, quarantined: -1 }
    case "test.health_changed":
      return isMove(detail) ? moved({ ...detail, tests: 1 }) : none
    case "tests.health_changed":
      return isMany(detail) ? detail.changes.reduce((all, change) => sum(all, moved(change), 1), none) : none
    default:
      return none
  }
}

const Move = Schema.Struct({ from: HealthStatus.HealthStatus, to: HealthStatus.HealthStatus })

const Moves = Schema.Struct({ ...Move.fields, tests: Schema.Int })

const isMove = Schema.is(Move)

const isMany = Schema.is(Schema.Struct({ changes: Schema.Array(Moves) }))

const moved = ({ from, tests, to }: typeof Moves.Type): Counts => ({
  flaky: tests * (Number(to === "flaky") - Number(from === "flaky")),
  broken: tests * (Number(to === "broken") - Number(from === "broken")),
  quarantined: 0
})
