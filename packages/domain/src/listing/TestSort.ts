/** The orders of lists of identities (interface 4.1.1, 4.1.7), and positions in them. */
import { Order, Schema } from "effect"
import * as Confidence from "../health/Confidence.ts"
import * as HealthStatus from "../health/HealthStatus.ts"
import * as Impact from "../health/Impact.ts"
import * as NameMark from "../execution/NameMark.ts"
import * as Page from "./Page.ts"
import * as TestIdentity from "../execution/TestIdentity.ts"

/** The sort keys of the search (interface 4.1.1). */
export const SearchSort = Schema.Literals([
  "executions_count",
  "test_name",
  "pipeline_name",
  "job_name",
  "health_status",
  "health_confidence",
  "failed_executions_impact",
  "failed_executions_ratio"
])

/** A sort key of the search (interface 4.1.1). */
export type SearchSort = typeof SearchSort.Type

/** The sort keys of the executions of a test (interface 4.1.7). */
export const ExecutionsSort = Schema.Literals(["executions_count", "pipeline_name", "job_name"])

/** A sort key of the executions of a test (interface 4.1.7). */
export type ExecutionsSort = typeof ExecutionsSort.Type

/** The directions of a sort (interface 4.1.1). */
export const Direction = Schema.Literals(["asc", "desc"])

/** The direction of a sort (interface 4.1.1). */
export type Direction = typeof Direction.Type

/** An identity with everything that the search sorts by. */
export interface Row extends TestIdentity.TestIdentity {
  readonly executionsCount: number
  readonly healthStatus: HealthStatus.HealthStatus
  readonly healthConfidence: Confidence.Confidence
  readonly failedExecutionsImpact: Impact.Impact | null
  readonly failedExecutionsRatio: number
}

interface Fields {
  readonly executions_count: "executionsCount"
  readonly test_name: "testName"
  readonly pipeline_name: "pipelineName"
  readonly job_name: "jobName"
  readonly health_status: "healthStatus"
  readonly health_confidence: "healthConfidence"
  readonly failed_executions_impact: "failedExecutionsImpact"
  readonly failed_executions_ratio: "failedExecutionsRatio"
}

/** What a row needs to be sorted by `S`: its identity and the field that `S` names. */
export type Sortable<S extends SearchSort> = TestIdentity.TestIdentity & Pick<Row, Fields[S]>

/**
 * A place in an order: plain JSON, at most some kilobytes whatever the names are.
 *
 * **Details**
 *
 * `key` is the value that the list is sorted by: a name, a number, or the rank of a status, confidence or impact
 * (`HealthStatus.rank`), null for no impact. Names longer than `NameMark.wholeLength` are cut.
 */
export interface Position {
  readonly key: NameMark.NameMark | number | null
  readonly testName: NameMark.NameMark
  readonly pipelineName: NameMark.NameMark
  readonly jobName: NameMark.NameMark
}

/** Schema of the positions in the order of a sort, for positions that arrive from outside. */
export const positionSchema = (sort: SearchSort): Schema.Codec<Position> => positionSchemas[sort]

/**
 * The total order of a sort: its key in the given direction, then test name, pipeline and job, always ascending.
 *
 * **Details**
 *
 * Names are in code-point order, healthy < flaky < broken, low < medium < high; no impact comes last in both
 * directions.
 *
 * @example
 * ```ts
 * import { TestSort } from "@lazaret/domain"
 *
 * const row = (jobName: string, executionsCount: number) => ({ testName: "t", pipelineName: "p", jobName, executionsCount })
 * const rows = [row("b", 1), row("a", 1), row("c", 2)]
 * rows.sort(TestSort.order("executions_count", "desc")).map((row) => row.jobName) // => ["c", "a", "b"]
 * ```
 */
export const order = <S extends SearchSort>(sort: S, direction: Direction): Order.Order<Sortable<S>> => {
  const key = keys[sort]
  return (a, b) => compareKeys(key(a), key(b), direction) || TestIdentity.IdentityOrder(a, b)
}

/**
 * The position of a row in the order of a sort.
 *
 * @example
 * ```ts
 * import { TestSort } from "@lazaret/domain"
 *
 * const row = { testName: "t", pipelineName: "p", jobName: "j", executionsCount: 7 }
 * TestSort.position(row, "executions_count") // => { key: 7, testName: "t", pipelineName: "p", jobName: "j" }
 * ```
 */
export const position = <S extends SearchSort>(row: Sortable<S>, sort: S): Position => {
  const key = keys[sort](row)
  return {
    key: typeof key === "string" ? NameMark.of(key) : key,
    testName: NameMark.of(row.testName),
    pipelineName: NameMark.of(row.pipelineName),
    jobName: NameMark.of(row.jobName)
  }
}

/**
 * Compares rows with positions: as {@link order} compares a row with the one that the position was made from.
 *
 * **Gotchas**
 *
 * Give it positions that {@link restore} has seen.
 */
export const comparePosition = <S extends SearchSort>(
  sort: S,
  direction: Direction
): ((row: Sortable<S>, place: Position) => -1 | 0 | 1) => {
  const key = keys[sort]
  return (row, place) =>
    compareKeys(key(row), place.key, direction) ||
    NameMark.compare(row.testName, place.testName) ||
    NameMark.compare(row.pipelineName, place.pipelineName) ||
    NameMark.compare(row.jobName, place.jobName)
}

/** A position with its long names whole again, as far as the rows still have them. */
export const restore = <S extends SearchSort>(rows: Iterable<Sortable<S>>, sort: S, place: Position): Position => {
  const marks = [place.key, place.testName, place.pipelineName, place.jobName]
  if (!marks.some(isCutKey)) return place
  const whole = { ...place }
  for (const row of rows) {
    const key = keys[sort](row)
    if (isCutKey(whole.key) && typeof key === "string") whole.key = named(whole.key, key)
    whole.testName = named(whole.testName, row.testName)
    whole.pipelineName = named(whole.pipelineName, row.pipelineName)
    whole.jobName = named(whole.jobName, row.jobName)
  }
  return whole
}

/** What page of a list of identities is wanted. */
export interface Request<S extends SearchSort> {
  readonly sort: S
  readonly direction: Direction
  readonly from: Page.From<Position>
  readonly limit: number
}

/**
 * One page of a list of identities that need not be sorted: `Page.select` in the order of a sort.
 *
 * **Gotchas**
 *
 * Rows are walked a second time when the position holds a cut name: give an array rather than a generator.
 *
 * @example
 * ```ts
 * import { Page, TestSort } from "@lazaret/domain"
 *
 * const row = (testName: string) => ({ testName, pipelineName: "p", jobName: "j" })
 * const rows = ["c", "a", "B"].map(row)
 * const request = { sort: "test_name", direction: "asc", from: Page.start, limit: 2 } as const
 * TestSort.page(rows, request).rows.map((row) => row.testName) // => ["B", "a"]
 * ```
 */
export const page = <S extends SearchSort, A extends Sortable<S>>(
  rows: Iterable<A>,
  { direction, from, limit, sort }: Request<S>
): Page.Page<A> =>
  Page.select<A, Position>(rows, {
    order: order(sort, direction),
    comparePosition: comparePosition(sort, direction),
    from: "position" in from ? { ...from, position: restore(rows, sort, from.position) } : from,
    limit
  })

const Rank = Schema.Literals([0, 1, 2])

const positionsWith = (key: Schema.Codec<Position["key"]>): Schema.Codec<Position> =>
  Schema.Struct({
    key,
    testName: NameMark.NameMark,
    pipelineName: NameMark.NameMark,
    jobName: NameMark.NameMark
  })

const positionSchemas: { readonly [S in SearchSort]: Schema.Codec<Position> } = {
  executions_count: positionsWith(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  test_name: positionsWith(NameMark.NameMark),
  pipeline_name: positionsWith(NameMark.NameMark),
  job_name: positionsWith(NameMark.NameMark),
  health_status: positionsWith(Rank),
  health_confidence: positionsWith(Rank),
  failed_executions_impact: positionsWith(Schema.NullOr(Rank)),
  failed_executions_ratio: positionsWith(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
}

type Key = string | number | null

const keys: { readonly [S in SearchSort]: (row: Sortable<S>) => Key } = {
  executions_count: (row) => row.executionsCount,
  test_name: (row) => row.testName,
  pipeline_name: (row) => row.pipelineName,
  job_name: (row) => row.jobName,
  health_status: (row) => HealthStatus.rank(row.healthStatus),
  health_confidence: (row) => Confidence.rank(row.healthConfidence),
  failed_executions_impact: (row) =>
    row.failedExecutionsImpact === null ? null : Impact.rank(row.failedExecutionsImpact),
  failed_executions_ratio: (row) => row.failedExecutionsRatio
}

const compareKeys = (a: Key, b: Position["key"], direction: Direction): -1 | 0 | 1 => {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  const ascending = compareValues(a, b)
  return direction === "asc" ? ascending : opposite(ascending)
}

const compareValues = (a: string | number, b: NameMark.NameMark | number): -1 | 0 | 1 =>
  typeof a === "string" && typeof b !== "number" ? NameMark.compare(a, b) : Order.Number(Number(a), Number(b))

const opposite = (ordering: -1 | 0 | 1): -1 | 0 | 1 => {
  if (ordering === 0) return 0
  return ordering === 1 ? -1 : 1
}

const isCutKey = (key: Position["key"]): key is NameMark.Cut => typeof key === "object" && key !== null

const named = (mark: NameMark.NameMark, name: string): NameMark.NameMark =>
  NameMark.isCut(mark) && NameMark.compare(name, mark) === 0 ? name : mark
