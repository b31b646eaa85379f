/**
 * The weekly partitions of results: created ahead, rewritten when their week is over, dropped when no repository
 * retains it.
 *
 * Waits at most 200 ms for a lock on a partition. Holds a lock that blocks readers for some milliseconds.
 */
import { Instant, Retention } from "@lazaret/domain"
import type { StoreError, StorageChanges } from "@lazaret/store"
import { Effect, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import * as Parameter from "../database/Parameter.ts"
import type { PostgresClient } from "../database/PostgresClient.ts"
import * as Weeks from "../append/Weeks.ts"

type Client = PostgresClient["Service"]

type Sql = Client["sql"]

/**
 * Creates the partitions of this week and the next ones, drops those that no repository retains, and rewrites those of
 * past weeks in read order.
 */
export const tidy = Effect.fnUntraced(function* (
  client: Client,
  now: Instant.Instant
): Effect.fn.Return<StorageChanges, StoreError> {
  const ahead = Array.from({ length: weeksAhead + 1 }, (_, week) => now + week * Retention.week)
  const allocated = yield* Weeks.prepare(client, operation, ahead)
  yield* client.transaction(operation, dropPast(client.sql))
  const partitions = yield* client.run(operation, selectPartitions(client.sql))
  const done = { freed: 0, compacted: 0 }
  for (const { start } of partitions) {
    const outcome = yield* attempt(client, maintain(client.sql, start, now))
    // A statement that holds one partition for this long reads all of them.
    if (outcome === "busy") break
    if (outcome !== "as it was") done[outcome] += 1
  }
  return { allocated, ...done }
})

type Outcome = "freed" | "compacted" | "as it was"

const maintain = Effect.fnUntraced(function* (
  sql: Sql,
  start: Instant.Instant,
  now: Instant.Instant
): Effect.fn.Return<Outcome, SqlError.SqlError> {
  // Another server may have changed it since the list was read.
  const partition = (yield* selectPartitions(sql)).find((each) => each.start === start)
  if (partition === undefined) return "as it was"
  const isOld = partition.end <= now - Weeks.youngDays * Instant.day
  if (isOld && (yield* release(sql, partition))) return "freed"
  if (!isOver(partition, now)) return "as it was"
  yield* rewrite(sql, partition)
  return "compacted"
})

const operation = "RetentionStore.tidy"

const weeksAhead = 4

/** A week counts as over one day later, so that late executions can arrive. */
const isOver = ({ end, isRewritten }: Partition, now: Instant.Instant): boolean =>
  end + Instant.day <= now && !isRewritten

interface Partition {
  readonly name: string
  readonly start: Instant.Instant
  readonly end: Instant.Instant
  readonly isRewritten: boolean
}

/** Tries a few times to get the locks in time. Only one of several servers tidies at a time. */
const attempt = (
  client: Client,
  work: Effect.Effect<Outcome, SqlError.SqlError>
): Effect.Effect<Outcome | "busy", StoreError> =>
  client
    .transaction(
      operation,
      Effect.gen(function* () {
        yield* client.sql`SET LOCAL lock_timeout = '200ms'`
        yield* client.sql`SET LOCAL statement_timeout = 0`
        const [lock] = yield* client.sql<{ readonly taken: boolean }>`
          SELECT pg_try_advisory_xact_lock(4180, 3) AS taken`
        return lock?.taken === true ? yield* work : "busy"
      }),
      isUnavailable
    )
    .pipe(
      Effect.retry({ times: 2, schedule: Schedule.exponential("100 millis"), while: isUnavailable }),
      Effect.catchIf(isUnavailable, (error) =>
        Effect.as(Effect.logDebug("a week is left for the next time", error), "busy" as const)
      )
    )

const isUnavailable = ({ reason }: StoreError): boolean => reason === "unavailable"

/**
 * Drops a partition without retained executions. Blocks writers while it checks that, and readers only while it
 * detaches the partition.
 */
const release = Effect.fnUntraced(function* (sql: Sql, { end, name, start }: Partition) {
  const isCandidate = yield* isBehind(sql, end)
  if (!isCandidate || (yield* isKept(sql, name))) return false
  yield* sql.unsafe(`LOCK TABLE ${name} IN SHARE MODE`)
  if (yield* isKept(sql, name)) return false
  yield* sql.unsafe(`ALTER TABLE result_chunks DETACH PARTITION ${name}`)
  yield* sql.unsafe(`DROP TABLE ${name}`)
  yield* sql`DELETE FROM result_weeks WHERE start_at = ${Parameter.instant(start)}`
  return true
})

const isBehind = (sql: Sql, end: Instant.Instant) =>
  Effect.map(
    sql`SELECT 1 AS one FROM repositories WHERE dropped_to >= ${Parameter.instant(end)} LIMIT 1`,
    (rows) => rows.length > 0
  )

const isKept = (sql: Sql, name: string) =>
  Effect.map(
    sql.unsafe<{ readonly kept: boolean }>(`
      SELECT EXISTS (
        SELECT 1 FROM ${name} c
        LEFT JOIN retention_bases b ON b.repository_id = c.repository_id AND b.block_no = c.block_no
        WHERE b.at IS NULL OR c.at > b.at
      ) AS kept`),
    ([row]) => row?.kept !== false
  )

/**
 * Replaces a partition by a copy in which the chunks of each block are adjacent. Late uploads for this week wait for
 * the whole operation, readers only for the exchange.
 */
const rewrite = Effect.fnUntraced(function* (sql: Sql, { end, name, start }: Partition) {
  yield* sql.unsafe(`LOCK TABLE ${name} IN SHARE MODE`)
  const copy = `${name}_copy`
  yield* sql.unsafe(
    `CREATE TABLE ${copy} (LIKE result_chunks INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)`
  )
  yield* sql.unsafe(`INSERT INTO ${copy} SELECT * FROM ${name} ORDER BY repository_id, block_no, at, upload_no`)
  yield* sql.unsafe(`ALTER TABLE ${copy} ADD PRIMARY KEY (repository_id, block_no, at, upload_no)`)
  // With a CHECK constraint for the bounds, attaching does not scan the table.
  const bounds = [start, end].map((at) => `'${Instant.toIso(at)}'`)
  yield* sql.unsafe(`ALTER TABLE ${copy} ADD CONSTRAINT bounds CHECK (at >= ${bounds[0]} AND at < ${bounds[1]})`)
  yield* sql.unsafe(`ANALYZE ${copy}`)
  yield* sql.unsafe(`ALTER TABLE result_chunks DETACH PARTITION ${name}`)
  yield* sql.unsafe(`DROP TABLE ${name}`)
  yield* sql.unsafe(`ALTER TABLE ${copy} RENAME TO ${name}`)
  yield* sql.unsafe(
    `ALTER TABLE result_chunks ATTACH PARTITION ${name} FOR VALUES FROM (${bounds[0]}) TO (${bounds[1]})`
  )
  yield* sql.unsafe(`ALTER TABLE ${name} DROP CONSTRAINT bounds`)
  yield* sql`UPDATE result_weeks SET is_rewritten = true WHERE start_at = ${Parameter.instant(start)}`
  return true
})

/** The one partition for executions older than the first version of Lazaret is never dropped. */
const dropPast = (sql: Sql) => sql`
  DELETE FROM result_chunks_past c
  USING retention_bases b
  WHERE b.repository_id = c.repository_id AND b.block_no = c.block_no AND c.at <= b.at`

const selectPartitions = (sql: Sql) =>
  Effect.map(
    sql<{ readonly start_at: Instant.Instant; readonly is_rewritten: boolean }>`
      SELECT start_at, is_rewritten
      FROM result_weeks
      ORDER BY start_at`,
    (rows) =>
      rows.map(({ is_rewritten: isRewritten, start_at: start }): Partition => ({
        name: Weeks.nameOf(start),
        isRewritten,
        start,
        end: start + Retention.week
      }))
  )
