/** The tests of a job: finds their numbers, and assigns numbers to new tests. */
import { type Execution, Report, TestId } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import { maximumSource } from "../codec/ResultChunk.ts"
import * as Parameter from "../database/Parameter.ts"
import { finder, type JobTests, type NumberedTest, put, type Source, type TestNumbers } from "./TestNumbers.ts"
import * as Claim from "./Claim.ts"
import * as Jobs from "./Jobs.ts"
import type { Session } from "../repository/Session.ts"

/**
 * The numbers of the test and of the source of each execution in a list. A source without a number is {@link unnumbered}.
 */
export interface Numbering {
  readonly tests: Int32Array
  readonly sources: Uint8Array
}

/** The fields of an execution that its test and its source follow from. */
export type Named = Pick<Execution.Execution, "testName" | "filepath" | "functionName">

/** Stands for a source that has no number. */
export const unnumbered = 255

/**
 * The numbers for the executions of one job, for each list.
 *
 * **Details**
 *
 * Assigns numbers to new tests and sources. They enter the cache when the transaction is committed.
 */
export const ensure = Effect.fnUntraced(function* (
  session: Session,
  numbers: TestNumbers,
  job: Jobs.Job,
  lists: ReadonlyArray<ReadonlyArray<Named>>
) {
  const known = numbers.of(session.repositoryId, job.jobNo)
  yield* refresh(session, job, known)
  const additions = new Additions(session, job, known)
  const places: Array<Numbering> = []
  for (const executions of lists) places.push(yield* additions.place(executions))
  yield* additions.save()
  return places
})

/** How many tests each report would add to its job; 0 for one that is not of a fork. */
export const addedByForks = (session: Session, reports: ReadonlyArray<Report.Report>) =>
  Effect.forEach(reports, (report) =>
    Report.isFork(report.run) && report.executions.length > 0 ? countAdded(session, report) : Effect.succeed(0)
  )

const countAdded = Effect.fnUntraced(function* ({ repositoryId, sql }: Session, { executions, run }: Report.Report) {
  const names = [...new Set(executions.map(({ testName }) => testName))]
  const ids: Array<TestId.TestId> = []
  yield* Slices.visit(names, lookupsAtOnce, (name) => ids.push(TestId.of(name)))
  const [row] = yield* sql<{ readonly known: number }>`
    SELECT count(*)::int AS known
    FROM jobs j
    CROSS JOIN unnest(${Parameter.uuids(ids)}) AS n (test_id)
    JOIN tests t ON t.repository_id = ${repositoryId} AND t.test_id = n.test_id AND t.job_no = j.job_no
    WHERE j.repository_id = ${repositoryId} AND j.job_hash = ${Parameter.bytea(Claim.hash(Jobs.key(run)))}`
  return names.length - (row?.known ?? 0)
})

/** Reads the tests that other processes have added; all of them, when a test may have been removed. */
const refresh = Effect.fnUntraced(function* (session: Session, job: Jobs.Job, known: JobTests) {
  if (known.recalculated !== session.head.recalculated) {
    known.tests.clear()
    known.version = -1
    known.recalculated = session.head.recalculated
  }
  if (known.version >= job.version) return
  const tests = yield* selectTests(session, job, known.version)
  const sources = yield* selectSources(session, job, known.version)
  const byNumber = new Map<number, string>()
  yield* Slices.visit(tests, lookupsAtOnce, (row) =>
    put(known, { name: row.test_name, testNo: row.test_no, sources: [], next: null })
  )
  if (sources.length > 0) {
    yield* Slices.visit(known.tests, lookupsAtOnce, ([name, { testNo }]) => byNumber.set(testNo, name))
  }
  yield* Slices.visit(sources, lookupsAtOnce, (row) => {
    const name = byNumber.get(row.test_no)
    const test = name === undefined ? undefined : known.tests.get(name)
    if (test === undefined) return
    test.sources = [...test.sources, { filepath: row.filepath, functionName: row.function_name }]
  })
  known.version = job.version
})

/** Tests and sources that the database does not have yet. */
class Additions {
  private readonly session: Session
  private readonly job: Jobs.Job
  private readonly known: JobTests
  private readonly changed = new Map<string, NumberedTest>()
  private readonly findKnown: (name: string) => NumberedTest | undefined
  private readonly tests: Array<{ readonly testNo: number; readonly name: string }> = []
  private readonly sources: Array<Source & { readonly testNo: number; readonly sourceNo: number }> = []

  constructor(session: Session, job: Jobs.Job, known: JobTests) {
    this.session = session
    this.job = job
    this.known = known
    this.findKnown = finder(known)
  }

  /** Looks up some ten thousand, then lets other fibers run. */
  readonly place = Effect.fnUntraced(function* (this: Additions, executions: ReadonlyArray<Named>) {
    const places = { tests: new Int32Array(executions.length), sources: new Uint8Array(executions.length) }
    for (let start = 0; start < executions.length; start += lookupsAtOnce) {
      if (start > 0) yield* Effect.yieldNow
      this.numberSome(executions, places, start)
    }
    return places
  })

  /** Writes new tests and sources. */
  readonly save = Effect.fnUntraced(function* (this: Additions) {
    if (this.changed.size === 0) return
    const { job, session } = this
    const before = this.known.version
    job.version = session.head.version
    for (const tests of slices(this.tests, ({ name }) => name.length)) yield* insertTests(session, job, tests)
    for (const sources of slices(this.sources, sizeOf)) yield* insertSources(session, job, sources)
    yield* Jobs.save(session, job)
    yield* session.sql.afterCommit(this.remember(before))
  })

  /**
   * Updates the cache, unless another process has written since: then the next refresh reads everything new.
   */
  private readonly remember = Effect.fnUntraced(function* (this: Additions, before: number) {
    if (this.known.version !== before) return
    // The next upload to the repository begins after this one: nothing reads the cache in between.
    yield* Slices.visit(this.changed, lookupsAtOnce, ([, test]) => put(this.known, test))
    this.known.version = this.job.version
  })

  private numberSome(executions: ReadonlyArray<Named>, places: Numbering, start: number): void {
    const end = Math.min(executions.length, start + lookupsAtOnce)
    for (let index = start; index < end; index++) {
      const execution = executions[index]
      if (execution === undefined) continue
      const test = this.find(execution.testName) ?? this.make(execution.testName)
      places.tests[index] = test.testNo
      places.sources[index] = hasSource(execution) ? this.sourceOf(execution, test) : 0
    }
  }

  private find(name: string): NumberedTest | undefined {
    return (this.changed.size === 0 ? undefined : this.changed.get(name)) ?? this.findKnown(name)
  }

  private sourceOf(execution: Named, test: NumberedTest): number {
    const index = test.sources.findIndex((source) => isSame(source, execution))
    if (index !== -1) return index + 1
    return test.sources.length < maximumSource ? this.addSource(execution, test) : unnumbered
  }

  private make(name: string): NumberedTest {
    const { head } = this.session
    if (this.job.openBlock === null || this.job.used >= slots) {
      this.job.openBlock = head.block++
      this.job.used = 0
    }
    const test = { name, testNo: this.job.openBlock * slots + this.job.used++, sources: [], next: null }
    this.tests.push({ testNo: test.testNo, name })
    this.changed.set(name, test)
    return test
  }

  private addSource({ filepath, functionName, testName }: Named, test: NumberedTest): number {
    const sources = [...test.sources, { filepath, functionName }]
    this.sources.push({ testNo: test.testNo, sourceNo: sources.length, filepath, functionName })
    this.changed.set(testName, { ...test, sources })
    return sources.length
  }
}

/** The number of characters per statement: hashing and sending more of them would block other requests. */
const charactersAtOnce = 524_288
const charactersOfRow = 64
const lookupsAtOnce = 16_384

const slices = <A>(rows: ReadonlyArray<A>, length: (row: A) => number): Iterable<ReadonlyArray<A>> =>
  Slices.byWeight(rows, (row) => charactersOfRow + length(row), charactersAtOnce)

const sizeOf = ({ filepath, functionName }: Source): number => (filepath?.length ?? 0) + (functionName?.length ?? 0)

const hasSource = ({ filepath, functionName }: Source): boolean => filepath !== null || functionName !== null

const isSame = (a: Source, b: Source): boolean => a.filepath === b.filepath && a.functionName === b.functionName

const selectTests = ({ repositoryId, sql }: Session, job: Jobs.Job, after: number) => sql<{
  readonly test_no: number
  readonly test_name: string
}>`
  SELECT test_no, test_name
  FROM tests
  WHERE repository_id = ${repositoryId} AND job_no = ${job.jobNo} AND version > ${Parameter.int8(after)}`

const selectSources = ({ repositoryId, sql }: Session, job: Jobs.Job, after: number) => sql<{
  readonly test_no: number
  readonly filepath: string | null
  readonly function_name: string | null
}>`
  SELECT test_no, filepath, function_name
  FROM test_sources
  WHERE repository_id = ${repositoryId} AND job_no = ${job.jobNo} AND version > ${Parameter.int8(after)}
  ORDER BY test_no, source_no`

const insertTests = (
  { repositoryId, sql }: Session,
  job: Jobs.Job,
  tests: ReadonlyArray<{ readonly testNo: number; readonly name: string }>
) => sql`
        INSERT INTO tests (repository_id, test_no, job_no, test_id, test_name, version)
        SELECT ${repositoryId}, n.test_no, ${job.jobNo}, n.test_id, n.test_name, ${Parameter.int8(job.version)}
        FROM unnest(
          ${Parameter.int4s(tests.map((test) => test.testNo))},
          ${Parameter.uuids(tests.map((test) => TestId.of(test.name)))},
          ${Parameter.texts(tests.map((test) => test.name))}
        ) AS n (test_no, test_id, test_name)`

const insertSources = (
  { repositoryId, sql }: Session,
  job: Jobs.Job,
  sources: ReadonlyArray<Source & { readonly testNo: number; readonly sourceNo: number }>
) => sql`
        INSERT INTO test_sources (repository_id, test_no, source_no, job_no, filepath, function_name, version)
        SELECT ${repositoryId}, n.test_no, n.source_no, ${job.jobNo}, n.filepath, n.function_name,
          ${Parameter.int8(job.version)}
        FROM unnest(
          ${Parameter.int4s(sources.map((source) => source.testNo))},
          ${Parameter.int2s(sources.map((source) => source.sourceNo))},
          ${Parameter.texts(sources.map((source) => source.filepath))},
          ${Parameter.texts(sources.map((source) => source.functionName))}
        ) AS n (test_no, source_no, filepath, function_name)`
