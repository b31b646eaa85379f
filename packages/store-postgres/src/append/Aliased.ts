/** Executions that are stored as those of another test than their report names, because an alias says that both are one. */
import { type Instant, TestAlias } from "@lazaret/domain"
import { Rows } from "@lazaret/store"
import { Effect } from "effect"
import * as Parameter from "../database/Parameter.ts"
import * as RowStatements from "../database/RowStatements.ts"
import { RecentlyUsed } from "../repository/RecentlyUsed.ts"
import type { Session } from "../repository/Session.ts"
import type { Candidate } from "./Claim.ts"
import { type Aliased, type NumberedUpload, ordinalsOf } from "./Uploads.ts"

/** The names that stand for others in the most recently used repositories, limited by the number of repositories. */
export class Resolvers {
  private readonly repositories = new RecentlyUsed<number, { recalculated: number; resolve: TestAlias.Resolve }>(
    10_000,
    () => 1
  )

  /** The names in a repository. A write that changes aliases counts as one that recomputes everything. */
  readonly of = Effect.fnUntraced(function* (this: Resolvers, session: Session) {
    const known = this.repositories.get(session.repositoryId, () => ({ recalculated: -1, resolve: TestAlias.none }))
    if (known.recalculated !== session.head.recalculated) {
      known.resolve = TestAlias.resolver(yield* linksOf(session))
      known.recalculated = session.head.recalculated
    }
    return known.resolve
  })
}

/** The aliases that hold. */
const linksOf = (session: Session) =>
  Effect.map(
    Effect.orDie(RowStatements.select(session, Rows.testAliases, { where: [["revokedAt", "=", null]], order: [] })),
    (rows) => rows.map(Rows.aliasOf)
  )

/** Reports under the names that stand for their own. */
export const applied = (candidates: ReadonlyArray<Candidate>, resolve: TestAlias.Resolve): ReadonlyArray<Aliased> =>
  candidates.map((candidate) => {
    const named = candidate.report
    const none = { report: named, stored: new Map<number, never>() }
    return { ...candidate, ...(resolve === TestAlias.none ? none : TestAlias.applied(named, resolve)), named }
  })

/** An execution by its place among those of a test in an upload, and by that under the name in its report. */
export interface AliasedExecution {
  readonly uploadNo: number
  readonly testNo: number
  readonly ordinal: number
  readonly ofTestNo: number
  readonly ofOrdinal: number
  readonly at: Instant.Instant
}

/** The executions of an upload that have another name; `ofTests` are the numbers of their own names, in order. */
export const of = (
  { places, report, stored, uploadNo }: NumberedUpload,
  ofTests: Int32Array
): ReadonlyArray<AliasedExecution> => {
  const ordinalOf = ordinalsOf(report)
  return [...stored].map(([index, execution], place) => ({
    uploadNo,
    testNo: places.tests[index] ?? 0,
    ordinal: ordinalOf(report.executions[index] ?? execution) ?? 0,
    ofTestNo: ofTests[place] ?? 0,
    ofOrdinal: ordinalOf(execution) ?? 0,
    at: execution.at
  }))
}

/** Writes executions that have another name, and which tests stand for theirs. */
export const insert = Effect.fnUntraced(function* (session: Session, rows: ReadonlyArray<AliasedExecution>) {
  if (rows.length === 0) return
  const { repositoryId, sql } = session
  yield* standFor(session, new Map(rows.map(({ ofTestNo, testNo }) => [ofTestNo, testNo])))
  yield* sql`
    INSERT INTO aliased_executions (repository_id, test_no, upload_no, ordinal, of_test_no, of_ordinal, at)
    SELECT ${repositoryId}, n.*
    FROM unnest(
      ${Parameter.int4s(rows.map(({ testNo }) => testNo))},
      ${Parameter.int4s(rows.map(({ uploadNo }) => uploadNo))},
      ${Parameter.int8s(rows.map(({ ordinal }) => ordinal))},
      ${Parameter.int4s(rows.map(({ ofTestNo }) => ofTestNo))},
      ${Parameter.int8s(rows.map(({ ofOrdinal }) => ofOrdinal))},
      ${Parameter.instants(rows.map(({ at }) => at))}
    ) AS n (test_no, upload_no, ordinal, of_test_no, of_ordinal, at)`
})

/** Stores the number of the test that stands for each test; null where a test stands for itself. */
export const standFor = ({ repositoryId, sql }: Session, targets: ReadonlyMap<number, number | null>) => sql`
  UPDATE tests t
  SET alias_no = n.alias_no
  FROM unnest(
    ${Parameter.int4s([...targets.keys()])},
    ${Parameter.int4s([...targets.values()])}
  ) AS n (test_no, alias_no)
  WHERE t.repository_id = ${repositoryId} AND t.test_no = n.test_no AND t.alias_no IS DISTINCT FROM n.alias_no`
