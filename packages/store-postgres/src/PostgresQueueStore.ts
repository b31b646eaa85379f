/** Merge queues in PostgreSQL. */
import { Event, type Instant, MergeQueue, type QueuePause, type Repository, type TimeWindow } from "@lazaret/domain"
import { type Doing, QueueStore, type StoreError } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import * as EventLog from "./EventLog.ts"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import * as QueueLog from "./QueueLog.ts"
import { RepositoryDirectory, whenKnown } from "./RepositoryDirectory.ts"
import * as StorableText from "./StorableText.ts"

/** The port of merge queues on PostgreSQL. */
export const layer: Layer.Layer<QueueStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  QueueStore,
  Effect.gen(function* () {
    const { sql, transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory

    /** Reads that see one moment. */
    const read = whenKnown(directory, (operation, statements) =>
      transaction(
        operation,
        Effect.andThen(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`, statements)
      )
    )

    /** Writes of a repository, which is made; `texts` are refused when one of them cannot be stored. */
    const write = <A>(
      operation: string,
      { at, ref, texts }: Writing,
      statements: (repositoryId: number) => Effect.Effect<A, SqlError.SqlError>
    ): Effect.Effect<A, StoreError> =>
      Effect.andThen(
        StorableText.guard(operation, texts),
        transaction(operation, Effect.flatMap(directory.ensure(ref, at), statements))
      )

    return QueueStore.of({
      append: (ref, events, at) =>
        write("QueueStore.append", { ref, at, texts: StorableText.textsIn(events) }, (id) =>
          QueueLog.append(sql, id, events)
        ),
      queue: (ref) => read("QueueStore.queue", ref, MergeQueue.empty, (id) => QueueLog.queue(sql, id)),
      baseRefs: (ref, window) => read("QueueStore.baseRefs", ref, [], (id) => selectBranches(sql, id, window)),
      pause: (ref) => read("QueueStore.pause", ref, Option.none(), (id) => selectPause(sql, id)),
      setPause: (ref, reason, doing) =>
        write("QueueStore.setPause", { ref, at: doing.at, texts: [reason, doing.by] }, (id) =>
          beginPause(sql, id, reason, doing)
        ),
      removePause: (ref, doing) =>
        Effect.andThen(
          StorableText.guard("QueueStore.removePause", [doing.by]),
          transaction(
            "QueueStore.removePause",
            Effect.flatMap(
              directory.find(ref),
              Option.match({ onNone: () => Effect.succeed(false), onSome: (id) => endPause(sql, id, doing) })
            )
          )
        ),
      configuration: (ref) =>
        read("QueueStore.configuration", ref, Option.none(), (id) => selectConfiguration(sql, id)),
      setConfiguration: (ref, text, at) =>
        write("QueueStore.setConfiguration", { ref, at, texts: [text] }, (id) =>
          text === null ? deleteConfiguration(sql, id) : upsertConfiguration(sql, id, text)
        )
    })
  })
)

type Sql = PostgresClient["Service"]["sql"]

interface Writing {
  readonly ref: Repository.RepositoryRef
  readonly at: Instant.Instant
  readonly texts: Iterable<string | null>
}

const selectBranches = (sql: Sql, repositoryId: number, { end, start }: TimeWindow.TimeWindow) =>
  Effect.map(
    sql<{ readonly branch: string }>`
      SELECT branch FROM queue_events
      WHERE repository_id = ${repositoryId} AND at >= ${Parameter.instant(start)} AND at < ${Parameter.instant(end)}
      GROUP BY branch
      ORDER BY branch COLLATE "C"`,
    (rows) => rows.map(({ branch }) => branch)
  )

const selectPause = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<QueuePause.QueuePause>`
      SELECT reason, paused_at AS pause_date FROM queue_pauses WHERE repository_id = ${repositoryId}`,
    (rows) => Option.fromUndefinedOr(rows[0])
  )

/** The log is locked first (see `EventLog.lock`). */
const beginPause = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, reason: string, { at, by }: Doing) {
  yield* EventLog.lock(sql, repositoryId)
  const before = yield* selectPause(sql, repositoryId)
  const pause = yield* upsertPause(sql, repositoryId, { reason, at })
  const isChanged = Option.isNone(before) || before.value.reason !== reason
  yield* EventLog.append(sql, repositoryId, isChanged ? [Event.paused(pause, at, by)] : [])
  return pause
})

const endPause = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, { at, by }: Doing) {
  yield* EventLog.lock(sql, repositoryId)
  const ended = yield* deletePause(sql, repositoryId)
  yield* EventLog.append(
    sql,
    repositoryId,
    ended.map((pause) => Event.unpaused(pause, at, by))
  )
  return ended.length > 0
})

const upsertPause = (
  sql: Sql,
  repositoryId: number,
  { at, reason }: { readonly at: Instant.Instant; readonly reason: string }
) =>
  Effect.map(
    sql<QueuePause.QueuePause>`
      INSERT INTO queue_pauses (repository_id, reason, paused_at)
      VALUES (${repositoryId}, ${reason}, ${Parameter.instant(at)})
      ON CONFLICT (repository_id) DO UPDATE SET reason = excluded.reason
      RETURNING reason, paused_at AS pause_date`,
    ([row]) => row ?? { reason, pause_date: at }
  )

const deletePause = (sql: Sql, repositoryId: number) => sql<QueuePause.QueuePause>`
  DELETE FROM queue_pauses WHERE repository_id = ${repositoryId} RETURNING reason, paused_at AS pause_date`

const selectConfiguration = (sql: Sql, repositoryId: number) =>
  Effect.map(
    sql<{ readonly configuration: string }>`
      SELECT configuration FROM queue_configurations WHERE repository_id = ${repositoryId}`,
    ([row]) => Option.fromUndefinedOr(row?.configuration)
  )

const upsertConfiguration = (sql: Sql, repositoryId: number, text: string) =>
  Effect.asVoid(sql`
    INSERT INTO queue_configurations (repository_id, configuration) VALUES (${repositoryId}, ${text})
    ON CONFLICT (repository_id) DO UPDATE SET configuration = excluded.configuration`)

const deleteConfiguration = (sql: Sql, repositoryId: number) =>
  Effect.asVoid(sql`DELETE FROM queue_configurations WHERE repository_id = ${repositoryId}`)
