/** Retention in PostgreSQL. */
import { type Instant, type Repository, Retention } from "@lazaret/domain"
import { type Dropped, RetentionStore, type StoreError } from "@lazaret/store"
import { Effect, Layer, Option, Semaphore } from "effect"
import * as Head from "../repository/Head.ts"
import * as Session from "../repository/Session.ts"
import * as BlockGroups from "../upkeep/BlockGroups.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import type * as Snapshot from "../reading/Snapshot.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import * as Parameter from "../database/Parameter.ts"
import * as Reduction from "../retention/Reduction.ts"
import * as Removal from "../retention/Removal.ts"
import * as Unreferenced from "../retention/Unreferenced.ts"
import * as Partitions from "../retention/Partitions.ts"

/**
 * The retention port.
 *
 * **Details**
 *
 * - `drop` works in groups of a few blocks, one transaction per group: an upload waits for one group at most. Dropped
 *   executions are not read any more; `tidy` frees their disk space with the partition of their week.
 * - When a block is damaged, `drop` drops from all other blocks and then fails. Unreferenced failures, uploads, runs
 *   and commits stay until every block is readable.
 * - `tidy` waits at most 200 ms for a lock on a partition. It skips a partition that it cannot lock until the next run.
 * - In one process, one of them runs at a time. Several processes may run them concurrently.
 */
export const layer: Layer.Layer<RetentionStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  RetentionStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const { withPermit } = Semaphore.makeUnsafe(1)
    return RetentionStore.of({
      drop: (ref, horizon) => withPermit(drop(reader, ref, Retention.startOfWeek(horizon))),
      tidy: (now) =>
        withPermit(Effect.andThen(Removal.finish(reader, "RetentionStore.tidy"), Partitions.tidy(reader.client, now)))
    })
  })
)

const drop = Effect.fnUntraced(function* (
  { client, directory }: Snapshot.Reader,
  ref: Repository.RepositoryRef,
  horizon: Instant.Instant
): Effect.fn.Return<Dropped, StoreError> {
  const repositoryId = yield* client.run(operation, directory.find(ref))
  if (Option.isNone(repositoryId)) return nothing
  if (yield* client.run(operation, isDropped(client.sql, repositoryId.value, horizon))) return nothing
  const write = Session.write(client, operation, repositoryId.value)
  const blocks = yield* write((session) => Effect.as(Unreferenced.setHorizon(session, horizon), session.head.block))
  const forgotten = yield* BlockGroups.forEach(blocks, blocksAtOnce, (some) =>
    write((session) => Reduction.reduce(session, some, horizon))
  )
  const reports = yield* write((session) =>
    Effect.andThen(
      Head.markRecalculated(client.sql, repositoryId.value, session.head),
      Unreferenced.remove(session, horizon)
    )
  )
  return { reports, identities: forgotten.reduce((sum, count) => sum + count, 0) }
})

const operation = "RetentionStore.drop"

/** The number of blocks per transaction: the first drop of a repository folds months of each. */
const blocksAtOnce = 8

const nothing: Dropped = { reports: 0, identities: 0 }

const isDropped = (sql: Session.Sql, repositoryId: number, horizon: Instant.Instant) =>
  Effect.map(
    sql`
      SELECT repository_id
      FROM repositories
      WHERE repository_id = ${repositoryId} AND dropped_to >= ${Parameter.instant(horizon)}`,
    (rows) => rows.length > 0
  )
