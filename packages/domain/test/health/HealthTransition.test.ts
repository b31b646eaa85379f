import { type Execution, Health, HealthPolicy, HealthSeries, HealthTransition, Instant } from "@lazaret/domain"
import { histories } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"

const policy = HealthPolicy.defaults
const origin = Date.UTC(2026, 0, 1)

const run = (hour: number, commit: string, conclusion: Execution.Conclusion): Execution.Observation => ({
  id: `h${hour}`,
  at: origin + hour * Instant.hour,
  commit,
  conclusion,
  flaky: false,
  reruns: 0,
  excused: false
})

const series = (history: Iterable<Execution.Observation>) =>
  HealthSeries.changes(Health.initial, history, policy, (id) => `error of ${id}`)

const window = (from: number, to: number) => ({
  start: origin + from * Instant.hour,
  end: origin + to * Instant.hour
})

const edges = (history: Iterable<Execution.Observation>, from: number, to: number) =>
  HealthTransition.edges(series(history), window(from, to), Instant.hour).map((edge) => [
    (edge.at - origin) / Instant.hour,
    edge.status,
    edge.exceptionType
  ])

const verdictBefore = (changes: ReadonlyArray<HealthSeries.Change>, instant: Instant.Instant) =>
  changes.findLast(({ trigger }) => trigger.at < instant)?.status ?? null

describe("HealthTransition", () => {
  const history = [
    run(1, "a", "passed"),
    run(5, "b", "failed"),
    run(6, "b", "failed"),
    run(8, "b", "passed"),
    run(20, "c", "passed")
  ]

  it("an edge stands at the start of its bucket and names the first failure of the episode that it opens", () => {
    assert.deepStrictEqual(edges(history, 0, 24), [
      [1, "healthy", null],
      [5, "broken", "error of h5"],
      [8, "flaky", "error of h5"]
    ])
  })

  it("a first edge that reports a test already unhealthy names no exception", () => {
    assert.deepStrictEqual(edges(history, 7, 24), [
      [7, "broken", null],
      [8, "flaky", "error of h5"]
    ])
  })

  it("a window after the last execution shows the verdict that still holds", () => {
    assert.deepStrictEqual(edges(history, 100, 124), [[100, "flaky", null]])
  })

  it("a window before the first execution is empty", () => {
    assert.deepStrictEqual(edges(history, -24, 0), [])
  })

  it("a test that starts with a failure opens with its exception", () => {
    assert.deepStrictEqual(edges([run(3, "a", "failed")], 0, 24), [[3, "broken", "error of h3"]])
  })

  it("a first edge of a test that was unhealthy before the window names no exception, even if its verdict changed", () => {
    const early = [run(1, "a", "passed"), run(5, "b", "failed"), run(25, "b", "passed")]
    assert.deepStrictEqual(edges(early, 24, 48)[0], [24, "broken", null])
    const changes = HealthTransition.edges(series(early), window(24, 48), Instant.day)
    assert.deepStrictEqual(
      changes.map((edge) => [edge.status, edge.exceptionType]),
      [["flaky", null]]
    )
  })

  it("the last bucket is sampled at the end of the window, and the first point is dated to the start of its bucket", () => {
    const days = (from: number, to: number) =>
      HealthTransition.edges(series(history), window(from, to), Instant.day).map((edge) => [
        (edge.at - origin) / Instant.hour,
        edge.status,
        edge.exceptionType
      ])
    assert.deepStrictEqual(days(2, 5), [[0, "healthy", null]])
    assert.deepStrictEqual(days(2, 6), [[0, "broken", "error of h5"]])
    assert.deepStrictEqual(days(5, 6), [[0, "broken", "error of h5"]])
    assert.deepStrictEqual(days(5.5, 6), [[0, "broken", null]])
  })

  it("a first point whose first failure is older than the window names no exception, though the test was healthy", () => {
    const recovered = [run(1, "a", "failed"), run(2, "b", "passed"), run(3, "c", "passed"), run(4, "d", "passed")]
    const late = [...recovered, run(30, "a", "passed")]
    const edgesOf = (from: number) =>
      HealthTransition.edges(series(late), window(from, 48), 2 * Instant.day).map((edge) => [
        edge.status,
        edge.exceptionType
      ])
    assert.deepStrictEqual(edgesOf(5), [["flaky", null]])
    assert.deepStrictEqual(edgesOf(1), [["flaky", "error of h1"]])
  })

  it("a test that recovered and failed again within one bucket opens with the new failure", () => {
    const again = [1, 25, 26, 27].map((hour) => run(hour, `c${hour}`, hour === 1 ? "failed" : "passed"))
    const changes = HealthTransition.edges(series([...again, run(28, "e", "failed")]), window(0, 48), Instant.day)
    assert.deepStrictEqual(
      changes.map((edge) => [edge.status, edge.exceptionType]),
      [
        ["broken", "error of h1"],
        ["flaky", "error of h28"]
      ]
    )
  })

  it("a recovery names no exception", () => {
    const recovery = [run(1, "a", "failed"), run(2, "b", "passed"), run(3, "c", "passed"), run(4, "d", "passed")]
    assert.deepStrictEqual(edges(recovery, 0, 24), [
      [1, "broken", "error of h1"],
      [4, "healthy", null]
    ])
  })

  it.prop(
    "the last edge before the end of a bucket is its verdict, and consecutive edges differ",
    [histories()],
    ([generated]) => {
      const changes = series(generated)
      const first = Math.floor((generated[0]?.at ?? origin) / Instant.day) * Instant.day
      for (const start of [first - Instant.day, first + 3 * Instant.day]) {
        const found = HealthTransition.edges(changes, { start, end: start + 40 * Instant.day }, Instant.day)
        for (let end = start + Instant.day; end <= start + 40 * Instant.day; end += Instant.day) {
          const edge = found.findLast(({ at }) => at < end)
          assert.strictEqual(edge?.status ?? null, verdictBefore(changes, end))
        }
        assert.isTrue(found.every((edge, index) => edge.status !== found[index + 1]?.status))
      }
    }
  )

  it.prop("a series has the verdict of every execution before an instant", [histories()], ([generated]) => {
    const changes = series(generated)
    for (let end = origin; end < origin + 20 * Instant.day; end += Instant.day) {
      const before = generated.filter((execution) => execution.at < end)
      const expected = before.length === 0 ? null : Health.fold(Health.initial, before, policy).status
      assert.strictEqual(verdictBefore(changes, end), expected)
    }
  })
})

describe("HealthSeries.advance", () => {
  it("an open episode keeps its exception when its execution is gone, and a later one has its own", () => {
    const error = (name: string) => (id: string) => `${name} of ${id}`
    const base = HealthSeries.advance(null, [run(1, "a", "passed"), run(2, "b", "failed")], policy, error("kept"))
    const exceptionAfter = (...history: ReadonlyArray<Execution.Observation>) =>
      HealthSeries.advance(base, history, policy, error("later"))?.exceptionType
    assert.strictEqual(exceptionAfter(run(3, "c", "failed")), "kept of h2")
    const passes = ["d", "e", "f"].map((commit, index) => run(4 + index, commit, "passed"))
    assert.strictEqual(exceptionAfter(...passes, run(2000, "g", "failed")), "later of h2000")
    assert.strictEqual(
      HealthSeries.advance(null, [run(2, "b", "failed")], policy, error("first"))?.exceptionType,
      "first of h2"
    )
  })
})

describe("HealthSeries.worst", () => {
  it("the worst identity rules, and leaves the next worse when it recovers", () => {
    const broken = [run(1, "a", "failed"), run(10, "b", "passed"), run(11, "c", "passed"), run(12, "d", "passed")]
    const flaky = [run(3, "a", "passed"), run(4, "a", "failed")].map((e) => ({ ...e, id: `other ${e.id}` }))
    const merged = HealthSeries.worst([series(broken), series(flaky)])
    assert.deepStrictEqual(
      merged.map((change) => [change.status, change.trigger.id, change.exceptionType]),
      [
        ["healthy", "h1", null],
        ["broken", "h1", "error of h1"],
        ["flaky", "h12", "error of other h4"]
      ]
    )
  })

  it.prop("at every instant it is the worst of the identities", [histories(), histories()], ([one, two]) => {
    const lists = [series(one), series(two)]
    const merged = HealthSeries.worst(lists)
    assert.isTrue(merged.every((change, index) => change.status !== merged[index + 1]?.status))
    for (const { at } of [...one, ...two]) {
      const verdicts = lists.map((list) => verdictBefore(list, at + 1))
      const expected = ["broken", "flaky", "healthy"].find((status) => verdicts.some((verdict) => verdict === status))
      assert.strictEqual(verdictBefore(merged, at + 1), expected)
    }
  })
})
