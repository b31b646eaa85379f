/**
 * Gives the stored executions to the tests that stand for their names.
 *
 * They move between blocks, so that everything that reads executions by the number of a test finds them. Where they came from is in
 * `aliased_executions`.
 */
import { TestAlias } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import * as Head from "../repository/Head.ts"
import type { Session } from "../repository/Session.ts"
import * as Aliased from "./Aliased.ts"
import * as Jobs from "./Jobs.ts"
import * as MovedBases from "./MovedBases.ts"
import * as Moves from "./Moves.ts"
import * as Recalculation from "./Recalculation.ts"
import * as Tests from "./Tests.ts"
import { TestNumbers } from "./TestNumbers.ts"

/**
 * Gives every execution to the test that stands for its name by these links, and refolds the blocks that this concerns.
 *
 * **Details**
 *
 * Must run in a transaction that holds the head. Reads the names of all tests of the repository. Where no execution changes its test,
 * nothing is recomputed.
 */
export const regroup = Effect.fnUntraced(function* (session: Session, links: ReadonlyArray<TestAlias.Link>) {
  const { repositoryId, sql } = session
  // Every process reads the aliases again.
  yield* Head.markRecalculated(sql, repositoryId, session.head)
  // A repository may have hundreds of thousands of tests.
  yield* sql`SET LOCAL statement_timeout = 0`
  const rows = yield* selectTests(session)
  const blocks = new Set<number>()
  for (const [jobNo, tests] of Map.groupBy(yield* changesAmong(rows, links), (change) => change.test.job_no)) {
    const [job] = yield* Jobs.selectByNumber(session, [jobNo])
    if (job === undefined) continue
    const ofJob = rows.filter((row) => row.job_no === jobNo)
    const moves = yield* movesOf(session, job, ofJob, tests)
    yield* Aliased.standFor(session, moves.changed)
    yield* Moves.run(session, job, moves)
    yield* MovedBases.move(session, moves)
    for (const testNo of moves.touched) blocks.add(Math.floor(testNo / slots))
  }
  if (blocks.size > 0) yield* Recalculation.reclassify(session, [...blocks])
})

/** A test as it is stored. */
interface TestRow {
  readonly test_no: number
  readonly job_no: number
  readonly test_name: string
  readonly alias_no: number | null
}

/** A test, and the name that stands for it from now on. */
interface Change {
  readonly test: TestRow
  readonly target: string
}

const namesAtOnce = 4096

/** The tests for which another one stands than before. */
const changesAmong = Effect.fnUntraced(function* (rows: ReadonlyArray<TestRow>, links: ReadonlyArray<TestAlias.Link>) {
  const resolve = TestAlias.resolver(links)
  const names = new Map(rows.map((row) => [row.test_no, row.test_name]))
  const found: Array<Change> = []
  yield* Slices.visit(rows, namesAtOnce, (test) => {
    const target = resolve(test.test_name)
    const before = test.alias_no === null ? test.test_name : names.get(test.alias_no)
    if (target !== before) found.push({ test, target })
  })
  return found
})

/** The moves of a job: makes the tests that stand for others where they are missing. */
const movesOf = Effect.fnUntraced(function* (
  session: Session,
  job: Jobs.Job,
  rows: ReadonlyArray<TestRow>,
  changes: ReadonlyArray<Change>
) {
  const targets = changes.map(({ target: testName }): Tests.Named => ({ testName, filepath: null, functionName: null }))
  const numbers = new TestNumbers()
  const [places] = yield* Tests.ensure(session, numbers, job, [targets])
  const holders = new Map(rows.map((row) => [row.test_no, row.alias_no ?? row.test_no]))
  const names = new Map(rows.map((row) => [row.test_no, row.test_name]))
  const touched = new Set<number>()
  const changed = new Map<number, number | null>()
  changes.forEach(({ target, test }, index) => {
    const after = places?.tests[index] ?? test.test_no
    touched.add(test.alias_no ?? test.test_no).add(after)
    holders.set(test.test_no, after)
    names.set(after, target)
    changed.set(test.test_no, after === test.test_no ? null : after)
  })
  const moves: Moves.Moves = { numbers, holders, names, touched, changed }
  return moves
})

const selectTests = ({ repositoryId, sql }: Session) => sql<TestRow>`
  SELECT test_no, job_no, test_name, alias_no
  FROM tests
  WHERE repository_id = ${repositoryId}`
