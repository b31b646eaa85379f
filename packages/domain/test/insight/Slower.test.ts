import {
  Digest,
  DurationSeries,
  DurationShift,
  Instant,
  Slower,
  SlowerEvents,
  SlowerKnown,
  SlowerPolicy
} from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const policy = SlowerPolicy.defaults

const hour = Instant.hour

/** A steady series: each value within some percent of one duration. */
const steady = (ms: number, count: number, seed = 1): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => ms * (1 + 0.03 * Math.sin(seed + 7.3 * index)))

const shift = fc.record({
  ms: fc.integer({ min: 600, max: 600_000 }),
  factor: fc.double({ min: 2, max: 8, noNaN: true }),
  before: fc.integer({ min: 12, max: 80 }),
  after: fc.integer({ min: 6, max: 40 }),
  seed: fc.integer({ min: 0, max: 1000 })
})

const valuesOf = ({ after, before, factor, ms, seed }: typeof shift extends fc.Arbitrary<infer A> ? A : never) => [
  ...steady(ms, before, seed),
  ...steady(ms * factor, after, seed + 1)
]

const executionsOf = (values: ReadonlyArray<number>, name = "c"): ReadonlyArray<DurationSeries.TimedExecution> =>
  values.map((durationMs, index) => ({
    id: `${name}${index}`,
    at: index * hour,
    commit: `commit${String(index).padStart(4, "0")}`,
    conclusion: "passed",
    flaky: false,
    durationMs
  }))

const timed = (testName: string, values: ReadonlyArray<number>, jobName = "unit"): Slower.TimedTest => ({
  identity: { testName, pipelineName: "CI", jobName },
  points: DurationSeries.of(executionsOf(values), policy.nothingMs),
  executions: values.length
})

describe("DurationShift", () => {
  it("a duration that at least doubles is found, and named where it begins", () => {
    fc.assert(
      fc.property(shift, (drawn) => {
        const found = DurationShift.find(valuesOf(drawn), policy)
        assert.deepStrictEqual(
          found.map(({ start }) => start),
          [drawn.before]
        )
        assert.isAtMost((found[0]?.seen ?? Infinity) - drawn.before, policy.wait)
      }),
      { numRuns: 100 }
    )
  })

  it("values in another unit give the same growths when the limits are in it too", () => {
    fc.assert(
      fc.property(shift, fc.constantFrom(2, 4, 1024), (drawn, unit) => {
        const values = valuesOf(drawn)
        const scaled = { ...policy, leastMs: policy.leastMs * unit, nothingMs: policy.nothingMs * unit }
        const found = DurationShift.find(
          values.map((value) => value * unit),
          scaled
        )
        const places = (shifts: ReadonlyArray<DurationShift.Shift>) => shifts.map(({ seen, start }) => [start, seen])
        assert.deepStrictEqual(places(found), places(DurationShift.find(values, policy)))
      }),
      { numRuns: 100 }
    )
  })

  it("one outlier of any size makes no series slower, wherever it is", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 12, max: 80 }),
        fc.nat(),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (count, place, outlier) => {
          const values = [...steady(2000, count)]
          values[place % count] = outlier
          assert.deepStrictEqual(DurationShift.find(values, policy), [])
        }
      ),
      { numRuns: 200 }
    )
  })

  it("later values change no growth that is found already", () => {
    fc.assert(
      fc.property(shift, fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 30 }), (drawn, later) => {
        const values = valuesOf(drawn)
        const found = DurationShift.find(values, policy)
        assert.deepStrictEqual(DurationShift.find([...values, ...later], policy).slice(0, found.length), found)
      }),
      { numRuns: 100 }
    )
  })

  it("a growth that nobody notices is not found: too short, too small, or a level that the series had before", () => {
    assert.deepStrictEqual(DurationShift.find([...steady(100, 30), ...steady(500, 20)], policy), [])
    assert.deepStrictEqual(DurationShift.find([...steady(2000, 30), ...steady(2800, 20)], policy), [])
    const switching = Array.from({ length: 60 }, (_, index) => (index % 4 === 0 ? 6000 : 2000))
    assert.deepStrictEqual(DurationShift.find([...switching, ...steady(6000, 20)], policy), [])
  })
})

describe("DurationSeries", () => {
  it("failures and flaky passes are no measurements, and several passes of a commit are one", () => {
    const at = { at: 0, commit: "a", conclusion: "passed", flaky: false } as const
    const points = DurationSeries.of(
      [
        { ...at, id: "1", durationMs: 100 },
        { ...at, id: "2", durationMs: 300 },
        { ...at, id: "3", durationMs: 9000, conclusion: "failed" },
        { ...at, id: "4", durationMs: 9000, flaky: true }
      ],
      5
    )
    assert.deepStrictEqual(
      points.map(({ ms }) => ms),
      [200]
    )
  })

  it("a duration that repeats exactly is a copy and no measurement, unless the test does nothing", () => {
    const values = (ms: number) => DurationSeries.of(executionsOf([ms, ms, ms, 7000]), 5).map((point) => point.ms)
    assert.deepStrictEqual(values(4000), [4000, 7000])
    assert.deepStrictEqual(values(0), [0, 0, 0, 7000])
  })
})

describe("Slower", () => {
  it("the order of executions and of tests changes nothing", () => {
    const values = [...steady(1200, 30), ...steady(3400, 20)]
    const tests = [timed("a", values), timed("b", steady(900, 50)), timed("c", values, "e2e")]
    const expected = Slower.of(tests, policy)
    assert.strictEqual(expected.length, 2)
    fc.assert(
      fc.property(fc.shuffledSubarray([...executionsOf(values)], { minLength: values.length }), (executions) => {
        const points = DurationSeries.of(executions, policy.nothingMs)
        const shuffled = tests.map((test) => (test.identity.testName === "b" ? test : { ...test, points })).reverse()
        assert.deepStrictEqual(Slower.of(shuffled, policy), expected)
      }),
      { numRuns: 25 }
    )
  })

  it("a test that grows has one line: its durations, the commits around the change, and the time of a week", () => {
    const [line, ...more] = Slower.of([timed("a", [...steady(1200, 148), ...steady(3400, 20)])], policy)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(
      [line?.kind, line?.testName, line?.lastCommit, line?.firstCommit, line?.confidence],
      ["test", "a", "commit0147", "commit0148", "high"]
    )
    assert.closeTo(line?.beforeMs ?? 0, 1200, 40)
    assert.closeTo(line?.afterMs ?? 0, 3400, 100)
    assert.closeTo(line?.executionsPerWeek ?? 0, 168, 2)
    assert.closeTo(line?.addedPerWeekMs ?? 0, 2200 * 168, 2200 * 168 * 0.05)
  })

  it("a job that became slower as a whole is one line, and a test that grew more has one of its own", () => {
    const names = Array.from({ length: 40 }, (_, index) => `test ${String(index).padStart(2, "0")}`)
    const tests = names.map((name, index) =>
      timed(name, [...steady(1000 + 50 * index, 60, index), ...steady(2 * (1000 + 50 * index), 20, index)])
    )
    const other = timed("other", [...steady(1000, 60), ...steady(8000, 20)])
    const lines = Slower.of([...tests, other], policy)
    assert.deepStrictEqual(
      lines.map(({ kind, testName, tests: compared }) => [kind, testName, compared]),
      [
        ["job", null, 41],
        ["test", "other", 1]
      ]
    )
    assert.closeTo((lines[0]?.afterMs ?? 0) / (lines[0]?.beforeMs ?? 1), 2, 0.1)
  })

  it("a test that did nothing before has started, and one that became fast again has no line", () => {
    const started = Array.from({ length: 30 }, () => 0)
    assert.deepStrictEqual(
      Slower.of([timed("a", [...started, ...steady(4000, 20)])], policy).map(({ kind }) => kind),
      ["started"]
    )
    const over = [...steady(1200, 30), ...steady(3400, 20), ...steady(1200, 20)]
    assert.deepStrictEqual(Slower.of([timed("a", over)], policy), [])
  })

  it("a growth that adds less than a minute a week has no line", () => {
    const daily = (values: ReadonlyArray<number>): Slower.TimedTest => ({
      ...timed("a", values),
      points: DurationSeries.of(
        executionsOf(values).map((each, index) => ({ ...each, at: index * Instant.day })),
        policy.nothingMs
      )
    })
    const values = [...steady(1200, 30), ...steady(3400, 20)]
    assert.deepStrictEqual(Slower.of([daily(values)], policy), [])
    assert.strictEqual(Slower.of([daily(values.map((ms) => 10 * ms))], policy).length, 1)
  })

  it("in a series with many runs, a slow hour is not found, and a growth that lasts is named to the commit", () => {
    const busy = (values: ReadonlyArray<number>): Slower.TimedTest => ({
      ...timed("a", values),
      points: DurationSeries.of(
        executionsOf(values).map((each, index) => ({ ...each, at: index * 12 * Instant.minute })),
        policy.nothingMs
      )
    })
    const slowHour = [...steady(2000, 1400), ...steady(9000, 8), ...steady(2000, 20)]
    assert.deepStrictEqual(Slower.of([busy(slowHour.slice(0, 1408))], policy), [])
    const [line] = Slower.of([busy([...steady(2000, 1400), ...steady(9000, 500)])], policy)
    assert.deepStrictEqual([line?.lastCommit, line?.firstCommit], ["commit1399", "commit1400"])
  })
})

const line = (testName: string | null, afterMs = 3400, at: Instant.Instant = 0): Slower.Slower => ({
  kind: testName === null ? "job" : "test",
  testName,
  pipelineName: "CI",
  jobName: "unit",
  tests: 1,
  beforeMs: 1200,
  afterMs,
  at,
  lastCommit: "a",
  firstCommit: "b",
  confidence: "medium",
  executionsPerWeek: 10,
  addedPerWeekMs: 10 * (afterMs - 1200),
  latestMs: []
})

const nothing: Pick<SlowerKnown.SlowerKnown, "reported"> = { reported: [] }

const roundAt = (lines: ReadonlyArray<Slower.Slower>, before: typeof nothing, at: Instant.Instant) =>
  SlowerKnown.of({ days: 60, tests: 9, lines }, before, at, policy)

describe("SlowerKnown", () => {
  const { day } = Instant

  it("each growth is news once, however its commits are named later, and again when it has grown as much again", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ afterMs: fc.integer({ min: 1500, max: 20_000 }), at: fc.integer({ min: 0, max: 9 }) }), {
          minLength: 1,
          maxLength: 20
        }),
        (found) => {
          let known: typeof nothing = nothing
          let reported = 0
          for (const [index, { afterMs, at }] of found.entries()) {
            const next = roundAt([line("a", afterMs, at)], known, 10 + index)
            assert.strictEqual(next.news.length, afterMs >= (1 + policy.growth) * reported ? 1 : 0)
            if (next.news.length > 0) reported = afterMs
            known = next.known
          }
        }
      ),
      { numRuns: 100 }
    )
  })

  it("an old growth is listed and not reported, and one that was not listed for a month is reported again", () => {
    const first = roundAt([line("old"), line("new", 3400, 10 * day)], nothing, 15 * day)
    assert.deepStrictEqual([first.known.lines.length, first.news.map(({ testName }) => testName)], [2, ["new"]])
    const gone = roundAt([], first.known, 20 * day)
    assert.deepStrictEqual(roundAt([line("new", 3400, 25 * day)], gone.known, 30 * day).news, [])
    const later = roundAt([], gone.known, 46 * day)
    assert.deepStrictEqual(later.known.reported, [])
    assert.strictEqual(roundAt([line("new", 3400, 45 * day)], later.known, 46 * day).news.length, 1)
  })

  it("more growths than are kept are cut, and a job and a test of one name are two things", () => {
    const many = Array.from({ length: SlowerKnown.bounds.lines + 5 }, (_, index) => line(`test ${index}`))
    assert.strictEqual(roundAt(many, nothing, 1).known.lines.length, SlowerKnown.bounds.lines)
    const { known } = roundAt([line(null), line("a")], nothing, 1)
    assert.strictEqual(known.reported.length, 2)
  })
})

describe("SlowerEvents", () => {
  it("the growths of a round are one event and one line of a digest, with the names of three", () => {
    assert.deepStrictEqual(SlowerEvents.of([], 5), [])
    const events = [
      ...SlowerEvents.of([line(null, 9_000_000)], 5),
      ...SlowerEvents.of(
        ["a", "b", "c", "d".repeat(200)].map((name) => line(name)),
        6
      )
    ]
    assert.deepStrictEqual(
      Digest.of(events, new Map()).lines.map(({ text }) => text),
      [
        "The job CI / unit as a whole takes 2.5 h instead of 1.2 s since commit b: 25.0 h more each week.",
        '4 tests or jobs became slower, and take 88 s more each week: "a", "b", "c" and 1 more.'
      ]
    )
    const [single] = SlowerEvents.of([{ ...line("a"), kind: "started" }], 5)
    assert.strictEqual(
      single?.summary,
      '"a" takes 3.4 s, and did nothing before commit b (CI, unit): 22 s more each week.'
    )
    assert.deepStrictEqual(SlowerEvents.of([line("a")], 5), SlowerEvents.of([line("a")], 5))
  })
})
