import { HealthStatus, Impact, Page, TestIdentity, TestSort, Text } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { rowLists, rows } from "../../src/testing/lists.ts"

const sort = TestSort.SearchSort
const direction = TestSort.Direction

const base: TestSort.Row = {
  testName: "t",
  pipelineName: "p",
  jobName: "j",
  executionsCount: 1,
  healthStatus: "flaky",
  healthConfidence: "low",
  failedExecutionsImpact: "low",
  failedExecutionsRatio: 0.1
}

const named = (...names: ReadonlyArray<string>) => names.map((testName) => ({ ...base, testName }))

const sorted = (list: ReadonlyArray<TestSort.Row>, by: TestSort.SearchSort, to: TestSort.Direction) =>
  list.toSorted(TestSort.order(by, to))

describe("TestSort, order", () => {
  it("names are in code-point order", () => {
    const list = named("\u{1f600}", "\ufffd", "a", "_", "B", "10", "9")
    const expected = ["10", "9", "B", "_", "a", "\ufffd", "\u{1f600}"]
    assert.deepStrictEqual(
      sorted(list, "test_name", "asc").map((row) => row.testName),
      expected
    )
    assert.deepStrictEqual(
      sorted(list, "test_name", "desc").map((row) => row.testName),
      expected.toReversed()
    )
  })

  it("the direction applies to the key only: equal keys are always in ascending identity order", () => {
    const list = named("b", "c", "a")
    for (const to of direction.literals) {
      assert.deepStrictEqual(
        sorted(list, "executions_count", to).map((row) => row.testName),
        ["a", "b", "c"]
      )
    }
  })

  it("no impact comes last in both directions", () => {
    const list = ([null, "high", "low", "medium"] as const).map((impact) => ({
      ...base,
      failedExecutionsImpact: impact
    }))
    const impacts = (to: TestSort.Direction) =>
      sorted(list, "failed_executions_impact", to).map((row) => row.failedExecutionsImpact)
    assert.deepStrictEqual(impacts("asc"), ["low", "medium", "high", null])
    assert.deepStrictEqual(impacts("desc"), ["high", "medium", "low", null])
  })

  it.prop("the order of a sort is by the field that the sort names", [rows, rows, direction], ([a, b, to]) => {
    const sign = to === "asc" ? 1 : -1
    const expected: { readonly [S in TestSort.SearchSort]: number } = {
      executions_count: a.executionsCount - b.executionsCount,
      test_name: Text.compare(a.testName, b.testName),
      pipeline_name: Text.compare(a.pipelineName, b.pipelineName),
      job_name: Text.compare(a.jobName, b.jobName),
      health_status: HealthStatus.order(a.healthStatus, b.healthStatus),
      health_confidence:
        a.healthConfidence === b.healthConfidence
          ? 0
          : a.healthConfidence === "low" || b.healthConfidence === "high"
            ? -1
            : 1,
      failed_executions_impact:
        a.failedExecutionsImpact === null || b.failedExecutionsImpact === null
          ? 0
          : Impact.order(a.failedExecutionsImpact, b.failedExecutionsImpact),
      failed_executions_ratio: a.failedExecutionsRatio - b.failedExecutionsRatio
    }
    for (const by of sort.literals) {
      if (expected[by] !== 0) assert.strictEqual(TestSort.order(by, to)(a, b), Math.sign(expected[by]) * sign)
    }
  })

  it.prop(
    "the order of a sort is total: two identities are never equal",
    [rows, rows, sort, direction],
    ([a, b, by, to]) => {
      const order = TestSort.order(by, to)
      const isSame = TestIdentity.key(a) === TestIdentity.key(b)
      if (!isSame) assert.notStrictEqual(order(a, b), 0)
      assert.strictEqual(order(a, b) + order(b, a), 0)
      assert.strictEqual(order(a, a), 0)
    }
  )

  it.prop("the order of a sort is transitive", [rows, rows, rows, sort, direction], ([a, b, c, by, to]) => {
    const order = TestSort.order(by, to)
    if (order(a, b) < 0 && order(b, c) < 0) assert.strictEqual(order(a, c), -1)
  })

  it("executions are sorted by what they have", () => {
    const executions = { testName: "t", pipelineName: "p", jobName: "j", executionsCount: 3 }
    for (const by of TestSort.ExecutionsSort.literals) {
      assert.strictEqual(TestSort.order(by, "desc")(executions, executions), 0)
      assert.strictEqual(TestSort.position(executions, by).testName, "t")
    }
  })
})

describe("TestSort, position", () => {
  it.prop("a row compares with a position as with its row", [rows, rows, sort, direction], ([a, b, by, to]) => {
    const compared = TestSort.comparePosition(by, to)(a, TestSort.position(b, by))
    assert.strictEqual(compared, TestSort.order(by, to)(a, b))
  })

  it.prop("positions survive JSON and satisfy the schema of their sort", [rows, sort], ([row, by]) => {
    const position = TestSort.position(row, by)
    const read: unknown = JSON.parse(JSON.stringify(position))
    assert.deepStrictEqual(Schema.decodeUnknownSync(TestSort.positionSchema(by))(read), position)
  })

  it("the position of another sort is refused", () => {
    const refused = (key: unknown, by: TestSort.SearchSort) =>
      !Schema.is(TestSort.positionSchema(by))({ ...TestSort.position(base, by), key })
    assert.isTrue(refused("7", "executions_count"))
    assert.isTrue(refused(0.5, "executions_count"))
    assert.isTrue(refused(7, "test_name"))
    assert.isTrue(refused(3, "health_status"))
    assert.isTrue(refused(null, "health_confidence"))
    assert.isTrue(refused(1.5, "failed_executions_ratio"))
    assert.isFalse(refused(null, "failed_executions_impact"))
  })
})

describe("TestSort, pages", () => {
  const walk = (list: ReadonlyArray<TestSort.Row>, by: TestSort.SearchSort, to: TestSort.Direction, limit: number) => {
    const seen: Array<ReadonlyArray<TestSort.Row>> = []
    let from: Page.From<TestSort.Position> | null = Page.start
    while (from !== null) {
      const page: Page.Page<TestSort.Row> = TestSort.page(list, { sort: by, direction: to, from, limit })
      seen.push(page.rows)
      from = Page.next(page, (row) => TestSort.position(row, by))
    }
    return seen.flat()
  }

  it.prop("followed to the end they are the sorted list", [rowLists(), sort, direction], ([list, by, to]) => {
    for (const limit of [1, 2, 7]) assert.deepStrictEqual(walk(list, by, to, limit), sorted(list, by, to))
  })

  it.prop(
    "pages of a sort hold every row once, also when names are longer than a position keeps",
    [rowLists(8), sort, direction],
    ([list, by, to]) => {
      const start = "\u{1f600}x".repeat(150)
      const long = list.flatMap((row) => [
        row,
        { ...row, testName: start + row.testName, jobName: start + row.jobName }
      ])
      assert.deepStrictEqual(walk(long, by, to, 1), sorted(long, by, to))
    }
  )

  it("the position of longest names fits into a header", () => {
    const name = "\u{1f600}".repeat(10_000)
    const position = TestSort.position({ ...base, testName: name, pipelineName: name, jobName: name }, "test_name")
    assert.isBelow(new TextEncoder().encode(JSON.stringify(position)).length, 4096)
  })
})
