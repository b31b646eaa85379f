/** Upkeep on PostgreSQL. */
import type { Repository } from "@lazaret/domain"
import { type Difference, type StoreError, UpkeepStore } from "@lazaret/store"
import { Effect, Layer, Option, Semaphore } from "effect"
import * as Session from "../repository/Session.ts"
import * as Replay from "../blocks/Replay.ts"
import * as BlockGroups from "../upkeep/BlockGroups.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import { takesWritesOperation } from "../database/PostgresClient.ts"
import * as StoreFailure from "../database/StoreFailure.ts"
import * as Recalculation from "../append/Recalculation.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"
import * as Impossible from "../upkeep/Impossible.ts"
import * as RunTotals from "../upkeep/RunTotals.ts"
import * as Verification from "../upkeep/Verification.ts"

/**
 * The upkeep port on PostgreSQL.
 *
 * **Details**
 *
 * - `refold` works in groups of blocks, one transaction per group: an upload waits for one group at most.
 * - `refold` removes results with a time before 1970, which no report may state, and logs their runs.
 * - `refold` leaves a block with a damaged chunk unchanged, writes all other blocks, and then fails.
 * - `verify` reads one snapshot and takes no locks.
 * - One of them runs at a time and the others wait, so that together they hold at most one connection.
 */
export const layer: Layer.Layer<UpkeepStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  UpkeepStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const { withPermit } = Semaphore.makeUnsafe(1)
    return UpkeepStore.of({
      takesWrites: takesWrites(reader.client),
      refold: (ref) => withPermit(refold(reader, ref)),
      outdated: outdated(reader.client),
      verify: (ref) => withPermit(verify(reader, ref))
    })
  })
)

/** A standby, a server that was demoted, and one that protects its last disk space answer questions but take no writes. */
const takesWrites = ({ run, sql }: PostgresClient["Service"]) =>
  run(
    takesWritesOperation,
    Effect.flatMap(
      sql<{ readonly isReadOnly: boolean }>`
        SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
      ([row]) => (row?.isReadOnly === true ? Effect.fail(StoreFailure.readOnly(takesWritesOperation)) : Effect.void)
    )
  )

/** A state of an older version of the rules says so (`Replay.rules`). */
const outdated = ({ run, sql }: PostgresClient["Service"]) =>
  run(
    "UpkeepStore.outdated",
    sql<Repository.RepositoryRef>`
      SELECT r.owner, r.name AS repository
      FROM repositories r
      JOIN (SELECT DISTINCT repository_id FROM block_state WHERE rules < ${Replay.rules}) b
        ON b.repository_id = r.repository_id`
  )

const verify = (reader: Snapshot.Reader, ref: Repository.RepositoryRef) => {
  const { sql } = reader.client
  return Snapshot.ofRepository<ReadonlyArray<Difference>>(reader, "UpkeepStore.verify", ref, [], (repositoryId) =>
    Effect.andThen(withoutLimit(sql), Verification.verify({ sql, repositoryId }))
  )
}

const refold = Effect.fnUntraced(function* (
  reader: Snapshot.Reader,
  ref: Repository.RepositoryRef
): Effect.fn.Return<boolean, StoreError> {
  const { client, directory } = reader
  const repositoryId = yield* client.run(operation, directory.find(ref))
  if (Option.isNone(repositoryId)) return false
  const write = Session.write(client, operation, repositoryId.value)
  const impossible = yield* write(Impossible.remove)
  if (impossible.length > 0) yield* Impossible.log(ref, impossible)
  const wrong = yield* wrongRuns(reader, repositoryId.value)
  for (let start = 0; start < wrong.length; start += RunTotals.runsAtOnce) {
    const some = wrong.slice(start, start + RunTotals.runsAtOnce)
    yield* write((session) => Effect.andThen(withoutLimit(client.sql), RunTotals.recount(session, some)))
  }
  // Damage in a block is reported below, after all other blocks are folded.
  yield* Effect.catchIf(
    write((session) => Recalculation.reclassify(session, [])),
    ({ reason }) => reason === "damaged",
    () => write(Recalculation.classify)
  )
  const blocks = yield* write((session) => Effect.succeed(session.head.block))
  yield* BlockGroups.forEach(blocks, Recalculation.blocksAtOnce, (some) =>
    write((session) => Recalculation.refold(session, some))
  )
  return true
})

/** Searches a snapshot without a lock, because nearly every search finds nothing. */
const wrongRuns = (reader: Snapshot.Reader, repositoryId: number) => {
  const where = { sql: reader.client.sql, repositoryId }
  const found = Effect.gen(function* () {
    yield* withoutLimit(where.sql)
    const { horizon } = yield* RepositorySettings.select(where.sql, repositoryId)
    return yield* RunTotals.selectWrong(where, yield* Verification.selectBlockNumbers(where), horizon)
  })
  return Snapshot.read(reader, operation, found)
}

const operation = "UpkeepStore.refold"

const withoutLimit = (sql: Session.Sql) => sql`SET LOCAL statement_timeout = 0`
