import { Confidence, HealthStatus, Page, TestFilter, TestList, TestSort } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { rowLists } from "../../src/testing/lists.ts"

const entryOf = (row: TestSort.Row): TestList.Entry => ({
  ...row,
  file: row.executionsCount % 4 === 0 ? null : `${row.executionsCount % 4}.ts`,
  failedCount: Math.round(row.failedExecutionsRatio * row.executionsCount),
  meanDuration: row.executionsCount % 2 === 0 ? null : row.executionsCount / 7,
  firstSeenAt: row.executionsCount % 3,
  lastFailureAt: row.failedExecutionsRatio === 0 ? null : row.executionsCount,
  since: row.executionsCount,
  failuresInARow: row.executionsCount % 5
})

const entries = Arbitrary.map(rowLists(), (rows) => rows.map(entryOf))

const query = (parts: Partial<TestList.Query> = {}): TestList.Query => ({
  ...TestList.everything,
  sort: "attention",
  direction: "desc",
  limit: 3,
  ...parts
})

const find = (list: ReadonlyArray<TestList.Entry>, parts: Partial<TestList.Query> = {}) =>
  TestList.find(list, TestList.columnsOfEntry, query(parts))

describe("TestList", () => {
  it.prop(
    "the pages that follow one another are the sorted list, and know how many come before them",
    [entries, TestList.Sort, TestSort.Direction],
    ([list, sort, direction]) => {
      const { rows: sorted } = find(list, { sort, direction, limit: Infinity })
      const seen: Array<TestList.Entry> = []
      let from: Page.From<TestSort.Position> | null = Page.start
      while (from !== null) {
        const page: TestList.Found<TestList.Entry> = find(list, { sort, direction, from })
        if (page.rows.length > 0) assert.strictEqual(page.offset, seen.length)
        seen.push(...page.rows)
        const next: Page.From<TestSort.Position> | null = Page.next(page, (entry) => TestList.position(entry, sort))
        // What a cursor carries is JSON.
        from = next === null || !("position" in next) ? next : { ...next, position: decoded(next.position) }
      }
      assert.deepStrictEqual(seen, sorted)
      assert.strictEqual(sorted.length, list.length)
    }
  )

  it.prop("one quarantined test is counted and found as several are", [entries], ([list]) => {
    const quarantined = new Set(list.slice(0, 1).map(({ testName }) => testName))
    const count = list.filter(({ testName }) => quarantined.has(testName)).length
    const { total } = find(list, { quarantined, filter: { ...TestList.all, isQuarantined: true } })
    const counted = find(list, { quarantined }).facets.isQuarantined.find(({ value }) => value)?.count ?? 0
    assert.deepStrictEqual([total, counted], [count, count])
  })

  it.prop("a list in no order has the same entries and counts, from the start", [entries], ([list]) => {
    const { rows, ...counted } = find(list, { sort: null, limit: Infinity })
    const { rows: sorted, ...counts } = find(list, { sort: "test_name", limit: Infinity })
    assert.deepStrictEqual(counted, counts)
    assert.sameMembers([...rows], [...sorted])
    const some = find(list, { sort: null, limit: 2 })
    assert.deepStrictEqual([some.rows.length, some.total], [Math.min(2, list.length), list.length])
    assert.strictEqual(some.hasNext, list.length > 2)
  })

  it.prop(
    "a facet counts what the list would hold with that value alone",
    [entries, HealthStatus.HealthStatus],
    ([list, status]) => {
      const quarantined = new Set(list.slice(0, 2).map(({ testName }) => testName))
      const filter = { ...TestList.all, healthStatus: [status] }
      const { facets, total } = find(list, { filter, quarantined })
      const totalWith = (parts: Partial<TestList.Filter>) =>
        find(list, { filter: { ...filter, ...parts }, quarantined }).total
      for (const { count, value } of facets.healthStatus)
        assert.strictEqual(totalWith({ healthStatus: [value] }), count)
      for (const { count, value } of facets.jobName) assert.strictEqual(totalWith({ jobName: [value] }), count)
      for (const { count, value } of facets.isQuarantined)
        assert.strictEqual(totalWith({ isQuarantined: value }), count)
      assert.strictEqual(
        facets.isQuarantined.reduce((sum, { count }) => sum + count, 0),
        total
      )
    }
  )

  it.prop(
    "the list holds what the filter of the search finds, and the facets count nothing else",
    [entries, Confidence.Confidence, HealthStatus.HealthStatus],
    ([list, confidence, status]) => {
      const match = TestFilter.make({
        testName: { include: [`${list[0]?.testName.slice(0, 1) ?? ""}*`], exclude: [list[1]?.testName ?? "x"] },
        healthConfidence: { include: [confidence] }
      })
      const wanted = list.filter(TestFilter.matcher(match))
      const found = find(list, { filter: { ...TestList.all, match, healthStatus: [status] } })
      assert.strictEqual(found.total, wanted.filter(({ healthStatus }) => healthStatus === status).length)
      assert.strictEqual(
        found.facets.healthStatus.reduce((sum, { count }) => sum + count, 0),
        wanted.length
      )
    }
  )

  it.prop(
    "by attention a worse status always comes first, and of one status the test that fails more",
    [entries],
    ([list]) => {
      const { rows } = find(list, { limit: Infinity })
      rows.slice(1).forEach((row, index) => {
        const before = rows[index] ?? row
        const order = HealthStatus.order(before.healthStatus, row.healthStatus)
        assert.isAtLeast(order, 0)
        if (order === 0) assert.isAtLeast(before.failedExecutionsRatio, row.failedExecutionsRatio)
      })
    }
  )
})

const decoded = (position: TestSort.Position): TestSort.Position =>
  Schema.decodeUnknownSync(TestList.positionSchema)(JSON.parse(JSON.stringify(position)))
