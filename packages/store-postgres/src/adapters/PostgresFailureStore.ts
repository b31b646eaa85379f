/** Failure groups in PostgreSQL. */
import { Failure, type Instant, type TestId, Text } from "@lazaret/domain"
import { FailureStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import type { Sql } from "../repository/Session.ts"
import * as Parameter from "../database/Parameter.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as KnownTests from "../reading/KnownTests.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"

/** The failure port. */
export const layer: Layer.Layer<FailureStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  FailureStore,
  Effect.gen(function* () {
    const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
    const { sql } = reader.client
    return FailureStore.of({
      list: (ref, testId) =>
        Snapshot.ofRepository<Option.Option<ReadonlyArray<Failure.Failure>>>(
          reader,
          "FailureStore.list",
          ref,
          Option.none(),
          (repositoryId) =>
            Effect.map(
              groupsOf(sql, repositoryId, testId),
              Option.map((groups) => groups.map(failureOf))
            )
        ),
      get: (ref, testId, failureId) =>
        Snapshot.ofRepository(reader, "FailureStore.get", ref, Option.none(), (repositoryId) =>
          Effect.gen(function* () {
            const groups = Option.getOrElse(yield* groupsOf(sql, repositoryId, testId), () => [])
            const group = groups.find((each) => each.failureId === failureId)
            if (group === undefined) return Option.none()
            const events = yield* selectEvents(sql, repositoryId, testId, group)
            return Option.some({ failure: failureOf(group), events: events.map(eventOf) })
          })
        )
    })
  })
)

/** One failure group, summed over all branch names that count as the default branch. */
interface Group {
  readonly failureId: string
  readonly branches: ReadonlyArray<string>
  readonly count: number
  readonly firstAt: Instant.Instant
  readonly latest: GroupRow
}

/** The groups of a test that failed last; none when the test is unknown. */
const groupsOf = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, testId: TestId.TestId) {
  const known = yield* KnownTests.selectIntact(sql, repositoryId, [testId])
  if (known.tests.length === 0) return Option.none()
  const { defaultBranch, horizon } = known.settings
  const groups = new Map<string, Group>()
  for (const row of yield* selectGroups(sql, repositoryId, testId, ["", defaultBranch])) {
    const found = groups.get(row.failure_id)
    groups.set(row.failure_id, found === undefined ? single(row) : combined(found, single(row)))
  }
  // A group stays stored while the test fails with it on any other branch.
  const kept = [...groups.values()].filter(({ latest }) => latest.last_at >= (horizon ?? 0))
  return Option.some(kept.sort(latestFirst).slice(0, Failure.maximumGroups))
})

const single = (row: GroupRow): Group => ({
  failureId: row.failure_id,
  branches: [row.branch],
  count: row.failure_count,
  firstAt: row.first_at,
  latest: row
})

const combined = (a: Group, b: Group): Group => ({
  failureId: a.failureId,
  branches: [...a.branches, ...b.branches],
  count: a.count + b.count,
  firstAt: Math.min(a.firstAt, b.firstAt),
  latest: isLater(a.latest, b.latest) ? a.latest : b.latest
})

const isLater = (a: GroupRow, b: GroupRow): boolean =>
  a.last_at !== b.last_at ? a.last_at > b.last_at : Text.compare(a.last_id, b.last_id) > 0

const latestFirst = (a: Group, b: Group): number =>
  b.latest.last_at - a.latest.last_at || Text.compare(a.failureId, b.failureId)

const failureOf = ({ count, failureId, firstAt, latest }: Group): Failure.Failure => ({
  id: failureId,
  exceptionType: latest.exception_type,
  exceptionMessage: latest.exception_message,
  failureCount: count,
  firstFailureAt: firstAt,
  lastFailureAt: latest.last_at
})

const eventOf = (row: EventRow): Failure.FailureEvent => ({
  id: row.execution_id,
  failedAt: row.at,
  stacktrace: row.stacktrace,
  filepath: row.filepath,
  language: row.language,
  jobUrl: row.job_url
})

interface GroupRow {
  readonly failure_id: string
  readonly branch: string
  readonly exception_type: string
  readonly exception_message: string
  readonly failure_count: number
  readonly first_at: Instant.Instant
  readonly last_at: Instant.Instant
  readonly last_id: string
}

const selectGroups = (sql: Sql, repositoryId: number, testId: string, branches: ReadonlyArray<string>) => sql<GroupRow>`
  SELECT failure_id, branch, exception_type, exception_message, failure_count, first_at, last_at, last_id
  FROM failure_groups
  WHERE repository_id = ${repositoryId} AND test_id = ${Parameter.uuid(testId)}
    AND branch = ANY(${Parameter.texts(branches)})`

interface EventRow {
  readonly execution_id: string
  readonly at: Instant.Instant
  readonly stacktrace: string | null
  readonly filepath: string | null
  readonly language: string | null
  readonly job_url: string | null
}

const selectEvents = (sql: Sql, repositoryId: number, testId: string, group: Group) => sql<EventRow>`
  SELECT execution_id, at, stacktrace, filepath, language, job_url
  FROM failure_events
  WHERE repository_id = ${repositoryId} AND test_id = ${Parameter.uuid(testId)}
    AND failure_id = ${Parameter.uuid(group.failureId)} AND branch = ANY(${Parameter.texts(group.branches)})
  ORDER BY at DESC, execution_id COLLATE "C" DESC
  LIMIT ${Failure.latestEvents}`
