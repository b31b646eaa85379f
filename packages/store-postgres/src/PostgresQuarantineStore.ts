/** Quarantines in PostgreSQL. */
import { Event, type Page, Quarantine, TestId } from "@lazaret/domain"
import {
  type Proposal,
  type QuarantinePosition,
  type QuarantineQuery,
  QuarantineStore,
  type Restraint
} from "@lazaret/store"
import { Effect, Layer, Option, Schema } from "effect"
import * as EventLog from "./EventLog.ts"
import * as KeysetPage from "./KeysetPage.ts"
import * as Parameter from "./Parameter.ts"
import { PostgresClient } from "./PostgresClient.ts"
import { RepositoryDirectory, whenKnown } from "./RepositoryDirectory.ts"
import * as StorableText from "./StorableText.ts"

/** The quarantine port on PostgreSQL. */
export const layer: Layer.Layer<QuarantineStore, never, PostgresClient | RepositoryDirectory> = Layer.effect(
  QuarantineStore,
  Effect.gen(function* () {
    const { run, sql, transaction } = yield* PostgresClient
    const directory = yield* RepositoryDirectory

    const read = whenKnown(directory, run)

    return QuarantineStore.of({
      insert: (ref, quarantine) =>
        Effect.andThen(
          StorableText.guard("QuarantineStore.insert", textsOf(quarantine)),
          transaction(
            "QuarantineStore.insert",
            Effect.flatMap(directory.ensure(ref, quarantine.createdAt), (id) => begin(sql, id, quarantine))
          )
        ),
      insertAutomatic: (ref, proposals, restraint) => {
        const [first] = proposals
        if (first === undefined) return Effect.succeed([])
        return Effect.andThen(
          StorableText.guard("QuarantineStore.insertAutomatic", StorableText.textsIn(proposals)),
          transaction(
            "QuarantineStore.insertAutomatic",
            Effect.flatMap(directory.ensure(ref, first.quarantine.createdAt), (id) =>
              beginAutomatic(sql, id, proposals, restraint)
            )
          )
        )
      },
      get: (ref, id) =>
        StorableText.is(id)
          ? read("QuarantineStore.get", ref, Option.none(), (repositoryId) => selectActive(sql, repositoryId, id))
          : Effect.succeed(Option.none()),
      page: (ref, query) =>
        read("QuarantineStore.page", ref, emptyPage, (repositoryId) => selectPage(sql, repositoryId, query)),
      remove: (ref, id, removal) =>
        Effect.andThen(
          StorableText.guard("QuarantineStore.remove", StorableText.textsIn(removal)),
          StorableText.is(id)
            ? transaction(
                "QuarantineStore.remove",
                Effect.flatMap(
                  directory.find(ref),
                  Option.match({
                    onNone: () => Effect.succeed(false),
                    onSome: (repositoryId) => end(sql, repositoryId, id, removal)
                  })
                )
              )
            : Effect.succeed(false)
        ),
      among: (ref, testNames, branch) =>
        Effect.map(
          read("QuarantineStore.among", ref, [], (repositoryId) => selectNames(sql, repositoryId, branch)),
          (rows) => {
            const names = new Set(rows.map((row) => row.testName))
            return new Set(testNames.filter((testName) => names.has(testName)))
          }
        ),
      past: (ref, testId) =>
        read("QuarantineStore.past", ref, [], (repositoryId) => selectPast(sql, repositoryId, testId))
    })
  })
)

type Sql = PostgresClient["Service"]["sql"]
type Record = Quarantine.Quarantine

const emptyPage: Page.Page<Record> = { rows: [], hasPrevious: false, hasNext: false, total: 0 }

const textsOf = ({ branch, createdBy, id, reason, removedBy, testName }: Record): ReadonlyArray<string | null> => [
  id,
  testName,
  reason,
  branch,
  createdBy,
  removedBy
]

const columns = (sql: Sql) =>
  sql.literal(`
    quarantine_id AS id, test_name AS "testName", reason, branch, created_at AS "createdAt",
    created_by AS "createdBy", source, removed_at AS "removedAt", removed_by AS "removedBy"`)

/** The id as the database keeps it; a text that is no test id names no test. */
const nameKey = (testId: string) => Parameter.uuid(Schema.is(TestId.TestId)(testId) ? testId : null)

/** The log is locked first (see `EventLog.lock`). */
const begin = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, quarantine: Record) {
  yield* EventLog.lock(sql, repositoryId)
  const inserted = yield* insertRecord(sql, repositoryId, quarantine)
  if (inserted) yield* EventLog.append(sql, repositoryId, [Event.quarantineCreated(quarantine)])
  return inserted
})

/** With the log locked nobody else begins or ends a quarantine. */
const beginAutomatic = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  proposals: ReadonlyArray<Proposal>,
  restraint: Restraint
) {
  yield* EventLog.lock(sql, repositoryId)
  const resting = yield* selectResting(sql, repositoryId, restraint)
  const created = yield* countAutomatic(sql, repositoryId, restraint)
  const inserted: Array<Proposal> = []
  for (const proposal of proposals) {
    if (created + inserted.length >= restraint.most) break
    if (resting.has(proposal.quarantine.testName)) continue
    if (yield* insertRecord(sql, repositoryId, proposal.quarantine)) inserted.push(proposal)
  }
  yield* EventLog.append(
    sql,
    repositoryId,
    inserted.map(({ evidence, quarantine }) => Event.quarantineCreated(quarantine, evidence))
  )
  return inserted.map(({ quarantine }) => quarantine)
})

const selectResting = (sql: Sql, repositoryId: number, { restSince }: Restraint) =>
  Effect.map(
    sql<{ readonly name: string }>`
      SELECT DISTINCT test_name AS name FROM quarantines
      WHERE repository_id = ${repositoryId} AND removed_at >= ${Parameter.instant(restSince)}
        AND removed_by <> ${Event.auto}`,
    (rows) => new Set(rows.map(({ name }) => name))
  )

const countAutomatic = (sql: Sql, repositoryId: number, { since }: Restraint) =>
  Effect.map(
    sql<{ readonly count: number }>`
      SELECT count(*) AS count FROM quarantines
      WHERE repository_id = ${repositoryId} AND source = 'auto' AND created_at > ${Parameter.instant(since)}`,
    ([row]) => row?.count ?? 0
  )

const end = Effect.fnUntraced(function* (sql: Sql, repositoryId: number, id: string, removal: Event.Removal) {
  yield* EventLog.lock(sql, repositoryId)
  const removed = yield* updateRemoved(sql, repositoryId, id, removal)
  yield* EventLog.append(
    sql,
    repositoryId,
    removed.map((quarantine) => Event.quarantineRemoved(quarantine, removal))
  )
  return removed.length > 0
})

const insertRecord = (sql: Sql, repositoryId: number, quarantine: Record) =>
  Effect.map(
    sql`
      INSERT INTO quarantines (
        repository_id, quarantine_id, name_key, test_name, reason, branch, source,
        created_at, created_by, removed_at, removed_by
      )
      VALUES (
        ${repositoryId}, ${quarantine.id}, ${nameKey(Quarantine.testIdOf(quarantine))}, ${quarantine.testName},
        ${quarantine.reason}, ${quarantine.branch}, ${quarantine.source}, ${Parameter.instant(quarantine.createdAt)},
        ${quarantine.createdBy}, ${Parameter.instant(quarantine.removedAt)}, ${quarantine.removedBy}
      )
      ON CONFLICT DO NOTHING
      RETURNING record_no`,
    (rows) => rows.length > 0
  )

const selectActive = (sql: Sql, repositoryId: number, id: string) =>
  Effect.map(
    sql<Record>`
      SELECT ${columns(sql)} FROM quarantines
      WHERE repository_id = ${repositoryId} AND quarantine_id = ${id} AND removed_at IS NULL`,
    (rows) => Option.fromUndefinedOr(rows[0])
  )

/** The page and the counts in one statement, so that they agree. */
const selectPage = (sql: Sql, repositoryId: number, query: QuarantineQuery) => {
  const isIn = onSide(sql, query.from)
  const direction = sql.literal(KeysetPage.isBackward(query.from) ? "DESC" : "ASC")
  return Effect.map(
    sql<KeysetPage.Counted & ({ readonly [K in keyof Record]: Record[K] } | { readonly id: null })>`
      WITH
        matching AS (
          SELECT ${columns(sql)} FROM quarantines
          WHERE repository_id = ${repositoryId} AND removed_at IS NULL AND ${matches(sql, query)}
        ),
        counted AS (
          SELECT count(*) AS total, count(*) FILTER (WHERE ${isIn}) AS found FROM matching
        ),
        page AS (
          SELECT * FROM matching WHERE ${isIn}
          ORDER BY "createdAt" ${direction}, id COLLATE "C" ${direction}
          LIMIT ${Parameter.int8(query.limit)}
        )
      SELECT counted.total, counted.found, page.* FROM counted LEFT JOIN page ON true
      ORDER BY page."createdAt", page.id COLLATE "C"`,
    (joined) => {
      const counted = joined[0] ?? { total: 0, found: 0 }
      const rows = joined.flatMap(({ found: _found, total: _total, ...row }) => (row.id === null ? [] : [row]))
      return KeysetPage.make(rows, counted, query.from, query.limit)
    }
  )
}

const matches = (sql: Sql, { branch, source, testId }: QuarantineQuery) =>
  sql.and([
    branch === null ? sql`true` : holdsOn(sql, branch),
    testId === null ? sql`true` : sql`name_key = ${nameKey(testId)}`,
    source === null ? sql`true` : sql`source = ${source}`
  ])

/** A branch that cannot be stored is none that a record could be for. */
const holdsOn = (sql: Sql, branch: string | null) =>
  branch === null || !StorableText.is(branch)
    ? sql`branch IS NULL`
    : sql`(branch IS NULL OR branch = ${branch} COLLATE "C")`

const onSide = (sql: Sql, from: Page.From<QuarantinePosition>) => {
  if (from._tag === "Start" || from._tag === "End") return sql`true`
  const { createdAt, id } = from.position
  const position = sql`(${Parameter.instant(createdAt)}, ${Parameter.text(id)})`
  return from._tag === "After"
    ? sql`("createdAt", id COLLATE "C") > ${position}`
    : sql`("createdAt", id COLLATE "C") < ${position}`
}

const updateRemoved = (
  sql: Sql,
  repositoryId: number,
  id: string,
  removal: { readonly at: number; readonly by: string }
) => sql<Record>`
  UPDATE quarantines SET removed_at = ${Parameter.instant(removal.at)}, removed_by = ${removal.by}
  WHERE repository_id = ${repositoryId} AND quarantine_id = ${id} AND removed_at IS NULL
  RETURNING ${columns(sql)}`

const selectNames = (sql: Sql, repositoryId: number, branch: string | null) =>
  sql<Pick<Record, "testName">>`
    SELECT DISTINCT test_name AS "testName" FROM quarantines
    WHERE repository_id = ${repositoryId} AND removed_at IS NULL AND ${holdsOn(sql, branch)}`

const selectPast = (sql: Sql, repositoryId: number, testId: TestId.TestId) =>
  sql<Record>`
    SELECT ${columns(sql)} FROM quarantines
    WHERE repository_id = ${repositoryId} AND name_key = ${nameKey(testId)}
    ORDER BY created_at, quarantine_id COLLATE "C", record_no`
