/** The orders of lists of identities (interface 4.1.1, 4.1.7), and positions in them. */
import { Order, Schema } from "effect"
import * as Confidence from "./Confidence.ts"
import * as HealthStatus from "./HealthStatus.ts"
import * as Impact from "./Impact.ts"
import * as NameMark from "../report/NameMark.ts"
import * as Page from "../listing/Page.ts"
import * as Text from "../text/Text.ts"
import type * as TestIdentity from "../report/TestIdentity.ts"

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

/** The fields that sorting by `S` reads: the identity and the field that `S` names. */
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
export const order = <S extends SearchSort>(sort: S, direction: Direction): Order.Order<Sortable<S>> =>
  orderBy(fieldsBy<Sortable<S>>(keys[sort]), direction)

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
export const position = <S extends SearchSort>(row: Sortable<S>, sort: S): Position =>
  positionBy(row, fieldsBy<Sortable<S>>(keys[sort]))

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
): ((row: Sortable<S>, place: Position) => -1 | 0 | 1) => compareBy(fieldsBy<Sortable<S>>(keys[sort]), direction)

/** A position with its long names whole again, as far as the rows still have them. */
export const restore = <S extends SearchSort>(rows: Iterable<Sortable<S>>, sort: S, place: Position): Position =>
  restoreBy(rows, fieldsBy<Sortable<S>>(keys[sort]), place)

/** A request for a page of identities. */
export interface Request<S extends SearchSort> extends RequestBy {
  readonly sort: S
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
  request: Request<S>
): Page.Page<A> => pageBy(rows, fieldsBy<A>(keys[request.sort]), request)

/** The fields of an item that an order reads: its key, and the names that decide between equal keys. */
export interface FieldsBy<A> {
  readonly key: (item: A) => Key
  readonly testName: (item: A) => string
  readonly pipelineName: (item: A) => string
  readonly jobName: (item: A) => string
}

/** A request for a page of a list in an order of its own. */
export interface RequestBy {
  readonly direction: Direction
  readonly from: Page.From<Position>
  readonly limit: number
}

/** {@link order} for any items: by their key, then test name, pipeline and job, always ascending. */
export const orderBy =
  <A>(by: FieldsBy<A>, direction: Direction): Order.Order<A> =>
  (a, b) =>
    compareKeys(by.key(a), by.key(b), direction) ||
    Text.compare(by.testName(a), by.testName(b)) ||
    Text.compare(by.pipelineName(a), by.pipelineName(b)) ||
    Text.compare(by.jobName(a), by.jobName(b))

/** {@link position} for any items. */
export const positionBy = <A>(item: A, by: FieldsBy<A>): Position => {
  const key = by.key(item)
  return {
    key: typeof key === "string" ? NameMark.of(key) : key,
    testName: NameMark.of(by.testName(item)),
    pipelineName: NameMark.of(by.pipelineName(item)),
    jobName: NameMark.of(by.jobName(item))
  }
}

/** {@link page} for any items. */
export const pageBy = <A>(items: Iterable<A>, by: FieldsBy<A>, request: RequestBy): Page.Page<A> => {
  const { direction, from, limit } = request
  return Page.select<A, Position>(items, {
    order: orderBy(by, direction),
    comparePosition: compareBy(by, direction),
    from: "position" in from ? { ...from, position: restoreBy(items, by, from.position) } : from,
    limit
  })
}

/** Schema of positions in an order whose keys are of this schema. */
export const positionWith = (key: Schema.Codec<Position["key"]>): Schema.Codec<Position> =>
  Schema.Struct({
    key,
    testName: NameMark.NameMark,
    pipelineName: NameMark.NameMark,
    jobName: NameMark.NameMark
  })

const compareBy =
  <A>(by: FieldsBy<A>, direction: Direction) =>
  (item: A, place: Position): -1 | 0 | 1 =>
    compareKeys(by.key(item), place.key, direction) ||
    NameMark.compare(by.testName(item), place.testName) ||
    NameMark.compare(by.pipelineName(item), place.pipelineName) ||
    NameMark.compare(by.jobName(item), place.jobName)

const restoreBy = <A>(items: Iterable<A>, by: FieldsBy<A>, place: Position): Position => {
  const marks = [place.key, place.testName, place.pipelineName, place.jobName]
  if (!marks.some(isCutKey)) return place
  const whole = { ...place }
  for (const item of items) {
    const key = by.key(item)
    if (isCutKey(whole.key) && typeof key === "string") whole.key = named(whole.key, key)
    whole.testName = named(whole.testName, by.testName(item))
    whole.pipelineName = named(whole.pipelineName, by.pipelineName(item))
    whole.jobName = named(whole.jobName, by.jobName(item))
  }
  return whole
}

const fieldsBy = <A extends TestIdentity.TestIdentity>(key: (row: A) => Key): FieldsBy<A> => ({
  key,
  testName: (row) => row.testName,
  pipelineName: (row) => row.pipelineName,
  jobName: (row) => row.jobName
})

const Rank = Schema.Literals([0, 1, 2])

const positionSchemas: { readonly [S in SearchSort]: Schema.Codec<Position> } = {
  executions_count: positionWith(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  test_name: positionWith(NameMark.NameMark),
  pipeline_name: positionWith(NameMark.NameMark),
  job_name: positionWith(NameMark.NameMark),
  health_status: positionWith(Rank),
  health_confidence: positionWith(Rank),
  failed_executions_impact: positionWith(Schema.NullOr(Rank)),
  failed_executions_ratio: positionWith(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
}

/** The key that a list is sorted by: a name, a number, or null, which comes last in both directions. */
export type Key = string | number | null

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
