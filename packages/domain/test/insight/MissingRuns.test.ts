import { Instant, MissedTests, MissingFacts, MissingPolicy, MissingRuns, Steps, TestSet } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const policy = MissingPolicy.defaults

const start = Date.UTC(2026, 0, 1)

const later = start + 400 * Instant.day

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, index) => from + index)

const runOf = (tests: ReadonlyArray<number>, index: number): MissingFacts.JobRunSet => ({
  runId: `r${String(index).padStart(3, "0")}`,
  at: start + index * Instant.hour,
  commit: `c${index}`,
  ran: TestSet.of(tests)
})

const job = (
  runs: ReadonlyArray<ReadonlyArray<number>>,
  parts: Partial<MissingFacts.JobHistory> = {}
): MissingFacts.JobHistory => ({
  pipelineName: "CI",
  jobName: "unit",
  runs: runs.map(runOf),
  others: [],
  own: [],
  ...parts
})

const shown = (losses: ReadonlyArray<MissingRuns.FoundLoss>) =>
  losses.map(({ isSmall, missing, run, runs, state }) => [run.runId, TestSet.size(missing), state, runs, isSmall])

const lossesOf = (runs: ReadonlyArray<ReadonlyArray<number>>) =>
  shown(MissingRuns.ofUnit([job(runs)], policy, later).losses)

const all = range(0, 100)

const usual = (count: number) => range(0, count).map(() => all)

describe("MissingRuns.ofUnit", () => {
  it("a loss of one run is said once, and has returned", () => {
    assert.deepStrictEqual(lossesOf([...usual(8), all.slice(10), ...usual(3)]), [["r008", 10, "returned", 1, false]])
  })

  it("tests that are gone for ever are said once, and not expected any more", () => {
    const left = all.slice(20)
    assert.deepStrictEqual(lossesOf([...usual(8), ...range(0, 30).map(() => left)]), [["r008", 20, "gone", 3, false]])
    assert.deepStrictEqual(lossesOf([...usual(8), ...range(0, 9).map(() => left), left.slice(8), left]), [
      ["r008", 20, "gone", 3, false],
      ["r017", 8, "returned", 1, false]
    ])
  })

  it("a second loss during another one is reported separately", () => {
    assert.deepStrictEqual(lossesOf([...usual(8), all.slice(10), all.slice(40), all]), [
      ["r008", 10, "returned", 2, false],
      ["r009", 30, "returned", 1, false]
    ])
  })

  it("few tests that are gone are found after three runs, and are small", () => {
    assert.deepStrictEqual(lossesOf([...usual(8), ...range(0, 6).map(() => all.slice(2))]), [
      ["r008", 2, "gone", 3, true]
    ])
    assert.deepStrictEqual(lossesOf([...usual(8), all.slice(2), all.slice(2), all]), [])
  })

  it("a run with three times the tests changes no expectation", () => {
    assert.deepStrictEqual(lossesOf([...usual(8), range(0, 300), all, all, range(0, 300), ...usual(3)]), [])
  })

  it("new tests are expected after three runs", () => {
    const more = range(0, 150)
    assert.deepStrictEqual(lossesOf([...usual(8), more, more, more, all]), [["r011", 50, "open", 1, false]])
    assert.deepStrictEqual(lossesOf([...usual(8), more, more, all]), [])
  })

  it("a smaller kind of run is usual from the third time on", () => {
    const small = all.slice(70)
    const runs = range(0, 6).flatMap(() => [...usual(5), small])
    assert.deepStrictEqual(lossesOf(runs), [
      ["r005", 70, "returned", 1, false],
      ["r011", 70, "returned", 1, false]
    ])
  })

  it("attempts of one run count together", () => {
    const again = { ...runOf([1, 2], 8), at: start + 20 * Instant.hour }
    const history = job([...usual(8), all, all])
    const { losses } = MissingRuns.ofUnit([{ ...history, runs: [...history.runs, again] }], policy, later)
    assert.deepStrictEqual(losses, [])
  })

  it("with few runs it says how many more are needed, and a young run is not judged", () => {
    const found = (runs: ReadonlyArray<ReadonlyArray<number>>, now: number) => {
      const { losses, missingRuns } = MissingRuns.ofUnit([job(runs)], policy, now)
      return [losses.length, missingRuns]
    }
    assert.deepStrictEqual(found(usual(3), later), [0, 2])
    assert.deepStrictEqual(found([], later), [0, 5])
    const runs = [...usual(8), all.slice(50)]
    const end = start + 8 * Instant.hour
    assert.deepStrictEqual(found(runs, end + MissingFacts.bounds.settled - 1), [0, 0])
    assert.deepStrictEqual(found(runs, end + MissingFacts.bounds.settled), [1, 0])
  })

  it("the order of runs, and their cut into attempts, make no difference", () => {
    const sets = fc.array(fc.uniqueArray(fc.nat(60), { maxLength: 60 }), { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(sets, fc.infiniteStream(fc.nat(1000)), (runs, draws) => {
        const history = job(runs)
        const pieces = history.runs.flatMap((run) => [
          run,
          { ...run, ran: TestSet.of(TestSet.numbers(run.ran).slice(1)) }
        ])
        const keyed = pieces.map((run) => ({ run, key: draws.next().value }))
        const mixed = keyed.sort((a, b) => a.key - b.key).map(({ run }) => run)
        const found = MissingRuns.ofUnit([{ ...history, runs: mixed }], policy, later)
        assert.deepStrictEqual(found, MissingRuns.ofUnit([history], policy, later))
      }),
      { numRuns: 100 }
    )
  })

  it("a loss has only tests that ran before and did not run then, each in one open loss", () => {
    const sets = fc.array(fc.uniqueArray(fc.nat(40), { minLength: 20, maxLength: 41 }), { minLength: 6, maxLength: 25 })
    fc.assert(
      fc.property(sets, (runs) => {
        for (const { isSmall, missing, run } of MissingRuns.ofUnit([job(runs)], policy, later).losses) {
          const index = Number(run.runId.slice(1))
          const before = TestSet.of(runs.slice(0, index).flat())
          assert.strictEqual(TestSet.size(TestSet.without(missing, before)), 0)
          assert.strictEqual(TestSet.common(missing, TestSet.of(runs[index] ?? [])), 0)
          assert.isTrue(isSmall || TestSet.size(missing) > 0)
        }
      }),
      { numRuns: 200 }
    )
  })
})

describe("shards", () => {
  const shard = (name: string, runs: ReadonlyArray<ReadonlyArray<number>>) => job(runs, { jobName: name })

  it("tests that move between shards are not missing; those that no shard runs are", () => {
    const cut = (index: number) => 20 + ((index * 37) % 60)
    const lost = new Set(range(40, 50))
    const testsIn = (index: number) => (index === 9 ? all.filter((test) => !lost.has(test)) : all)
    const unit = [
      shard(
        "unit 1",
        range(0, 11).map((index) => testsIn(index).slice(0, cut(index)))
      ),
      shard(
        "unit 2",
        range(0, 11).map((index) => testsIn(index).slice(cut(index)))
      )
    ]
    assert.strictEqual(MissingFacts.unitsOf(unit).length, 1)
    assert.deepStrictEqual(shown(MissingRuns.ofUnit(unit, policy, later).losses), [["r009", 10, "returned", 1, false]])
  })

  it("jobs of a matrix, which run the same tests, are judged each alone", () => {
    const matrix = [shard("unit 1", usual(8)), shard("unit 2", [...usual(7), all.slice(50)])]
    const units = MissingFacts.unitsOf(matrix)
    assert.strictEqual(units.length, 2)
    assert.deepStrictEqual(
      units.map((unit) => MissingRuns.ofUnit(unit, policy, later).losses.length),
      [0, 1]
    )
  })

  it("a shard that does not report is a loss of jobs, and not of its tests", () => {
    const unit = [
      shard(
        "unit 1",
        range(0, 9).map(() => all.slice(50))
      ),
      shard(
        "unit 2",
        range(0, 8).map(() => all.slice(0, 50))
      )
    ]
    assert.deepStrictEqual(MissingRuns.ofUnit(unit, policy, later).losses, [])
    const [loss, ...others] = MissingRuns.ofPipeline(unit, policy, later).losses
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      [loss?.kind, loss?.expected, TestSet.numbers(loss?.missing ?? TestSet.empty), loss?.run.runId],
      ["jobs", 2, [1], "r008"]
    )
  })
})

describe("MissingRuns.ofOwn", () => {
  const own = (tests: ReadonlyArray<number>, others: ReadonlyArray<ReadonlyArray<number>> = []) => {
    const asked = { ...runOf(tests, 50), runId: "own" }
    const elsewhere = others.map((each, index) => ({ ...runOf(each, 10 + index), runId: `o${index}` }))
    return MissingRuns.ofOwn([job(usual(8), { own: [asked], others: elsewhere })], policy).map(
      ({ expected, isLoss, missing }) => [expected, TestSet.size(missing), isLoss]
    )
  }

  it("a run of a branch is compared with the base", () => {
    assert.deepStrictEqual(own(all.slice(10)), [[100, 10, true]])
    assert.deepStrictEqual(own(all), [[100, 0, false]])
  })

  it("tests that two runs of other branches also lack are not missing", () => {
    assert.deepStrictEqual(own(all.slice(90), [all.slice(80), all.slice(70)]), [[100, 90, false]])
    assert.deepStrictEqual(own(all.slice(90), [all.slice(80), all]), [[100, 90, true]])
  })

  it("a run of another branch lacks only tests that were expected when it ran", () => {
    const before = range(0, 40)
    const grown = [...range(0, 8).map(() => before), ...usual(5)]
    const elsewhere = range(6, 9).map((index) => ({ ...runOf(before, index), at: runOf([], index).at + 1 }))
    const others = elsewhere.map((run, index) => ({ ...run, runId: `o${index}` }))
    const history = job(grown, { own: [{ ...runOf(before, 60), runId: "own" }], others })
    const [finding] = MissingRuns.ofOwn([history], policy)
    assert.deepStrictEqual([finding?.expected, finding?.isLoss], [100, true])
  })

  it("tests that the base has lost are not expected", () => {
    const history = job([...usual(8), all.slice(30)], { own: [{ ...runOf(all.slice(30), 60), runId: "own" }] })
    const [finding] = MissingRuns.ofOwn([history], policy)
    assert.deepStrictEqual([finding?.expected, finding?.isLoss], [70, false])
  })

  it("without enough runs nothing is expected", () => {
    const history = job(usual(4), { own: [runOf([], 60)] })
    const [finding] = MissingRuns.ofOwn([history], policy)
    assert.deepStrictEqual([finding?.expected, finding?.missingRuns, finding?.isLoss], [null, 1, false])
  })
})

describe("MissedTests", () => {
  it("one sentence sums up the jobs; renames are said where nothing else is missing", () => {
    const missed = (kind: "tests" | "renamed", missing: number, renamed = 0) =>
      ({ kind, jobNames: ["unit"], missing, expected: 100, skipped: 0, renamed }) as const
    assert.strictEqual(
      MissedTests.sentence([missed("tests", 10), missed("tests", 5), missed("renamed", 9, 9)]),
      "15 of 200 tests did not run."
    )
    assert.strictEqual(MissedTests.sentence([missed("renamed", 9, 9)]), "9 of 100 tests seem to be renamed in unit.")
    assert.strictEqual(MissedTests.sentence([missed("renamed", 1, 1)]), "1 of 100 tests seems to be renamed in unit.")
    assert.isFalse(MissedTests.isLoss([missed("renamed", 9, 9)]))
  })

  it("a shard that did not report is named, and is a loss", () => {
    const shard = (jobName: string, runs: ReadonlyArray<ReadonlyArray<number>>, own: ReadonlyArray<number> | null) =>
      job(runs, { jobName, own: own === null ? [] : [{ ...runOf(own, 60), runId: "own" }] })
    const [left, right] = [all.slice(0, 50), all.slice(50)]
    const six = range(0, 6)
    const group = [
      shard(
        "unit (1)",
        six.map(() => left),
        left
      ),
      shard(
        "unit (2)",
        six.map(() => right),
        null
      )
    ]
    const { asked, value } = Steps.finish(MissedTests.judge(policy)(group))
    assert.deepStrictEqual(asked, [])
    const missed = MissedTests.of([{ value, found: [] }])
    assert.deepStrictEqual(
      missed.map(({ expected, jobNames, kind, missing, runId }) => [kind, jobNames, missing, expected, runId]),
      [["jobs", ["unit (2)"], 1, 2, "own"]]
    )
    assert.isTrue(MissedTests.isLoss(missed))
    assert.strictEqual(MissedTests.sentence(missed), "The job unit (2) did not report while its siblings did.")
  })
})
