import { assert, describe, it } from "@effect/vitest"
import { JUnit } from "@lazaret/ingest"
import { Result } from "effect"
import * as fc from "fast-check"
import * as Cast from "../src/Cast.ts"
import type * as Fate from "../src/Fate.ts"
import * as History from "../src/History.ts"
import * as JUnitDocument from "../src/JUnitDocument.ts"
import * as OpenPull from "../src/OpenPull.ts"

const day = 86_400_000

const options = fc.record({
  seed: fc.integer(),
  days: fc.integer({ min: Cast.smallest.days, max: 20 }),
  tests: fc.integer({ min: Cast.smallest.tests, max: 120 }),
  now: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) })
})

const check = (property: (reports: ReadonlyArray<History.JobReport>, from: History.Options) => void) =>
  fc.assert(
    fc.property(options, (each) => property([...History.make(each)], each)),
    { numRuns: 8 }
  )

const onMain = (reports: ReadonlyArray<History.JobReport>) => reports.filter((report) => report.branch === "main")

/** Every outcome on main of the tests that play a part, with the report it is in. */
const ofPart = (reports: ReadonlyArray<History.JobReport>, part: Cast.Part["_tag"]) =>
  onMain(reports).flatMap((report) =>
    report.outcomes.flatMap((outcome) => (outcome.member.part._tag === part ? [{ ...outcome, report }] : []))
  )

const isOutage = (report: History.JobReport) =>
  report.outcomes.some((outcome) => outcome.trouble?.type === "java.net.ConnectException")

describe("the invented history", () => {
  it("the invented history is the same for the same seed and now, to the byte", () => {
    fc.assert(
      fc.property(options, (each) => {
        const write = () => [...History.make(each)].map(JUnitDocument.write)
        assert.deepStrictEqual(write(), write())
      }),
      { numRuns: 3 }
    )
  })

  it("the invented history is another one for another seed", () => {
    const of = (seed: number) => [...History.make({ seed, days: 14, tests: 50, now: Date.UTC(2026, 10, 21) })]
    assert.notDeepEqual(of(1), of(2))
  })

  it("the invented history goes from its first day to now, in order, and never beyond", () => {
    check((reports, { days, now }) => {
      const times = reports.map((report) => report.finishedAt)
      assert.isAbove(times[0] ?? 0, now - (days + 1) * day)
      assert.isAtMost(times.at(-1) ?? 0, now)
      assert.isAbove(times.at(-1) ?? 0, now - 2 * day)
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
    })
  })

  it("a history made later on the same day begins with the one made earlier", () => {
    check((reports, from) => {
      const later = { ...from, now: from.now - (from.now % day) + day - 1 }
      assert.deepStrictEqual([...History.make(later)].slice(0, reports.length), reports)
    })
  })

  it("the invented history names no test twice in a job", () => {
    check((reports) => {
      for (const report of reports) {
        const names = report.outcomes.map(({ member }) => `${member.file} ${member.classname} ${member.name}`)
        assert.strictEqual(new Set(names).size, names.length)
      }
    })
  })

  it("the invented history has flaky tests: failed and passed on the same commit", () => {
    check((reports) => {
      const ends = new Map<string, Set<string>>()
      for (const { conclusion, member, report } of ofPart(reports, "flaky")) {
        const key = `${member.index} ${report.job} ${report.commit}`
        ends.set(key, (ends.get(key) ?? new Set()).add(conclusion))
      }
      assert.isTrue([...ends.values()].some((each) => each.size === 2))
    })
  })

  it("the invented history has tests that pass when the job runs them again", () => {
    check((reports) => assert.isTrue(ofPart(reports, "rerun").some(({ conclusion }) => conclusion === "rerun")))
  })

  it("the invented history has broken tests: passing at first, failing on every commit since", () => {
    check((reports) => {
      const members = Map.groupBy(ofPart(reports, "broken"), ({ member }) => member.index)
      assert.isAbove(members.size, 0)
      for (const each of members.values()) {
        const ends = each.filter(({ report }) => !isOutage(report)).map(({ conclusion }) => conclusion)
        const first = ends.indexOf("failed")
        assert.isAbove(first, 0)
        assert.isTrue(ends.every((end, index) => (end === "failed") === index >= first))
      }
    })
  })

  it("the invented history has repaired tests: failing for a time, passing before and after", () => {
    check((reports) => {
      for (const each of Map.groupBy(ofPart(reports, "fixed"), ({ member }) => member.index).values()) {
        const ends = each.filter(({ report }) => !isOutage(report)).map(({ conclusion }) => conclusion)
        const shape = ends.filter((end, index) => end !== ends[index - 1])
        assert.deepStrictEqual(shape, ["passed", "failed", "passed"])
      }
    })
  })

  it("the invented history has new and retired tests", () => {
    check((reports, { days, now }) => {
      const starts = ofPart(reports, "new").map(({ report }) => report.finishedAt)
      const ends = ofPart(reports, "retired").map(({ report }) => report.finishedAt)
      assert.isAbove(starts.length, 0)
      assert.isAbove(ends.length, 0)
      assert.isAbove(Math.min(...starts), now - 7 * day)
      assert.isBelow(Math.max(...ends), now - (days / 2) * day)
    })
  })

  it("the invented history has an outage: a run in which much fails at once, and passes when it is repeated", () => {
    check((reports) => {
      const runs = reports.filter(isOutage)
      assert.strictEqual(runs.length, 1)
      const [run] = runs
      const failed = run?.outcomes.filter(({ conclusion }) => conclusion === "failed") ?? []
      assert.isAtLeast(failed.length, 0.2 * (run?.outcomes.length ?? 0))
      assert.isTrue(reports.some((each) => each.runId === run?.runId && each.job === run?.job && each.runAttempt === 2))
    })
  })

  it("the invented history has pull requests: runs on their branches, and commits on main that name the one that brought them", () => {
    check((reports) => {
      assert.isTrue(reports.some((report) => report.branch !== "main"))
      for (const { base, branch, pull } of reports) {
        assert.strictEqual(base, branch === "main" ? null : "main")
        assert.isTrue(base === null || branch === `change-${pull.number}`)
      }
    })
  })

  it("the open pull request fails alone, with main, and by chance, brings a test, and stays the same all day", () => {
    fc.assert(
      fc.property(options, (from) => {
        const open = OpenPull.make(from)
        const { pull, reports } = open
        const [first, second] = reports
        const failed = (report: History.JobReport) =>
          report.outcomes.flatMap(({ conclusion, member }) => (conclusion === "failed" ? [member.part._tag] : []))
        assert.includeMembers(failed(first), ["steady", "flaky"])
        assert.deepStrictEqual(
          failed(second),
          failed(first).filter((part) => part !== "flaky")
        )
        assert.isTrue(first.outcomes.some(({ member }) => member.name === "test_accepts_vouchers"))
        assert.isAtMost(second.finishedAt, from.now)
        assert.isFalse([...History.make(from)].some((report) => report.pull.number === pull.number))
        const later = { ...from, now: from.now - (from.now % day) + day - 1 }
        assert.deepStrictEqual(OpenPull.make(later), open)
      }),
      { numRuns: 20 }
    )
  })

  it("the invented history has one run of the integration tests that ended early", () => {
    check((reports) => {
      const counts = onMain(reports)
        .filter(({ job, runAttempt }) => job === "integration" && runAttempt === 1)
        .map(({ outcomes }) => outcomes.length)
      // In a small suite a new test on the day before makes up for a part of what is missing.
      const early = counts.filter(
        (count, index) => count < Math.min(counts[index - 1] ?? 0, counts[index + 1] ?? count)
      )
      assert.strictEqual(early.length, 1)
    })
  })

  it("the invented history has tests that became slower", () => {
    check((reports, { now }) => {
      const slower = ofPart(reports, "slower")
      const meanOf = (isLate: boolean) => {
        const some = slower.filter(({ report }) => isLate === report.finishedAt > now - 6 * day)
        return some.reduce((sum, { seconds }) => sum + seconds, 0) / some.length
      }
      assert.isAbove(meanOf(true), 2 * meanOf(false))
    })
  })

  it("the invented history has skipped tests", () => {
    check((reports) => assert.isTrue(ofPart(reports, "skipped").every(({ conclusion }) => conclusion === "skipped")))
    check((reports) => assert.isAbove(ofPart(reports, "skipped").length, 0))
  })
})

describe("the reports of the invented history", () => {
  it("the reports of the invented history are parsed without a warning, and every test has its conclusion", () => {
    const read = { passed: "passed", failed: "failed", skipped: "skipped", rerun: "passed" } as const
    for (const report of History.make({ seed: 1, days: 14, tests: 100, now: Date.UTC(2026, 10, 21, 12) })) {
      const { cases, warnings } = Result.getOrThrow(JUnit.parse(JUnitDocument.write(report)))
      assert.deepStrictEqual(warnings, [])
      assert.deepStrictEqual(
        cases.map(({ conclusion, flaky }) => ({ conclusion, flaky })),
        outcomesInOrder(report).map(({ conclusion }) => ({
          conclusion: read[conclusion],
          flaky: conclusion === "rerun"
        }))
      )
    }
  })

  it("give one test the same name in every browser", () => {
    const names = new Map<string, Set<string>>()
    for (const report of History.make({ seed: 1, days: 14, tests: 100, now: Date.UTC(2026, 10, 21, 12) })) {
      if (report.kind !== "browser" || report.runAttempt > 1) continue
      const { cases } = Result.getOrThrow(JUnit.parse(JUnitDocument.write(report)))
      names.set(report.job, new Set(cases.map(({ testName }) => testName)))
    }
    assert.strictEqual(names.size, 2)
    assert.deepStrictEqual(names.get("chromium"), names.get("firefox"))
  })
})

/** A document lists the tests file by file. */
const outcomesInOrder = (report: History.JobReport): ReadonlyArray<Fate.Outcome> =>
  report.kind === "unit"
    ? report.outcomes
    : [...Map.groupBy(report.outcomes, ({ member }) => member.file).values()].flat()
