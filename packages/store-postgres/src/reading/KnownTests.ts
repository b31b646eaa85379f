/** Tests that have executions on the default branch, and the blocks that hold them. */
import { TestId, type TestIdentity } from "@lazaret/domain"
import { Effect, Result, Schema } from "effect"
import * as StandIns from "../repository/StandIns.ts"
import * as BlockRows from "../blocks/BlockRows.ts"
import type { Sql } from "../repository/Session.ts"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import * as RepositorySettings from "../repository/RepositorySettings.ts"

/**
 * One identity of a test, with its block and slot; `isReduced` says that executions of its block were dropped, `isContradicted`
 * that the test has contradictions on other branches. Most tests have neither, so that nothing more is read about them.
 */
export interface KnownTest {
  readonly testId: TestId.TestId
  readonly identity: TestIdentity.TestIdentity
  readonly blockNo: number
  readonly slot: number
  readonly isReduced: boolean
  readonly isContradicted: boolean
}

/**
 * Tests, and the settings of their repository.
 *
 * `damaged` holds the blocks whose totals cannot be read. All of their tests are in `tests`, whether or not they have
 * executions on the default branch.
 */
export interface KnownTests {
  readonly settings: RepositorySettings.RepositorySettings
  readonly tests: ReadonlyArray<KnownTest>
  readonly damaged: ReadonlyMap<number, Damage.Damage>
}

/** The identities of tests that have executions on the default branch, in any order. */
export const select = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  testIds: ReadonlyArray<TestId.TestId>
) {
  const rows = yield* selectRows(sql, repositoryId, [...new Set(testIds)].filter(isTestId))
  const tests: Array<KnownTest> = []
  const damaged = new Map<number, Damage.Damage>()
  for (const row of rows) {
    if (row.test_id === null) continue
    const test = knownTest(row)
    const counts = BlockRows.totalsOf({ repositoryId }, { block_no: test.blockNo, counts: row.counts })
    if (Result.isFailure(counts)) damaged.set(test.blockNo, counts.failure)
    if (Result.isFailure(counts) || BlockCounts.executionsOf(counts.success, test.slot) > 0) tests.push(test)
  }
  const known: KnownTests = { settings: yield* RepositorySettings.of(rows[0]), tests, damaged }
  return known
})

/** Reads tests like {@link select}; fails when the totals of one cannot be read. */
export const selectIntact = Effect.fnUntraced(function* (
  sql: Sql,
  repositoryId: number,
  testIds: ReadonlyArray<TestId.TestId>
) {
  const known = yield* select(sql, repositoryId, testIds)
  yield* Damage.none([...known.damaged.values()])
  return known
})

const isTestId = Schema.is(TestId.TestId)

interface TestRow {
  readonly test_id: string
  readonly test_no: number
  readonly test_name: string
  readonly pipeline_name: string
  readonly job_name: string
  readonly is_reduced: boolean
  readonly is_contradicted: boolean
  readonly counts: Uint8Array
}

type Row = RepositorySettings.Row & (TestRow | { readonly test_id: null })

/**
 * Only the first row holds the settings, because they are long and a query may ask for many tests.
 *
 * Repositories differ in size by orders of magnitude, but the planner assumes an average one and would read whole jobs
 * to find a test. `OFFSET 0` forces each step to look up one key, here and in other statements. Where a table has
 * several keys that begin with the repository, the `ORDER BY` makes the planner choose the right one.
 */
const selectRows = (sql: Sql, repositoryId: number, testIds: ReadonlyArray<string>) => sql<Row>`
  SELECT
    CASE WHEN row_number() OVER () = 1 THEN r.settings END AS settings,
    r.earliest_main, r.earliest_master, r.horizon, k.*
  FROM repositories r
  LEFT JOIN LATERAL (
    SELECT i.asked_id AS test_id, t.test_no, t.test_name, j.pipeline_name, j.job_name, b.counts, EXISTS (
      SELECT FROM retention_bases
      WHERE repository_id = ${repositoryId} AND block_no = t.test_no / ${BlockCounts.slots}
      OFFSET 0
    ) AS is_reduced, EXISTS (
      SELECT FROM branch_contradictions
      WHERE repository_id = ${repositoryId} AND test_no = t.test_no
      OFFSET 0
    ) AS is_contradicted
    FROM (
      SELECT n.asked_id, ${StandIns.id(sql, repositoryId, "n.asked_id")} AS test_id
      FROM unnest(${Parameter.uuids(testIds)}) AS n (asked_id)
      OFFSET 0
    ) i
    CROSS JOIN LATERAL (
      SELECT test_no, job_no, test_name
      FROM tests
      WHERE repository_id = ${repositoryId} AND test_id = i.test_id
      OFFSET 0
    ) t
    CROSS JOIN LATERAL (
      SELECT pipeline_name, job_name
      FROM jobs
      WHERE repository_id = ${repositoryId} AND job_no BETWEEN t.job_no AND t.job_no
      ORDER BY job_no
      LIMIT 1
    ) j
    CROSS JOIN LATERAL (
      SELECT counts
      FROM block_state
      WHERE repository_id = ${repositoryId} AND block_no = t.test_no / ${BlockCounts.slots}
      OFFSET 0
    ) b
    OFFSET 0
  ) k ON true
  WHERE r.repository_id = ${repositoryId}`

const knownTest = (row: TestRow): KnownTest => ({
  testId: row.test_id,
  identity: { testName: row.test_name, pipelineName: row.pipeline_name, jobName: row.job_name },
  blockNo: Math.floor(row.test_no / BlockCounts.slots),
  slot: row.test_no % BlockCounts.slots,
  isReduced: row.is_reduced,
  isContradicted: row.is_contradicted
})
