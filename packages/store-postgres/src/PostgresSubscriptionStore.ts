/** Subscriptions in PostgreSQL. */
import type { Repository, Subscription } from "@lazaret/domain"
import { type Leased, type LeaseRequest, type Progress, SubscriptionStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import * as EventLog from "./EventLog.ts"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import { RepositoryDirectory, whenKnown } from "./RepositoryDirectory.ts"
import * as StorableText from "./StorableText.ts"

/** The subscription port on PostgreSQL. */
export const layer: Layer.Layer<SubscriptionStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  SubscriptionStore,
  Effect.gen(function* () {
    const { run, sql, transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory

    const about = whenKnown(directory, transaction)

    return SubscriptionStore.of({
      insert: (ref, subscription) =>
        Effect.andThen(
          StorableText.guard("SubscriptionStore.insert", StorableText.textsIn(subscription)),
          transaction(
            "SubscriptionStore.insert",
            Effect.flatMap(directory.ensure(ref, subscription.createdAt), (id) => insert(sql, id, subscription))
          )
        ),
      list: (ref) => about("SubscriptionStore.list", ref, [], (repositoryId) => selectAll(sql, repositoryId)),
      remove: (ref, id) =>
        StorableText.is(id)
          ? about("SubscriptionStore.remove", ref, false, (repositoryId) => remove(sql, repositoryId, id))
          : Effect.succeed(false),
      lease: (request) => run("SubscriptionStore.lease", lease(sql, request)),
      settle: (leased, progress) =>
        Effect.andThen(
          StorableText.guard("SubscriptionStore.settle", StorableText.textsIn(progress)),
          about("SubscriptionStore.settle", leased.ref, false, (repositoryId) =>
            settle(sql, repositoryId, leased, progress)
          )
        ),
      deadLetters: (ref, id) =>
        StorableText.is(id)
          ? about("SubscriptionStore.deadLetters", ref, Option.none(), (repositoryId) =>
              selectDead(sql, repositoryId, id)
            )
          : Effect.succeed(Option.none()),
      removeDeadLetter: (ref, id, eventId) =>
        StorableText.is(id)
          ? about("SubscriptionStore.removeDeadLetter", ref, false, (repositoryId) =>
              deleteDead(sql, repositoryId, id, eventId)
            )
          : Effect.succeed(false)
    })
  })
)

type Sql = PostgresClient["Service"]["sql"]

const columns = (sql: Sql) =>
  sql.literal(
    `s.subscription_id AS id, s.url, s.secret, s.types, s.created_at AS "createdAt", s.created_by AS "createdBy"`
  )

/** Events that are appended from now on have higher positions. */
const insert = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  { createdAt, createdBy, id, secret, types, url }: Subscription.Subscription
) {
  const position = yield* EventLog.lock(sql, repositoryId)
  yield* sql`
    INSERT INTO subscriptions (repository_id, subscription_id, url, secret, types, created_at, created_by, position)
    VALUES (
      ${repositoryId}, ${id}, ${url}, ${secret}, ${Parameter.json(types)}, ${Parameter.instant(createdAt)}, ${createdBy},
      ${Parameter.int8(position)}
    )`
})

const selectAll = (sql: Sql, repositoryId: number) => sql<Subscription.Subscription>`
  SELECT ${columns(sql)} FROM subscriptions s
  WHERE s.repository_id = ${repositoryId}
  ORDER BY s.created_at, s.subscription_id COLLATE "C"`

const remove = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, id: string) {
  const rows = yield* sql`
    DELETE FROM subscriptions WHERE repository_id = ${repositoryId} AND subscription_id = ${id}
    RETURNING subscription_id`
  yield* sql`DELETE FROM dead_letters WHERE repository_id = ${repositoryId} AND subscription_id = ${id}`
  return rows.length > 0
})

interface DueRow extends Subscription.Subscription, Repository.RepositoryRef {
  readonly repositoryId: number
}

/** Two short statements for each: who is told may be on every node, the log of a repository is on one. */
const lease = Effect.fnUntraced(function* (sql: Sql, request: LeaseRequest) {
  const leased: Array<Leased> = []
  for (const { owner, repository, repositoryId, ...subscription } of yield* selectDue(sql, request)) {
    if (leased.length === request.limit) break
    const last = yield* EventLog.last(sql, repositoryId)
    const [row] = yield* updateLease(sql, { repositoryId, id: subscription.id, last }, request)
    if (row !== undefined) leased.push({ ref: { owner, repository }, subscription, ...row, lease: request.lease })
  }
  return leased
})

const selectDue = (sql: Sql, { now }: LeaseRequest) => sql<DueRow>`
  SELECT ${columns(sql)}, s.repository_id AS "repositoryId", r.owner, r.name AS repository
  FROM subscriptions s
  JOIN repositories r ON r.repository_id = s.repository_id
  WHERE s.next_at <= ${Parameter.instant(now)} AND s.leased_until <= ${Parameter.instant(now)}
  ORDER BY s.next_at, s.repository_id, s.subscription_id COLLATE "C"`

const updateLease = (
  sql: Sql,
  { id, last, repositoryId }: { readonly repositoryId: number; readonly id: string; readonly last: number },
  { lease: proof, now, until }: LeaseRequest
) => sql<Pick<Leased, "position" | "attempts">>`
  UPDATE subscriptions
  SET lease = ${proof}, leased_until = ${Parameter.instant(until)}
  WHERE repository_id = ${repositoryId} AND subscription_id = ${id} AND position < ${Parameter.int8(last)}
    AND next_at <= ${Parameter.instant(now)} AND leased_until <= ${Parameter.instant(now)}
  RETURNING position, attempts`

const settle = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  { lease: proof, subscription }: Leased,
  { attempts, dead, nextAt, position }: Progress
) {
  const rows = yield* sql`
    UPDATE subscriptions
    SET position = ${Parameter.int8(position)}, attempts = ${attempts}, next_at = ${Parameter.instant(nextAt)},
      lease = NULL, leased_until = 'epoch'
    WHERE repository_id = ${repositoryId} AND subscription_id = ${subscription.id} AND lease = ${proof}
    RETURNING subscription_id`
  if (rows.length === 0) return false
  if (dead.length > 0) yield* insertDead(sql, repositoryId, subscription.id, dead)
  return true
})

const insertDead = (sql: Sql, repositoryId: number, id: string, dead: Progress["dead"]) => sql`
  INSERT INTO dead_letters (repository_id, subscription_id, event_id, at, attempts, error, event)
  SELECT ${repositoryId}, ${id}, n.event_id, n.at, n.attempts, n.error, n.event
  FROM unnest(
    ${Parameter.uuids(dead.map(({ event }) => event.id))},
    ${Parameter.instants(dead.map(({ at }) => at))},
    ${Parameter.int4s(dead.map(({ attempts }) => attempts))},
    ${Parameter.texts(dead.map(({ error }) => error))},
    ${Parameter.jsons(dead.map(({ event }) => event))}
  ) AS n (event_id, at, attempts, error, event)
  ON CONFLICT (repository_id, subscription_id, event_id) DO UPDATE
  SET at = EXCLUDED.at, attempts = EXCLUDED.attempts, error = EXCLUDED.error`

const selectDead = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, id: string) {
  const known = yield* sql`
    SELECT subscription_id FROM subscriptions WHERE repository_id = ${repositoryId} AND subscription_id = ${id}`
  if (known.length === 0) return Option.none()
  const rows = yield* sql<Subscription.DeadLetter>`
    SELECT event, at, attempts, error FROM dead_letters
    WHERE repository_id = ${repositoryId} AND subscription_id = ${id}
    ORDER BY at DESC, event_id`
  return Option.some(rows)
})

const deleteDead = (sql: Sql, repositoryId: number, id: string, eventId: string) =>
  Effect.map(
    sql`
      DELETE FROM dead_letters
      WHERE repository_id = ${repositoryId} AND subscription_id = ${id} AND event_id::text = ${eventId}
      RETURNING event_id`,
    (rows) => rows.length > 0
  )
