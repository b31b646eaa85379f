/** The oracle on search, repository statistics and pages (5). */
import { NameMark, type Page, type TestFilter, type TestSort } from "@lazaret/domain"
import type { ActiveIdentity, RepositoryCount, TestQuery } from "@lazaret/store"
import { compareIdentities, compareText, DAY, type Facts } from "./Facts.ts"
import { policyOf, recentOf, recentWindow, rollupOf, stateOf, type Subject, subjectsOf } from "./Identities.ts"

/** Those with executions in the last 30 days, as search shows them. */
const rowsOf = (facts: Facts, now: number): ReadonlyArray<{ readonly subject: Subject; readonly row: TestSort.Row }> =>
  subjectsOf(facts)
    .filter((subject) => recentOf(subject, now).executions > 0)
    .map((subject) => ({ subject, row: rowOf(subject, now) }))

const rowOf = (subject: Subject, now: number): TestSort.Row => {
  const { policy } = subject
  const { executions, failed, passed, reruns } = recentOf(subject, now)
  const { status } = stateOf(subject)
  const ratio = passed + failed === 0 ? 0 : failed / (passed + failed)
  return {
    ...subject.identity,
    executionsCount: executions,
    healthStatus: status,
    healthConfidence: reruns >= policy.confidenceHigh ? "high" : reruns >= policy.confidenceMedium ? "medium" : "low",
    failedExecutionsImpact:
      status === "healthy"
        ? null
        : ratio >= policy.impactHigh
          ? "high"
          : ratio >= policy.impactMedium
            ? "medium"
            : "low",
    failedExecutionsRatio: ratio
  }
}

/** Whether a pattern matches a whole name: `*` any characters, `?` one character, the rest literally. */
export const isMatch = (pattern: string, name: string): boolean => {
  const [first, ...rest] = Array.from(pattern)
  const characters = Array.from(name)
  if (first === undefined) return name === ""
  const remaining = rest.join("")
  if (first === "*")
    return characters.some((_, index) => isMatch(remaining, characters.slice(index).join(""))) || isMatch(remaining, "")
  return (
    characters.length > 0 &&
    (first === "?" || first === characters[0]) &&
    isMatch(remaining, characters.slice(1).join(""))
  )
}

const passes = <A>(clause: TestFilter.Clause<A>, isValue: (value: A) => boolean): boolean =>
  (clause.include.length === 0 || clause.include.some(isValue)) && !clause.exclude.some(isValue)

const isWanted = (filter: TestFilter.TestFilter, row: TestSort.Row): boolean =>
  passes(filter.testName, (pattern) => isMatch(pattern, row.testName)) &&
  passes(filter.pipelineName, (pattern) => isMatch(pattern, row.pipelineName)) &&
  passes(filter.jobName, (pattern) => isMatch(pattern, row.jobName)) &&
  passes(filter.healthStatus, (status) => status === row.healthStatus) &&
  passes(filter.healthConfidence, (confidence) => confidence === row.healthConfidence) &&
  passes(filter.failedExecutionsImpact, (impact) => impact === row.failedExecutionsImpact)

const statuses = ["healthy", "flaky", "broken"]
const levels = ["low", "medium", "high"]

const keyOf = (row: TestSort.Row, sort: TestSort.SearchSort): string | number | null => {
  switch (sort) {
    case "executions_count":
      return row.executionsCount
    case "test_name":
      return row.testName
    case "pipeline_name":
      return row.pipelineName
    case "job_name":
      return row.jobName
    case "health_status":
      return statuses.indexOf(row.healthStatus)
    case "health_confidence":
      return levels.indexOf(row.healthConfidence)
    case "failed_executions_impact":
      return row.failedExecutionsImpact === null ? null : levels.indexOf(row.failedExecutionsImpact)
    case "failed_executions_ratio":
      return row.failedExecutionsRatio
  }
}

const compareKeys = (a: string | number | null, b: string | number | null, direction: TestSort.Direction): number => {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  const ascending = typeof a === "number" ? a - Number(b) : compareText(a, String(b))
  return direction === "asc" ? ascending : -ascending
}

/** A position holds what its row is sorted by; a long name is cut there, and found again among the names. */
const comparePosition = (
  row: TestSort.Row,
  place: TestSort.Position,
  query: TestQuery,
  names: ReadonlyArray<string>
): number => {
  const whole = (mark: NameMark.NameMark): string =>
    typeof mark === "string" ? mark : (names.find((name) => isCutFrom(mark, name)) ?? mark.prefix)
  const identity = {
    testName: whole(place.testName),
    pipelineName: whole(place.pipelineName),
    jobName: whole(place.jobName)
  }
  const key = typeof place.key === "object" && place.key !== null ? whole(place.key) : place.key
  return compareKeys(keyOf(row, query.sort), key, query.direction) || compareIdentities(row, identity)
}

const isCutFrom = (cut: NameMark.Cut, name: string): boolean => {
  const mark = NameMark.of(name)
  return typeof mark === "object" && mark.digest === cut.digest
}

export const pageOf = (facts: Facts, query: TestQuery): Page.Page<TestSort.Row> => {
  const sorted = rowsOf(facts, query.now)
    .map(({ row }) => row)
    .filter((row) => isWanted(query.filter, row))
    .toSorted(
      (a, b) => compareKeys(keyOf(a, query.sort), keyOf(b, query.sort), query.direction) || compareIdentities(a, b)
    )
  const names = sorted.flatMap((row) => [row.testName, row.pipelineName, row.jobName])
  return cut(sorted, query.from, query.limit, (row, place) => comparePosition(row, place, query, names))
}

/** One page of a sorted list. */
export const cut = <A, P>(
  sorted: ReadonlyArray<A>,
  from: Page.From<P>,
  limit: number,
  compare: (row: A, position: P) => number
): Page.Page<A> => {
  const [first, last] = boundsOf(sorted, from, limit, compare)
  return {
    rows: sorted.slice(first, last),
    hasPrevious: first > 0,
    hasNext: last < sorted.length,
    total: sorted.length
  }
}

const boundsOf = <A, P>(
  sorted: ReadonlyArray<A>,
  from: Page.From<P>,
  limit: number,
  compare: (row: A, position: P) => number
): readonly [number, number] => {
  switch (from._tag) {
    case "Start":
      return [0, Math.min(limit, sorted.length)]
    case "After": {
      const first = sorted.filter((row) => compare(row, from.position) <= 0).length
      return [first, Math.min(first + limit, sorted.length)]
    }
    case "Before": {
      const last = sorted.filter((row) => compare(row, from.position) < 0).length
      return [Math.max(0, last - limit), last]
    }
    case "End": {
      const pages = Math.max(1, Math.ceil(sorted.length / limit))
      return [limit === Infinity ? 0 : (pages - 1) * limit, sorted.length]
    }
  }
}

export const activeOf = (facts: Facts, now: number): ReadonlyArray<ActiveIdentity> =>
  rowsOf(facts, now).map(({ row, subject }) => {
    const { durationUs, failed, passed } = recentOf(subject, now)
    return { testName: row.testName, healthStatus: row.healthStatus, concluded: passed + failed, durationUs }
  })

export const countOf = (
  facts: Facts,
  query: { readonly filter: TestFilter.TestFilter; readonly status: string | null; readonly now: number }
): RepositoryCount => {
  const counted = rowsOf(facts, query.now)
    .filter(({ row }) => isWanted(query.filter, row))
    .filter(({ row }) => query.status === null || row.healthStatus === query.status)
  const { end, start } = recentWindow(query.now, policyOf(facts))
  const days = Array.from({ length: (end - start) / DAY }, (_, index) => start + index * DAY)
  return {
    tests: counted.length,
    failedPerDay: days.map((day) =>
      counted.reduce((total, { subject }) => total + rollupOf(subject, day, day + DAY).failed, 0)
    )
  }
}
