/** Repositories in PostgreSQL. */
import { type PullRef, Repository } from "@lazaret/domain"
import { type PullFact, RepositoryStore, StoreError } from "@lazaret/store"
import { Effect, Layer, Option, Schema } from "effect"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import { Refold } from "./Refold.ts"
import { RepositoryDirectory } from "./RepositoryDirectory.ts"
import * as StorableText from "./StorableText.ts"

/** The repository port on PostgreSQL. */
export const layer: Layer.Layer<RepositoryStore, never, PostgresClient | RepositoryDirectory | Refold> = Layer.effect(
  RepositoryStore,
  Effect.gen(function* () {
    const { run, sql, transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory
    const refold = yield* Refold

    const change: RepositoryStore["Service"]["change"] = (ref, changed, at) =>
      transaction(
        "RepositoryStore.set",
        Effect.gen(function* () {
          const repositoryId = yield* directory.ensure(ref, at)
          const [row] = yield* refold.around(
            repositoryId,
            Effect.flatMap(selectSettings(sql, repositoryId), ([held]) =>
              updateSettings(sql, repositoryId, changed({ ...Repository.defaultSettings, ...held?.settings }))
            )
          )
          return yield* row === undefined ? Effect.die("no repository") : repositoryOf("RepositoryStore.set", row)
        })
      )

    return RepositoryStore.of({
      get: (ref) =>
        Effect.flatMap(run("RepositoryStore.get", selectByKey(sql, Repository.key(ref))), ([row]) =>
          row === undefined
            ? Effect.succeed(Option.none())
            : Effect.map(repositoryOf("RepositoryStore.get", row), Option.some)
        ),
      list: Effect.flatMap(run("RepositoryStore.list", selectAll(sql)), (rows) =>
        Effect.forEach(rows, (row) => repositoryOf("RepositoryStore.list", row))
      ),
      set: (ref, settings, at) => change(ref, () => settings, at),
      change,
      recordPulls: (ref, facts, at) =>
        Effect.andThen(
          StorableText.guard("RepositoryStore.recordPulls", facts.flatMap(textsOf)),
          transaction(
            "RepositoryStore.recordPulls",
            Effect.flatMap(directory.ensure(ref, at), (repositoryId) => upsertPulls(sql, repositoryId, facts))
          )
        ),
      pulls: (ref, commits) =>
        run(
          "RepositoryStore.pulls",
          Effect.flatMap(
            directory.find(ref),
            Option.match({
              onNone: () => Effect.succeed(new Map()),
              onSome: (repositoryId) => selectPulls(sql, repositoryId, commits.filter(StorableText.is))
            })
          )
        )
    })
  })
)

/**
 * Keeps pull requests of commits; a later fact of the same commit replaces the earlier one. To be run within a transaction.
 */
export const upsertPulls = (sql: Sql, repositoryId: number, facts: ReadonlyArray<PullFact>) => {
  const latest = new Map(facts.map(({ commit, pull }) => [commit, pull]))
  // In one order everywhere, so that two transactions cannot wait for each other.
  const commits = [...latest.keys()].sort()
  const pulls = commits.flatMap((commit) => latest.get(commit) ?? [])
  return sql`
    INSERT INTO pulls (repository_id, commit_sha, pull_id, number, title, user_id, user_login)
    SELECT ${repositoryId}, * FROM unnest(
      ${Parameter.texts(commits)},
      ${Parameter.int8s(pulls.map((pull) => pull.id))},
      ${Parameter.int8s(pulls.map((pull) => pull.number))},
      ${Parameter.texts(pulls.map((pull) => pull.title))},
      ${Parameter.int8s(pulls.map((pull) => pull.user.id))},
      ${Parameter.texts(pulls.map((pull) => pull.user.login))}
    )
    ON CONFLICT (repository_id, commit_sha) DO UPDATE SET
      pull_id = excluded.pull_id, number = excluded.number, title = excluded.title,
      user_id = excluded.user_id, user_login = excluded.user_login`.pipe(Effect.asVoid)
}

type Sql = PostgresClient["Service"]["sql"]

interface RepositoryRow {
  readonly owner: string
  readonly name: string
  readonly settings: object
  readonly createdAt: number
}

const columns = (sql: Sql) => sql.literal(`owner, name, settings, created_at AS "createdAt"`)

/** Settings that an earlier version has written lack what has been added since: it has its default. */
const repositoryOf = (operation: string, row: RepositoryRow): Effect.Effect<Repository.Repository, StoreError> =>
  Schema.decodeUnknownEffect(Repository.RepositorySettings)({ ...Repository.defaultSettings, ...row.settings }).pipe(
    Effect.map((settings) => ({ owner: row.owner, repository: row.name, createdAt: row.createdAt, settings })),
    Effect.mapError((cause) => new StoreError({ operation, reason: "failed", cause }))
  )

const textsOf = ({ commit, pull }: PullFact): ReadonlyArray<string> => [commit, pull.title, pull.user.login]

const selectByKey = (sql: Sql, key: string) =>
  sql<RepositoryRow>`SELECT ${columns(sql)} FROM repositories WHERE key = ${key}`

const selectAll = (sql: Sql) => sql<RepositoryRow>`SELECT ${columns(sql)} FROM repositories ORDER BY key COLLATE "C"`

/** Locked until the transaction ends: whoever changes the settings next starts from what this change has left. */
const selectSettings = (sql: Sql, repositoryId: number) =>
  sql<{ readonly settings: Repository.RepositorySettings }>`
    SELECT settings FROM repositories WHERE repository_id = ${repositoryId} FOR NO KEY UPDATE`

const updateSettings = (sql: Sql, repositoryId: number, settings: Repository.RepositorySettings) =>
  sql<RepositoryRow>`
    UPDATE repositories SET settings = ${Parameter.json(settings)}
    WHERE repository_id = ${repositoryId}
    RETURNING ${columns(sql)}`

interface PullRow {
  readonly commit: string
  readonly id: number
  readonly number: number
  readonly title: string
  readonly userId: number
  readonly login: string
}

/** The known pull requests of commits. */
export const selectPulls = (sql: Sql, repositoryId: number, commits: ReadonlyArray<string>) =>
  Effect.map(
    sql<PullRow>`
      SELECT commit_sha AS commit, pull_id AS id, number, title, user_id AS "userId", user_login AS login
      FROM pulls
      WHERE repository_id = ${repositoryId} AND commit_sha = ANY(${Parameter.texts(commits)})`,
    (rows) => new Map(rows.map((row) => [row.commit, pullOf(row)]))
  )

const pullOf = ({ id, login, number, title, userId }: PullRow): PullRef.PullRef => ({
  id,
  number,
  title,
  user: { id: userId, login }
})
