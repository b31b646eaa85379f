/**
 * The partitions of results: one per week, from Monday to Monday in UTC, made when the first result of a week arrives, or
 * ahead of it.
 */
import { Instant, Retention } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Parameter from "../database/Parameter.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"

type Client = PostgresClient["Service"]

/**
 * Makes partitions before they are needed; what has been made is remembered.
 *
 * **Details**
 *
 * Only young ones are remembered: old ones may have been dropped since, by whatever process.
 */
export class Weeks {
  private readonly client: Client
  private readonly known = new Set<number>()

  constructor(client: Client) {
    this.client = client
  }

  /** Makes the partitions for these instants, each in a transaction of its own; `now` tells which of them are young. */
  readonly ensure = (
    operation: string,
    instants: Iterable<Instant.Instant>,
    now: Instant.Instant
  ): Effect.Effect<void, StoreError> =>
    Effect.forEach(
      missing(instants, this.known),
      (start) =>
        Effect.andThen(
          make(this.client, operation, start),
          Effect.sync(() => this.remember(start, now))
        ),
      { discard: true }
    )

  /** Forgets what has been made: somebody has dropped some of it. */
  readonly forget = (): void => this.known.clear()

  private remember(start: Instant.Instant, now: Instant.Instant): void {
    if (start > now - youngDays * Instant.day) this.known.add(start)
  }
}

/** For so many days a partition is young. Whoever keeps less loses what search shows: young ones are not dropped. */
export const youngDays = Retention.fewestDays - 7

/** Makes the partitions for these instants that are not there yet, and yields how many that were. */
export const prepare = (
  client: Client,
  operation: string,
  instants: Iterable<Instant.Instant>
): Effect.Effect<number, StoreError> =>
  Effect.map(
    Effect.forEach(missing(instants, new Set()), (start) => make(client, operation, start)),
    (made) => made.filter((isNew) => isNew).length
  )

/** The partition of the week that starts at an instant. */
export const nameOf = (start: Instant.Instant): string =>
  `result_chunks_${Instant.toIso(start).slice(0, 10).replaceAll("-", "")}`

/** Everything before is in the partition of the past. */
const firstWeek = Date.UTC(2020, 0, 6)

const missing = (instants: Iterable<Instant.Instant>, known: ReadonlySet<number>): ReadonlyArray<Instant.Instant> => {
  const starts = new Set<number>()
  for (const at of instants) {
    const start = Retention.startOfWeek(at)
    if (start >= firstWeek && !known.has(start)) starts.add(start)
  }
  return [...starts].sort((a, b) => a - b)
}

const make = (client: Client, operation: string, start: Instant.Instant) =>
  client.transaction(operation, makePartition(client.sql, start))

/**
 * A table is made first and attached then: that locks out neither readers nor writers. Two that make the same one take
 * turns.
 */
const makePartition = (sql: Client["sql"], start: Instant.Instant): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(4180, 2)`
    const added = yield* sql`
      INSERT INTO result_weeks (start_at)
      VALUES (${Parameter.instant(start)})
      ON CONFLICT DO NOTHING
      RETURNING start_at`
    if (added.length === 0) return false
    const name = nameOf(start)
    yield* sql.unsafe(`CREATE TABLE ${name} (LIKE result_chunks INCLUDING ALL)`)
    const [from, to] = [start, start + Retention.week].map((at) => `'${Instant.toIso(at)}'`)
    yield* sql.unsafe(`ALTER TABLE result_chunks ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${to})`)
    return true
  })
