import { assert, describe, it } from "@effect/vitest"
import {
  Confidence,
  HealthStatus,
  Impact,
  NameMark,
  Page,
  TestFilter,
  TestIdentity,
  TestSort,
  Text
} from "@lazaret/domain"
import * as fc from "fast-check"
import * as Catalog from "../../src/readmodel/Catalog.ts"
import * as Figures from "../../src/readmodel/Figures.ts"
import * as Search from "../../src/readmodel/Search.ts"

const long = "n".repeat(NameMark.wholeLength)

const names = fc.constantFrom(
  "a",
  "A",
  "ab",
  "b_%",
  "\u{1f600}",
  "\uffff",
  "e\u0301",
  `${long}a`,
  `${long}b`,
  `${long}c`
)

const rows = fc
  .array(
    fc.record({
      testName: names,
      pipelineName: fc.constantFrom("CI", "ci", `${long}p`),
      jobName: fc.constantFrom("unit", "e2e"),
      executionsCount: fc.nat(3),
      healthStatus: fc.constantFrom(...HealthStatus.HealthStatus.literals),
      healthConfidence: fc.constantFrom(...Confidence.Confidence.literals),
      failedExecutionsImpact: fc.option(fc.constantFrom(...Impact.Impact.literals)),
      failedExecutionsRatio: fc.constantFrom(0, 0.25, 1 / 3, 1)
    })
  )
  .map((list): Array<TestSort.Row> => [...new Map(list.map((row) => [TestIdentity.key(row), row])).values()])

const patterns = fc.array(fc.constantFrom("a*", "*", "?", "A", "*b", "n*", "CI", "?i", "unit", "*2*"), { maxLength: 2 })

const clause = <A>(values: fc.Arbitrary<ReadonlyArray<A>>) => fc.record({ include: values, exclude: values })

const some = <A>(values: ReadonlyArray<A>) => fc.subarray([...values], { maxLength: 2 })

const filters: fc.Arbitrary<TestFilter.TestFilter> = fc.record({
  testName: clause(patterns),
  pipelineName: clause(patterns),
  jobName: clause(patterns),
  healthStatus: clause(some(HealthStatus.HealthStatus.literals)),
  healthConfidence: clause(some(Confidence.Confidence.literals)),
  failedExecutionsImpact: clause(some(Impact.Impact.literals))
})

const requests = fc.record({
  sort: fc.constantFrom(...TestSort.SearchSort.literals),
  direction: fc.constantFrom("asc" as const, "desc" as const),
  limit: fc.integer({ min: 1, max: 4 }),
  place: fc.constantFrom("Start" as const, "After" as const, "Before" as const, "End" as const)
})

/** Columns that grew in two steps, as they do when tests are added to a repository. */
const columnsOf = (all: ReadonlyArray<TestSort.Row>, cut: number): Search.Columns => {
  const jobNos = new Map<string, number>()
  const jobs: Array<Catalog.CatalogJob> = []
  const tests = all.map((row, testNo): Catalog.CatalogTest => {
    const key = `${row.pipelineName} ${row.jobName}`
    const jobNo = jobNos.get(key) ?? jobs.push({ ...row, jobNo: jobNos.size }) - 1
    jobNos.set(key, jobNo)
    return { test_no: testNo, job_no: jobNo, test_name: row.testName }
  })
  const isFirst = ({ test_no }: Catalog.CatalogTest): boolean => test_no < cut
  const step = (catalog: Catalog.Catalog, added: ReadonlyArray<Catalog.CatalogTest>) => {
    const known = catalog.jobs.length
    const newJobs = jobs.filter(({ jobNo }) => jobNo >= known && added.some((test) => test.job_no === jobNo))
    return Catalog.extend(
      catalog,
      added.toSorted((a, b) => Text.compare(a.test_name, b.test_name)),
      newJobs
    )
  }
  const catalog = step(
    step(Catalog.empty, tests.filter(isFirst)),
    tests.filter((test) => !isFirst(test))
  )
  const figures = Figures.make(all.length)
  all.forEach((row, testNo) => {
    figures.executions[testNo] = row.executionsCount
    figures.ratio[testNo] = row.failedExecutionsRatio
    figures.status[testNo] = HealthStatus.rank(row.healthStatus)
    figures.confidence[testNo] = Confidence.rank(row.healthConfidence)
    figures.impact[testNo] =
      row.failedExecutionsImpact === null ? Figures.noImpact : Impact.rank(row.failedExecutionsImpact)
    const { confidence, impact, status } = figures
    figures.verdict[testNo] =
      row.executionsCount > 0
        ? Figures.verdictOf(status[testNo] ?? 0, confidence[testNo] ?? 0, impact[testNo] ?? 0)
        : Figures.noVerdict
  })
  return { catalog, figures, some: new Map() }
}

const active = (all: ReadonlyArray<TestSort.Row>): ReadonlyArray<TestSort.Row> =>
  all.filter((row) => row.executionsCount > 0)

describe("Search", () => {
  it("the columns find what the filter of the domain finds", () => {
    fc.assert(
      fc.property(rows, filters, fc.nat(20), (all, filter, cut) => {
        const columns = columnsOf(all, cut)
        const matcher = new Search.Matcher()
        const found = Array.from(matcher.matching(columns, filter), Search.rowOf(columns))
        assert.deepStrictEqual(found, active(all).filter(TestFilter.matcher(filter)))
        // The second search finds the matching names in memory.
        assert.deepStrictEqual(Array.from(matcher.matching(columns, filter), Search.rowOf(columns)), found)
      })
    )
  })

  it("Search counts the tests of each status, and keeps those of one with their executions", () => {
    const statuses = fc.constantFrom(null, ...HealthStatus.HealthStatus.literals)
    fc.assert(
      fc.property(rows, filters, statuses, (all, filter, status) => {
        const columns = columnsOf(all, 3)
        columns.figures.concluded.set(all.map((row) => row.executionsCount))
        const { byStatus, concluded, tests } = Search.count(
          columns,
          new Search.Matcher().matching(columns, filter),
          status
        )
        const found = active(all).filter(TestFilter.matcher(filter))
        const ofStatus = (each: HealthStatus.HealthStatus) => found.filter((row) => row.healthStatus === each)
        const wanted = status === null ? found : ofStatus(status)
        const sums = {
          healthy: ofStatus("healthy").length,
          flaky: ofStatus("flaky").length,
          broken: ofStatus("broken").length
        }
        assert.deepStrictEqual(byStatus, sums)
        assert.deepStrictEqual(Array.from(tests, Search.rowOf(columns)), wanted)
        assert.strictEqual(
          concluded,
          wanted.reduce((sum, row) => sum + row.executionsCount, 0)
        )
      })
    )
  })

  it("Search pages like the domain, also from positions of removed rows", () => {
    fc.assert(
      fc.property(rows, requests, fc.nat(), fc.boolean(), (all, { place, ...request }, pick, isGone) => {
        const { sort } = request
        const at = active(all)[pick % Math.max(1, active(all).length)]
        const left = isGone ? all.filter((row) => row !== at) : all
        const columns = columnsOf(left, 3)
        const position = at === undefined ? null : TestSort.position(at, sort)
        const from: Page.From<TestSort.Position> =
          place === "End" ? Page.end : place === "Start" || position === null ? Page.start : { _tag: place, position }
        const page = Search.page(columns, new Search.Matcher().matching(columns, TestFilter.all), { ...request, from })
        assert.deepStrictEqual(page, TestSort.page(active(left), { ...request, from }))
      }),
      { numRuns: 300 }
    )
  })
})
