/**
 * The partitions of results: one per week, from Monday to Monday in UTC, made when the first result of a week arrives.
 *
 * @since 0.1.0
 */
import { Instant } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { PostgresClient } from "./PostgresClient.ts"

/**
 * Makes partitions before they are needed; what has been made is remembered.
 *
 * @category models
 * @since 0.1.0
 */
export class Weeks {
  private readonly client: PostgresClient["Service"]
  private readonly known = new Set<number>()

  constructor(client: PostgresClient["Service"]) {
    this.client = client
  }

  /** Makes the partitions for these instants, each in a transaction of its own. */
  readonly ensure = (operation: string, instants: Iterable<Instant.Instant>): Effect.Effect<void, StoreError> => {
    const missing = new Set<number>()
    for (const at of instants) {
      const week = weekOf(at)
      if (week >= firstWeek && !this.known.has(week)) missing.add(week)
    }
    return Effect.forEach(
      [...missing].sort((a, b) => a - b),
      (week) => this.make(operation, week),
      { discard: true }
    )
  }

  private readonly make = (operation: string, week: number) =>
    this.client
      .transaction(operation, makePartition(this.client.sql, week))
      .pipe(Effect.andThen(Effect.sync(() => this.known.add(week))))
}

const length = 7 * Instant.day

/** The first Monday after the epoch is the fifth of January 1970. */
const shift = 4 * Instant.day

const weekOf = (at: Instant.Instant): number => Math.floor((at - shift) / length)

/** Everything before is in the partition of the past. */
const firstWeek = weekOf(Date.UTC(2020, 0, 6))

const startOf = (week: number): string => Instant.toIso(week * length + shift)

/**
 * A table is made first and attached then: that locks out neither readers nor writers. Two that make the same one take
 * turns.
 */
const makePartition = (sql: PostgresClient["Service"]["sql"], week: number): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const name = `result_chunks_${startOf(week).slice(0, 10).replaceAll("-", "")}`
    yield* sql`SELECT pg_advisory_xact_lock(4180, 2)`
    const [found] = yield* sql<{ readonly exists: boolean }>`SELECT to_regclass(${name}) IS NOT NULL AS exists`
    if (found?.exists === true) return
    yield* sql.unsafe(`CREATE TABLE ${name} (LIKE result_chunks INCLUDING ALL)`)
    yield* sql.unsafe(
      `ALTER TABLE result_chunks ATTACH PARTITION ${name} FOR VALUES FROM ('${startOf(week)}') TO ('${startOf(week + 1)}')`
    )
  })
