import { FailureFacts, FailurePolicy, Instant, type JobRecord } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as CauseRates from "../../src/failure/CauseRates.ts"
import {
  at,
  type Facts,
  failure,
  flake,
  network,
  of,
  onMain,
  outage,
  record,
  row,
  siblings,
  withRuns
} from "./support/ModelStory.ts"

const policy = FailurePolicy.defaults

const ratesOf = (facts: Facts, tests = 100) => CauseRates.of(facts, tests, policy)

/** Rates are sums of products: equal but for the rounding of their parts. */
const rounding = 1e-9

/** The record of a job by how many tests failed in each run of main, the latest run first. */
const withFailed = (failed: ReadonlyArray<number>, others = { runs: 0, red: 0 }): Facts["run"] => {
  const run = record(failed.length, (index) => Array.from({ length: failed[index] ?? 0 }, (_, test) => `t${test}`))
  return { ...run, record: { ...run.record, others } }
}

describe("CauseRates.flakeRate, failures on other branches", () => {
  const hour = Instant.hour

  const other = (change: Partial<FailureFacts.OtherFailure> = {}): FailureFacts.OtherFailure => ({
    branch: "other",
    commit: "o",
    jobName: "unit",
    at: at - 2 * hour,
    isSame: true,
    ...change
  })

  /** How many flakes the others stand for. */
  const flakesOf = (
    others: ReadonlyArray<FailureFacts.OtherFailure>,
    { outcomes = "+++", execution = {} }: { outcomes?: string; execution?: Partial<typeof failure> } = {}
  ) => {
    const rows = outcomes === "" ? [] : [row(outcomes)]
    const facts = of({ rows, test: { flakes: [], signatures: [], others } }, execution)
    return CauseRates.flakeRate(facts, ratesOf(facts), policy).flakes
  }

  it("a failure on another branch weighs by its message, its job, and whether the base has passed since", () => {
    const { different, lasting, otherJob, same } = policy.otherBranches
    assert.closeTo(flakesOf([other()]), same, rounding)
    assert.closeTo(flakesOf([other({ isSame: false })]), different, rounding)
    assert.closeTo(flakesOf([other({ jobName: "e2e" })]), same * otherJob, rounding)
    assert.closeTo(flakesOf([other({ at: at - hour / 2 })]), same * lasting, rounding)
    assert.closeTo(flakesOf([other({ at: at - hour })]), same * lasting, rounding)
    assert.closeTo(
      flakesOf([other({ isSame: false, jobName: "e2e", at: at - hour / 2 })]),
      different * otherJob * lasting,
      rounding
    )
    assert.closeTo(flakesOf([other({ at: at - 1.5 * hour })], { outcomes: "-++" }), same * lasting, rounding)
    assert.closeTo(flakesOf([other({ at: at - 1.5 * hour })], { outcomes: "---" }), same * lasting, rounding)
  })

  it("one failure on each other branch counts, the one that weighs most", () => {
    const { different, same } = policy.otherBranches
    assert.closeTo(flakesOf([other({ isSame: false }), other(), other({ isSame: false })]), same, rounding)
    assert.closeTo(flakesOf([other(), other({ branch: "third", isSame: false })]), same + different, rounding)
  })

  it("on the default branch one of the other branches may have brought the failure, and does not count", () => {
    const branches = [other({ branch: "third", isSame: false }), other()]
    assert.closeTo(flakesOf(branches, { execution: onMain }), policy.otherBranches.different, rounding)
    assert.closeTo(flakesOf([other()], { execution: onMain }), 0, rounding)
  })

  it("failures before the test first ran on the base do not count, unless its row is longer than what is listed", () => {
    const { same } = policy.otherBranches
    assert.closeTo(flakesOf([other({ at: at - 3 * hour })]), 0, rounding)
    assert.closeTo(flakesOf([other({ at: at - 3 * hour + 1 })]), same, rounding)
    assert.closeTo(flakesOf([other()], { outcomes: "" }), 0, rounding)
    assert.closeTo(flakesOf([other({ at: at - 50 * hour })], { outcomes: "+".repeat(30) }), 0, rounding)
    assert.closeTo(flakesOf([other({ at: at - 50 * hour })], { outcomes: "+".repeat(31) }), same, rounding)
  })

  it("a failure among more than four others, or three times the usual number, was rather part of an outage", () => {
    const { same } = policy.otherBranches
    assert.closeTo(flakesOf([other({ failures: 4 })]), same, rounding)
    assert.closeTo(flakesOf([other({ failures: 8 })]), same / 2, rounding)
    assert.closeTo(flakesOf([other({ failures: 0 })]), same, rounding)
    assert.closeTo(flakesOf([other({ failures: null })]), same, rounding)
  })
})

describe("CauseRates.flakeRate, the executions", () => {
  it("a flake in another job counts by half, and less with more jobs", () => {
    const flakesOf = (jobs: string) => {
      const flakes = [flake("a", 3, { jobName: "e2e" })]
      const facts = of({ siblings: siblings(jobs), test: { flakes, signatures: [], others: [] } })
      return CauseRates.flakeRate(facts, ratesOf(facts), policy).flakes
    }
    assert.closeTo(flakesOf(""), 0.5, rounding)
    assert.closeTo(flakesOf("+"), 0.5, rounding)
    assert.closeTo(flakesOf("+-++"), 0.25, rounding)
  })

  it("executions beyond the listed ones are taken from the record where they were not counted", () => {
    const executionsOf = (listed: number, commits: number) => {
      const facts = of({ totals: null, rows: listed === 0 ? [] : [row("+".repeat(listed))], run: record(commits) })
      return CauseRates.flakeRate(facts, { ...ratesOf(facts), othersPerRun: 0 }, policy).executions
    }
    assert.isBelow(executionsOf(30, 60), executionsOf(31, 31))
    assert.closeTo(executionsOf(30, 60), executionsOf(30, 31), rounding)
    assert.isAbove(executionsOf(31, 60), executionsOf(31, 31))
    assert.closeTo(executionsOf(31, 9), executionsOf(31, 31), rounding)
  })

  it("a test is never surer to fail than nineteen times in twenty", () => {
    const flakes = Array.from({ length: 900 }, (_, index) => flake(`c${index}`, 1))
    const facts = of({ rows: [], totals: null, test: { flakes, signatures: [], others: [] } })
    assert.closeTo(CauseRates.flakeRate(facts, ratesOf(facts), policy).rate, 0.95, rounding)
  })
})

describe("CauseRates.of", () => {
  it("the usual number of failures is the median of the calm runs, 0 without any", () => {
    const usual = (failed: ReadonlyArray<number>) => ratesOf(of({ run: withFailed(failed) })).usualFailures
    assert.strictEqual(usual([9, 1, 2, 30, 4]), 4)
    assert.strictEqual(usual([30, 9, 1, 2, 4, 5]), 5)
    assert.strictEqual(usual([]), 0)
    const run = withRuns((one, index) => ({ ...one, failed: 7, isOutage: index > 2 }))
    assert.strictEqual(ratesOf(of({ run })).usualFailures, 7)
  })

  it("past outages of other jobs count as one of this job, and its own ones each", () => {
    const { count, of: runs } = policy.rates.outages
    const outages = [outage(99, []), outage(98, [])]
    assert.closeTo(ratesOf(of({ run: record(30) })).outages, count / (runs + 30), rounding)
    assert.closeTo(ratesOf(of({ run: { ...record(30), outages } })).outages, (count + 1) / (runs + 30), rounding)
    const own = withRuns((one, index) => ({ ...one, isOutage: index < 3 }))
    assert.closeTo(ratesOf(of({ run: { ...own, outages } })).outages, (count + 3) / (runs + 30), rounding)
  })

  it("an outage within the hours before or after makes another one likely", () => {
    const isLikely = (hours: number) =>
      ratesOf(of({ run: { ...record(30), outages: [outage(hours, [])] } })).outages === policy.rates.outageAgain
    const past = 1 / Instant.hour
    assert.deepStrictEqual([-6 - past, -6, 6, 6 + past].map(isLikely), [false, true, true, false])
  })

  it("a test is known to flake by one sure flake, and not by one among eight failures in one of two runs", () => {
    const run = (...failures: ReadonlyArray<ReadonlyArray<string>>): Facts["run"] =>
      record(30, (index) => failures[index] ?? [])
    const many = ["Cart > sorts", "a", "b", "c", "d", "e", "f", "g"]
    const flaky = (facts: Facts) => ratesOf(facts).flakyTests
    const calm = flaky(of({ run: record(30) }))
    assert.isAbove(flaky(of({ run: run([], ["Cart > sorts"]) })), calm)
    assert.closeTo(flaky(of({ run: run([], many) })), calm, rounding)
    assert.closeTo(
      flaky(of({ run: run([], many, [], ["Cart > sorts"]) })),
      flaky(of({ run: run([], ["Cart > sorts"]) })),
      rounding
    )
    const twice = run([], many)
    const [, red] = twice.record.base
    const base: ReadonlyArray<JobRecord.BaseRun> = [
      ...twice.record.base,
      ...(red === undefined ? [] : [{ ...red, failed: 0, failures: [] }])
    ]
    assert.closeTo(flaky(of({ run: { ...twice, record: { ...twice.record, base } } })), calm, rounding)
  })

  it("what fails at the end of a record of one commit counts by half as a flake", () => {
    const { flakyRate, flakyTests } = policy.rates
    const found = 1 / (flakyRate.of - flakyRate.count + 1)
    const rates = ratesOf(of({ run: withFailed([1]) }))
    assert.closeTo(rates.flakyTests, (0.5 / found + flakyTests.count) / (100 + flakyTests.of), rounding)
  })

  it("shares have bounds: nine tests in ten flake, and a first flake comes once in five runs at most", () => {
    const names = (index: number) => (index % 2 === 1 ? ["a", "b", "c"].map((name) => `${name}${index}`) : [])
    const rates = ratesOf(of({ run: record(60, names) }), 1)
    assert.deepStrictEqual([rates.flakyTests, rates.firstFlake], [0.9, 0.2])
  })

  it("a job of no tests counts like a job of one", () => {
    const facts = of({ run: record(30, (index) => (index === 3 || index === 4 ? ["a"] : [])) })
    const [none, one, two] = [0, 1, 2].map((tests) => ratesOf(facts, tests))
    assert.deepStrictEqual([none?.tests, one?.tests, two?.tests], [1, 1, 2])
    assert.strictEqual(none?.brokenCommits, one?.brokenCommits)
    assert.notStrictEqual(one?.brokenCommits, two?.brokenCommits)
  })

  it("pull requests break what they fail more often than the default branch, which is never taken as red in more than nine of ten", () => {
    const { count, of: runs } = policy.rates.brokenChanges
    const broken = (red: number, reds: number) =>
      ratesOf(
        of({
          run: withFailed(
            Array.from({ length: 100 }, (_, index) => (index < red ? 1 : 0)),
            { runs: 60, red: reds }
          )
        })
      ).brokenChanges
    assert.closeTo(broken(0, 0), count / (runs + 60), rounding)
    assert.closeTo(broken(0, 60), (count + 60) / (runs + 60), rounding)
    assert.closeTo(broken(100, 60), (count + (60 * (1 - 100.5 / 105)) / 0.1) / (runs + 60), rounding)
  })
})

describe("CauseRates.baseBroken", () => {
  const brokenOf = (
    outcomes: string,
    rate: number,
    previous: readonly [passed: number, failed: number] | null = null
  ) => {
    const previousRuns = previous === null ? [] : [{ branch: "main", passed: previous[0], failed: previous[1] }]
    const facts = of({ rows: outcomes === "" ? [] : [row(outcomes)], previousRuns })
    return CauseRates.baseBroken(facts, ratesOf(facts), { rate, isOutside: false }, policy)
  }

  it("a base without an outcome, or that passed last, is not broken", () => {
    assert.deepStrictEqual([brokenOf("", 0.1), brokenOf("+--", 0.1)], [0, 0])
  })

  it("sixteen commits of a row count, and further ones say no more", () => {
    const row_ = (length: number) => brokenOf(`${"?".repeat(length)}+`, 0.9)
    assert.isBelow(row_(15), row_(16))
    assert.strictEqual(row_(17), row_(16))
  })

  it("the jobs of the last run count where it had several and one of them failed", () => {
    const alone = brokenOf("-+", 0.1)
    assert.strictEqual(brokenOf("-+", 0.1, [3, 0]), alone)
    assert.strictEqual(brokenOf("-+", 0.1, [0, 1]), alone)
    assert.isAbove(brokenOf("-+", 0.1, [0, 2]), alone)
    assert.isBelow(brokenOf("-+", 0.1, [300, 1]), alone)
  })
})

describe("CauseRates.isOutsideOnBase", () => {
  it("a row of the base began outside when it began with an outage, or at least three failures name the same machine", () => {
    const isOutside = (outcomes: string, together: number, execution: Partial<typeof failure> = network) =>
      CauseRates.isOutsideOnBase(of({ rows: [row(outcomes)] }, execution), together)
    assert.deepStrictEqual(
      [isOutside("-+", 2), isOutside("-+", 3), isOutside("~+", 3), isOutside("+", 3)],
      [false, true, false, false]
    )
    assert.deepStrictEqual([isOutside("-o+", 1), isOutside("o-+", 1)], [true, false])
    const said = (message: string) => isOutside("o+", 1, { message })
    assert.deepStrictEqual(
      [said("boom"), said("XPASS(strict)"), said("Cannot find module './a'")],
      [true, false, false]
    )
  })
})
