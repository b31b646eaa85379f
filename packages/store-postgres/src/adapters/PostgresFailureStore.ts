/** Failure groups in PostgreSQL. */
import { Failure, type Instant, type TestId, Text } from "@lazaret/domain"
import { FailureStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import type { Sql } from "../repository/Session.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as FailureRows from "../reading/FailureRows.ts"
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
            const events = yield* FailureRows.events(sql, repositoryId, group.rows)
            return Option.some({ failure: failureOf(group), events })
          })
        )
    })
  })
)

/** One failure group, summed over all branch names that count as the default branch. */
interface Group {
  readonly failureId: string
  readonly rows: ReadonlyArray<FailureRows.GroupRow>
  readonly count: number
  readonly firstAt: Instant.Instant
  readonly latest: FailureRows.GroupRow
}

/** The groups of a test that failed last; none when the test is unknown. */
const groupsOf = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, testId: TestId.TestId) {
  const known = yield* KnownTests.selectIntact(sql, repositoryId, [testId])
  const [test] = known.tests
  if (test === undefined) return Option.none()
  const { defaultBranch, horizon } = known.settings
  const groups = new Map<string, Group>()
  for (const row of yield* FailureRows.groups(sql, repositoryId, test.identity.testName, ["", defaultBranch])) {
    const found = groups.get(row.groupId)
    groups.set(row.groupId, found === undefined ? single(row) : combined(found, single(row)))
  }
  // A group stays stored while the test fails with it on any other branch.
  const kept = [...groups.values()].filter(({ latest }) => latest.last_at >= (horizon ?? 0))
  return Option.some(kept.sort(latestFirst).slice(0, Failure.maximumGroups))
})

const single = (row: FailureRows.GroupRow): Group => ({
  failureId: row.groupId,
  rows: [row],
  count: row.failure_count,
  firstAt: row.first_at,
  latest: row
})

const combined = (a: Group, b: Group): Group => ({
  failureId: a.failureId,
  rows: [...a.rows, ...b.rows],
  count: a.count + b.count,
  firstAt: Math.min(a.firstAt, b.firstAt),
  latest: isLater(a.latest, b.latest) ? a.latest : b.latest
})

const isLater = (a: FailureRows.GroupRow, b: FailureRows.GroupRow): boolean =>
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
