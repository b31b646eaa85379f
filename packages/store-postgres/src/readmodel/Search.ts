/**
 * Search in columns: the matching tests, and one page of them.
 *
 * Equivalent to `TestFilter.matcher` and `TestSort.page`, on numbers instead of texts.
 */
import { type HealthStatus, NameMark, Page, TestFilter, type TestList, TestSort } from "@lazaret/domain"
import { RecentlyUsed } from "../repository/RecentlyUsed.ts"
import * as Catalog from "./Catalog.ts"
import * as Figures from "./Figures.ts"
import * as Files from "./Files.ts"
import type * as Moments from "./Moments.ts"

/** The tests of a repository with their figures. */
export interface Columns {
  readonly catalog: Catalog.Catalog
  readonly figures: Figures.Figures
  /** The names of some tests, before the catalog has names. */
  readonly some: ReadonlyMap<number, string>
}

/**
 * Finds tests by filter, in buffers that are reused by every search.
 *
 * **Gotchas**
 *
 * The result of `matching` is valid until the next call.
 */
export class Matcher {
  /** Reused, because a new list per search would cause most of the garbage when most tests match. */
  private found = new Int32Array(0)
  /** Caches the matching names of recent filters, because users page through and re-sort the same result. */
  private readonly names = new RecentlyUsed<string, Uint8Array>(mostClauses, () => 1)
  private catalog = Catalog.empty

  /**
   * The numbers of the tests that have executions and pass a filter.
   *
   * **Details**
   *
   * Every test is checked in three steps without a conditional branch, because the processor would mispredict it for
   * about every second test.
   */
  matching({ catalog, figures }: Columns, filter: TestFilter.TestFilter): Int32Array {
    const { jobOf, nameOf } = catalog
    const verdict = allowedVerdicts(filter)
    const job = allowedJobs(catalog, filter)
    const name = this.allowedNames(catalog, filter.testName)
    if (this.found.length < catalog.size) this.found = new Int32Array(Math.ceil(catalog.size * 1.2))
    const { found } = this
    let count = 0
    for (let testNo = 0; testNo < catalog.size; testNo++) {
      found[count] = testNo
      count +=
        (verdict[figures.verdict[testNo] ?? 0] ?? 0) &
        (job[jobOf[testNo] ?? 0] ?? 0) &
        (name === null ? 1 : (name[nameOf[testNo] ?? 0] ?? 0))
    }
    return found.subarray(0, count)
  }

  /** 1 at the index of each name that passes; null when all names pass. */
  private allowedNames(catalog: Catalog.Catalog, clause: TestFilter.Clause<string>): Uint8Array | null {
    if (clause.include.length === 0 && clause.exclude.length === 0) return null
    if (this.catalog !== catalog) this.names.clear()
    this.catalog = catalog
    return this.names.get(JSON.stringify([clause.include, clause.exclude]), () => matchNames(catalog.names, clause))
  }
}

const mostClauses = 8

/** Tests of one status (null: of each), with the number of tests of each status and their executions that passed or failed. */
export interface Count {
  readonly tests: Int32Array
  readonly byStatus: { readonly [S in HealthStatus.HealthStatus]: number }
  readonly concluded: number
}

/**
 * Counts tests by status, and keeps those of one status.
 *
 * **Details**
 *
 * It is asked with every question for statistics, of all tests of a repository: one loop over columns, which takes a tenth of the time
 * of `reduce` and of counters by name. The kept tests are moved to the front of `all`, which is used up by that.
 */
export const count = ({ figures }: Columns, all: Int32Array, status: HealthStatus.HealthStatus | null): Count => {
  const perStatus = new Int32Array(Figures.statuses.length)
  const wanted = status === null ? null : Figures.statuses.indexOf(status)
  let kept = 0
  let concluded = 0
  for (let index = 0; index < all.length; index++) {
    const test = all[index] ?? 0
    const code = figures.status[test] ?? 0
    perStatus[code] = (perStatus[code] ?? 0) + 1
    if (wanted !== null && code !== wanted) continue
    all[kept++] = test
    concluded += figures.concluded[test] ?? 0
  }
  const countOf = (each: HealthStatus.HealthStatus) => perStatus[Figures.statuses.indexOf(each)] ?? 0
  const byStatus = { healthy: countOf("healthy"), flaky: countOf("flaky"), broken: countOf("broken") }
  return { tests: all.subarray(0, kept), byStatus, concluded }
}

/** One page of tests in the order of a sort. */
export const page = (
  columns: Columns,
  tests: Int32Array,
  request: TestSort.Request<TestSort.SearchSort>
): Page.Page<TestSort.Row> => {
  const { direction, from, limit, sort } = request
  const place = "position" in from ? placeOf(columns, from.position, sort) : null
  // A truncated name in a cursor is compared with the rows themselves.
  if ("position" in from && place === null) return TestSort.page(Array.from(tests, rowOf(columns)), request)
  const key = keyOf(columns, sort, direction)
  const sign = direction === "asc" ? 1 : -1
  const found = Page.select<number, Place>(tests, {
    order: (a, b) => ordering(sign * (key(a) - key(b)) || identity(columns, a) - identity(columns, b)),
    comparePosition: (test, other) =>
      sign * (key(test) - (other.key ?? last(direction))) ||
      nameOf(columns, test) - other.name ||
      jobOf(columns, test) - other.job,
    from: place === null || !("position" in from) ? withoutPosition(from) : { ...from, position: place },
    limit
  })
  return { ...found, rows: found.rows.map(rowOf(columns)) }
}

/** The row of a test. */
export const rowOf = (columns: Columns): ((testNo: number) => TestSort.Row) => {
  const read = fieldsOf(columns)
  return (testNo) => ({
    testName: read.testName(testNo),
    pipelineName: read.pipelineName(testNo),
    jobName: read.jobName(testNo),
    executionsCount: read.executionsCount(testNo),
    healthStatus: read.healthStatus(testNo),
    healthConfidence: read.healthConfidence(testNo),
    failedExecutionsImpact: read.failedExecutionsImpact(testNo),
    failedExecutionsRatio: read.failedExecutionsRatio(testNo)
  })
}

/** Reads the fields of a list (`TestList`) by the number of a test. */
export const columnsOf = (
  columns: Columns & { readonly moments: Moments.Moments; readonly files: Files.Files }
): TestList.Columns<number> => {
  const { figures, files, moments } = columns
  return {
    ...fieldsOf(columns),
    file: (testNo) => Files.pathOf(files, testNo),
    failedCount: (testNo) => figures.failed[testNo] ?? 0,
    meanDuration: (testNo) => {
      const durationUs = figures.durationUs[testNo] ?? 0
      return durationUs === 0 ? null : durationUs / (figures.concluded[testNo] ?? 0) / 1_000_000
    },
    firstSeenAt: (testNo) => instant(moments.firstSeenAt, testNo),
    lastFailureAt: (testNo) => instant(moments.lastFailureAt, testNo),
    since: (testNo) => instant(moments.since, testNo),
    failuresInARow: (testNo) => instant(moments.row, testNo) ?? 0
  }
}

const instant = (column: Float64Array, testNo: number): number | null => {
  const at = column[testNo] ?? Number.NaN
  return Number.isNaN(at) ? null : at
}

const fieldsOf = ({
  catalog,
  figures,
  some
}: Columns): { readonly [F in keyof TestSort.Row]: (testNo: number) => TestSort.Row[F] } => {
  const job = (testNo: number) => catalog.jobs[catalog.jobOf[testNo] ?? -1]
  return {
    testName: (testNo) => catalog.names[catalog.nameOf[testNo] ?? -1] ?? some.get(testNo) ?? "",
    pipelineName: (testNo) => job(testNo)?.pipelineName ?? "",
    jobName: (testNo) => job(testNo)?.jobName ?? "",
    executionsCount: (testNo) => figures.executions[testNo] ?? 0,
    healthStatus: (testNo) => Figures.statuses[figures.status[testNo] ?? 0] ?? "healthy",
    healthConfidence: (testNo) => Figures.confidences[figures.confidence[testNo] ?? 0] ?? "low",
    failedExecutionsImpact: (testNo) => Figures.impacts[figures.impact[testNo] ?? Figures.noImpact] ?? null,
    failedExecutionsRatio: (testNo) => figures.ratio[testNo] ?? 0
  }
}

/** 1 for each verdict (`Figures.verdictOf`) that passes. */
const allowedVerdicts = (filter: TestFilter.TestFilter): Uint8Array => {
  const hasStatus = TestFilter.valueMatcher(filter.healthStatus)
  const hasConfidence = TestFilter.valueMatcher(filter.healthConfidence)
  const hasImpact = TestFilter.valueMatcher(filter.failedExecutionsImpact)
  const isAllowed = new Uint8Array(Figures.verdicts)
  Figures.statuses.forEach((status, ofStatus) => {
    if (!hasStatus(status)) return
    Figures.confidences.forEach((confidence, ofConfidence) => {
      if (!hasConfidence(confidence)) return
      ;[...Figures.impacts, null].forEach((impact, ofImpact) => {
        if (hasImpact(impact)) isAllowed[Figures.verdictOf(ofStatus, ofConfidence, ofImpact)] = 1
      })
    })
  })
  return isAllowed
}

const allowedJobs = (catalog: Catalog.Catalog, filter: TestFilter.TestFilter): Uint8Array => {
  const pipeline = TestFilter.nameMatcher(filter.pipelineName)
  const name = TestFilter.nameMatcher(filter.jobName)
  return Uint8Array.from(catalog.jobs, (job) =>
    job !== undefined && pipeline(job.pipelineName) && name(job.jobName) ? 1 : 0
  )
}

/** Each distinct name once, in the order in which they lie in memory. */
const matchNames = (names: ReadonlyArray<string>, clause: TestFilter.Clause<string>): Uint8Array => {
  const matches = TestFilter.nameMatcher(clause)
  const isAllowed = new Uint8Array(names.length)
  for (let place = 0; place < names.length; place++) {
    if (matches(names[place] ?? "")) isAllowed[place] = 1
  }
  return isAllowed
}

/** A cursor position as numbers. */
interface Place {
  readonly key: number | null
  readonly name: number
  readonly job: number
}

/** The indexes of a position; null when it holds a truncated name. */
const placeOf = (
  { catalog }: Columns,
  { jobName, key, pipelineName, testName }: TestSort.Position,
  sort: TestSort.SearchSort
): Place | null => {
  if ([testName, pipelineName, jobName].some(NameMark.isCut)) return null
  const number = typeof key === "string" ? Catalog.placeOf(namesOf(catalog, sort), key) : key
  if (typeof number === "object" && number !== null) return null
  return {
    key: number,
    name: Catalog.placeOf(catalog.names, whole(testName)),
    job: Catalog.jobPlaceOf(catalog, whole(pipelineName), whole(jobName))
  }
}

const whole = (mark: NameMark.NameMark): string => (NameMark.isCut(mark) ? mark.prefix : mark)

const namesOf = (catalog: Catalog.Catalog, sort: TestSort.SearchSort): ReadonlyArray<string> =>
  sort === "pipeline_name" ? catalog.pipelines : sort === "job_name" ? catalog.jobNames : catalog.names

/** No impact comes last in both directions. */
const last = (direction: TestSort.Direction): number => (direction === "asc" ? 1 : -1) * Figures.noImpact

const keyOf = (
  { catalog, figures }: Columns,
  sort: TestSort.SearchSort,
  direction: TestSort.Direction
): ((testNo: number) => number) => {
  switch (sort) {
    case "executions_count":
      return (testNo) => figures.executions[testNo] ?? 0
    case "test_name":
      return (testNo) => catalog.nameOf[testNo] ?? -1
    case "pipeline_name":
      return (testNo) => catalog.pipelineOf[catalog.jobOf[testNo] ?? -1] ?? -1
    case "job_name":
      return (testNo) => catalog.jobNameOf[catalog.jobOf[testNo] ?? -1] ?? -1
    case "health_status":
      return (testNo) => figures.status[testNo] ?? 0
    case "health_confidence":
      return (testNo) => figures.confidence[testNo] ?? 0
    case "failed_executions_impact":
      return (testNo) => {
        const impact = figures.impact[testNo] ?? Figures.noImpact
        return impact === Figures.noImpact ? last(direction) : impact
      }
    case "failed_executions_ratio":
      return (testNo) => figures.ratio[testNo] ?? 0
  }
}

const nameOf = ({ catalog }: Columns, testNo: number): number => catalog.nameOf[testNo] ?? -1

const jobOf = ({ catalog }: Columns, testNo: number): number => catalog.jobOrder[catalog.jobOf[testNo] ?? -1] ?? -1

/** Test name, pipeline and job as one number. */
const identity = (columns: Columns, testNo: number): number =>
  nameOf(columns, testNo) * columns.catalog.sortedJobs.length + jobOf(columns, testNo)

const ordering = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0)

const withoutPosition = <P>(from: Page.From<P>): Page.From<never> => (from._tag === "End" ? Page.end : Page.start)
