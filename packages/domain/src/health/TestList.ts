/**
 * The tests of a repository as people look for them: what needs attention first, found by parts of names, with the number of
 * tests for every value of a filter (our choice: the interface has no such list).
 */
import { Schema } from "effect"
import * as NameMark from "../report/NameMark.ts"
import * as HealthStatus from "./HealthStatus.ts"
import type * as Instant from "../time/Instant.ts"
import * as NameSearch from "../text/NameSearch.ts"
import * as Page from "../listing/Page.ts"
import * as TestFilter from "./TestFilter.ts"
import * as TestSort from "./TestSort.ts"
import * as Text from "../text/Text.ts"

/**
 * One identity of the list.
 *
 * **Details**
 *
 * `file` is the file of the test as reports name it, null when they name none. `failedCount` and `meanDuration` (seconds) are over the passed and failed executions of the active days; a test whose
 * reports state no duration has null. `firstSeenAt` and `lastFailureAt` know the whole history, also
 * what was dropped; `firstSeenAt` is null where a damaged block hides it. `since` is when the execution finished that gave the identity
 * its status. `failuresInARow` counts the failures since the last pass, without those that an outage excuses.
 */
export interface Entry extends TestSort.Row {
  readonly file: string | null
  readonly failedCount: number
  readonly meanDuration: number | null
  readonly firstSeenAt: Instant.Instant | null
  readonly lastFailureAt: Instant.Instant | null
  readonly since: Instant.Instant | null
  readonly failuresInARow: number
}

/** Reads the fields of an entry from an item: stores keep entries in shapes of their own. */
export type Columns<A> = { readonly [F in keyof Entry]: (item: A) => Entry[F] }

/**
 * The sort keys.
 *
 * **Details**
 *
 * `attention` is the status, and within it the ratio of failures: descending, the broken tests come first, then the flaky
 * ones, those that fail most first.
 */
export const Sort = Schema.Literals([
  "attention",
  "failure_ratio",
  "executions_count",
  "last_failure_at",
  "mean_duration",
  "first_seen_at",
  "test_name",
  "pipeline_name",
  "job_name"
])

/** A sort key. */
export type Sort = typeof Sort.Type

/**
 * The identities to list.
 *
 * **Details**
 *
 * Values of one field are alternatives, an empty list takes every value, all fields must hold. `search` is a `NameSearch`.
 * `isQuarantined` null takes both. `match` is the filter of the search (interface 4.1.1); the facets count nothing that it
 * leaves out. `also` are the names of tests that are found by another name of theirs.
 */
export interface Filter {
  readonly search: string
  readonly also?: ReadonlySet<string>
  readonly healthStatus: ReadonlyArray<HealthStatus.HealthStatus>
  readonly pipelineName: ReadonlyArray<string>
  readonly jobName: ReadonlyArray<string>
  readonly isQuarantined: boolean | null
  readonly match: TestFilter.TestFilter
}

/** The filter that takes every identity. */
export const all: Filter = {
  search: "",
  healthStatus: [],
  pipelineName: [],
  jobName: [],
  isQuarantined: null,
  match: TestFilter.all
}

/**
 * The question for a list: `quarantined` holds the names of the tests in quarantine. `files` holds the files whose tests are
 * listed, null for tests without a file; without the set every test is. `sort` null: in any order, from the start; sorting 200,000 tests by name
 * takes most of a second.
 */
export interface Query {
  readonly filter: Filter
  readonly quarantined: ReadonlySet<string>
  readonly files: ReadonlySet<string | null> | null
  readonly sort: Sort | null
  readonly direction: TestSort.Direction
  readonly from: Page.From<TestSort.Position>
  readonly limit: number
}

/** The question for every identity, by name. */
export const everything: Query = {
  filter: all,
  quarantined: new Set(),
  files: null,
  sort: "test_name",
  direction: "asc",
  from: Page.start,
  limit: Infinity
}

/** The question for every identity, in any order: `Steps.sorted` sorts them and lets other work run in between. */
export const inAnyOrder: Query = { ...everything, sort: null }

/** How many identities have a value. */
export interface Count<A> {
  readonly value: A
  readonly count: number
}

/**
 * How many identities each value of a filter has, when all other filters hold.
 *
 * **Details**
 *
 * Statuses are in their order, names by count (descending) and then in code-point order. Values without
 * identities are left out, and so are names beyond {@link mostNames}.
 */
export interface Facets {
  readonly healthStatus: ReadonlyArray<Count<HealthStatus.HealthStatus>>
  readonly pipelineName: ReadonlyArray<Count<string>>
  readonly jobName: ReadonlyArray<Count<string>>
  readonly isQuarantined: ReadonlyArray<Count<boolean>>
}

/** The most pipelines and jobs that are counted one by one: more fit into no list of choices. */
export const mostNames = 50

/** One page, how many listed identities come before it, and the facets. */
export interface Found<A> extends Page.Page<A> {
  readonly offset: number
  readonly facets: Facets
}

/**
 * Finds, counts, orders and cuts.
 *
 * **Details**
 *
 * One pass over the items for filters and facets, and two over those that match.
 */
export const find = <A>(items: Iterable<A>, columns: Columns<A>, query: Query): Found<A> => {
  const { found, facets } = matching(items, columns, query)
  if (query.sort === null) {
    const rows = found.length <= query.limit ? found : found.slice(0, query.limit)
    return { rows, hasPrevious: false, hasNext: rows.length < found.length, total: found.length, offset: 0, facets }
  }
  const by = fieldsBy(columns, query.sort)
  const page = TestSort.pageBy(found, by, query)
  const [first] = page.rows
  const order = TestSort.orderBy(by, query.direction)
  const offset =
    first === undefined || !page.hasPrevious
      ? 0
      : found.reduce((sum, item) => sum + (order(item, first) < 0 ? 1 : 0), 0)
  return { ...page, offset, facets }
}

/** The entry of an item. */
export const entryOf = <A>(item: A, columns: Columns<A>): Entry => ({
  testName: columns.testName(item),
  pipelineName: columns.pipelineName(item),
  jobName: columns.jobName(item),
  file: columns.file(item),
  executionsCount: columns.executionsCount(item),
  healthStatus: columns.healthStatus(item),
  healthConfidence: columns.healthConfidence(item),
  failedExecutionsImpact: columns.failedExecutionsImpact(item),
  failedExecutionsRatio: columns.failedExecutionsRatio(item),
  failedCount: columns.failedCount(item),
  meanDuration: columns.meanDuration(item),
  firstSeenAt: columns.firstSeenAt(item),
  lastFailureAt: columns.lastFailureAt(item),
  since: columns.since(item),
  failuresInARow: columns.failuresInARow(item)
})

/** The place of an entry in the order of a sort. */
export const position = (entry: Entry, sort: Sort): TestSort.Position =>
  TestSort.positionBy(entry, fieldsBy(columnsOfEntry, sort))

/** Schema of positions that arrive from outside. */
export const positionSchema: Schema.Codec<TestSort.Position> = TestSort.positionWith(
  Schema.NullOr(Schema.Union([NameMark.NameMark, Schema.Finite]))
)

/** A text that is equal for filters that list the same identities: a cursor is bound to it. */
export const key = (filter: Filter): string =>
  JSON.stringify([
    filter.search,
    ...[filter.healthStatus, filter.pipelineName, filter.jobName].map((values) =>
      [...new Set<string>(values)].sort(Text.compare)
    ),
    filter.isQuarantined,
    TestFilter.key(filter.match)
  ])

/** Reads an entry as it is. */
export const columnsOfEntry: Columns<Entry> = {
  testName: (entry) => entry.testName,
  pipelineName: (entry) => entry.pipelineName,
  jobName: (entry) => entry.jobName,
  file: (entry) => entry.file,
  executionsCount: (entry) => entry.executionsCount,
  healthStatus: (entry) => entry.healthStatus,
  healthConfidence: (entry) => entry.healthConfidence,
  failedExecutionsImpact: (entry) => entry.failedExecutionsImpact,
  failedExecutionsRatio: (entry) => entry.failedExecutionsRatio,
  failedCount: (entry) => entry.failedCount,
  meanDuration: (entry) => entry.meanDuration,
  firstSeenAt: (entry) => entry.firstSeenAt,
  lastFailureAt: (entry) => entry.lastFailureAt,
  since: (entry) => entry.since,
  failuresInARow: (entry) => entry.failuresInARow
}

const fieldsBy = <A>(columns: Columns<A>, sort: Sort): TestSort.FieldsBy<A> => ({
  key: keyBy(columns, sort),
  testName: columns.testName,
  pipelineName: columns.pipelineName,
  jobName: columns.jobName
})

const keyBy = <A>(columns: Columns<A>, sort: Sort): ((item: A) => TestSort.Key) => {
  switch (sort) {
    case "attention":
      // A ratio is at most 1, so that the status always decides first.
      return (item) => 2 * HealthStatus.rank(columns.healthStatus(item)) + columns.failedExecutionsRatio(item)
    case "failure_ratio":
      return columns.failedExecutionsRatio
    case "executions_count":
      return columns.executionsCount
    case "last_failure_at":
      return columns.lastFailureAt
    case "mean_duration":
      return columns.meanDuration
    case "first_seen_at":
      return columns.firstSeenAt
    case "test_name":
      return columns.testName
    case "pipeline_name":
      return columns.pipelineName
    case "job_name":
      return columns.jobName
  }
}

/** One filter: whether an item passes it, and how many items have each value. */
interface Facet<A, V> {
  /** Null when every item passes. */
  readonly isPassed: ((item: A) => boolean) | null
  readonly add: (item: A) => void
  readonly counts: () => Array<Count<V>>
}

const facet = <A, V>(read: (item: A) => V, wanted: ReadonlyArray<V>): Facet<A, V> => {
  const values = new Set(wanted)
  const counts = new Map<V, { value: V; count: number }>()
  // Neighbouring items mostly have the same value, which is then not looked up.
  let held: { value: V; count: number } | undefined
  return {
    isPassed: values.size === 0 ? null : (item) => values.has(read(item)),
    add: (item) => {
      const value = read(item)
      if (held?.value !== value) {
        held = counts.get(value) ?? { value, count: 0 }
        if (held.count === 0) counts.set(value, held)
      }
      held.count += 1
    },
    counts: () => [...counts.values()]
  }
}

/** Whether an item passes the filter of the search. */
const matcher = <A>(columns: Columns<A>, filter: TestFilter.TestFilter): ((item: A) => boolean) => {
  if (TestFilter.isAll(filter)) return () => true
  const isPassed = TestFilter.matcher(filter)
  return (item) =>
    isPassed({
      testName: columns.testName(item),
      pipelineName: columns.pipelineName(item),
      jobName: columns.jobName(item),
      healthStatus: columns.healthStatus(item),
      healthConfidence: columns.healthConfidence(item),
      failedExecutionsImpact: columns.failedExecutionsImpact(item)
    })
}

/** The items that match, and the facets: an item that fails one filter alone counts for the values of that filter. */
const matching = <A>(items: Iterable<A>, columns: Columns<A>, { files, filter, quarantined }: Query) => {
  const isNamed = NameSearch.compile(filter.search)
  const isFound =
    filter.search === ""
      ? () => true
      : (item: A) => isNamed(columns.testName(item)) || filter.also?.has(columns.testName(item)) === true
  const isMatched = matcher(columns, filter.match)
  const isInFile = files === null ? () => true : (item: A) => files.has(columns.file(item))
  const status = facet(columns.healthStatus, filter.healthStatus)
  const pipeline = facet(columns.pipelineName, filter.pipelineName)
  const job = facet(columns.jobName, filter.jobName)
  const quarantine = facet(
    quarantined.size === 0 ? () => false : (item: A) => quarantined.has(columns.testName(item)),
    filter.isQuarantined === null ? [] : [filter.isQuarantined]
  )
  const facets: ReadonlyArray<Pick<Facet<A, unknown>, "add" | "isPassed">> = [status, pipeline, job, quarantine]
  const filters = facets.filter(({ isPassed }) => isPassed !== null)
  const found: Array<A> = []
  // Loops by index: of 200,000 items, the first list after a start takes half as long.
  for (const item of items) {
    let failed = 0
    let last: (typeof facets)[number] | undefined
    for (let index = 0; index < filters.length; index++) {
      const each = filters[index]
      if (each?.isPassed?.(item) !== false) continue
      failed += 1
      last = each
    }
    if (failed > 1 || !isInFile(item) || !isFound(item) || !isMatched(item)) continue
    if (failed === 1) last?.add(item)
    else {
      found.push(item)
      for (let index = 0; index < facets.length; index++) facets[index]?.add(item)
    }
  }
  return {
    found,
    facets: {
      healthStatus: status.counts().sort((a, b) => HealthStatus.order(a.value, b.value)),
      pipelineName: mostOf(pipeline.counts()),
      jobName: mostOf(job.counts()),
      isQuarantined: quarantine.counts().sort((a, b) => Number(b.value) - Number(a.value))
    }
  }
}

const mostOf = (counts: Array<Count<string>>): ReadonlyArray<Count<string>> =>
  counts.sort((a, b) => b.count - a.count || Text.compare(a.value, b.value)).slice(0, mostNames)
