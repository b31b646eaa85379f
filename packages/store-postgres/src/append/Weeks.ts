/**
 * The partitions of results: one per week, from Monday (inclusive) to Monday (exclusive) in UTC. A partition is created
 * ahead of its week, or when the first result of the week arrives.
 */
import { Instant, Retention } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Parameter from "../database/Parameter.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"

type Client = PostgresClient["Service"]

/**
 * Creates partitions before they are needed, and caches which of them exist.
 *
 * **Details**
 *
 * Only young partitions are cached: any process may have dropped an old one since.
 */
export class Weeks {
  private readonly client: Client
  private readonly known = new Set<number>()

  constructor(client: Client) {
    this.client = client
  }

  /**
   * Creates the partitions for these instants, each in a transaction of its own. `now` decides which of them are young.
   */
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

  /** Clears the cache, after a partition was dropped. */
  readonly forget = (): void => this.known.clear()

  private remember(start: Instant.Instant, now: Instant.Instant): void {
    if (start > now - youngDays * Instant.day) this.known.add(start)
  }
}

/**
 * The age in days up to which a partition is young. Every retention is longer, so no process drops a young partition.
 */
export const youngDays = Retention.fewestDays - 7

/** Creates the missing partitions for these instants, and yields their number. */
export const prepare = (
  client: Client,
  operation: string,
  instants: Iterable<Instant.Instant>
): Effect.Effect<number, StoreError> =>
  Effect.map(
    Effect.forEach(missing(instants, new Set()), (start) => make(client, operation, start)),
    (made) => made.filter(Boolean).length
  )

/** The partition of the week that starts at an instant. */
export const nameOf = (start: Instant.Instant): string =>
  `result_chunks_${Instant.toIso(start).slice(0, 10).replaceAll("-", "")}`

/** Results before this instant are in the one partition of the past. */
const firstWeek = Date.UTC(2020, 0, 6)

const missing = (instants: Iterable<Instant.Instant>, known: ReadonlySet<number>): ReadonlyArray<Instant.Instant> => {
  const starts = new Set<number>()
  let start = -Infinity
  for (const at of instants) {
    // Most executions of a report are of one week.
    if (at >= start && at < start + Retention.week) continue
    start = Retention.startOfWeek(at)
    if (start >= firstWeek && !known.has(start)) starts.add(start)
  }
  return [...starts].sort((a, b) => a - b)
}

const make = (client: Client, operation: string, start: Instant.Instant) =>
  client.transaction(operation, makePartition(client.sql, start))

/**
 * Creates a table and then attaches it, which blocks neither readers nor writers. Two sessions that create the same
 * partition take turns.
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
