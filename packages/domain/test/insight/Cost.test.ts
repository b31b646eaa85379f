import {
  Cost,
  CostCommit,
  CostFacts,
  CostKnown,
  CostLedger,
  CostPolicy,
  type CostRun,
  CostShare,
  FailureGate,
  Instant,
  Steps
} from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const now = Date.UTC(2026, 0, 31, 12)

const minute = 60_000_000

type Failed = Partial<CostFacts.CostTest> & { readonly testName: string }

/** A test that failed, and passed on the same code. */
const flake = (testName: string, parts: Partial<CostFacts.CostTest> = {}): Failed => ({
  testName,
  hasPassed: true,
  ...parts
})

/** A job run of ten minutes on the commit `c1`, an hour before now. */
const run = (
  parts: Omit<Partial<CostFacts.CostRun>, "tests"> = {},
  tests: ReadonlyArray<Failed> = []
): CostFacts.CostRun => {
  const { jobName = "unit", runAttempt = 1, runId = "1" } = parts
  return {
    key: [jobName, runId, runAttempt, parts.commit].join(" "),
    at: now - Instant.hour,
    pipelineName: "CI",
    jobName,
    runId,
    runAttempt,
    commit: "c1",
    branch: "main",
    baseBranch: null,
    isExcused: false,
    passed: 90,
    failed: tests.filter(({ isFailed }) => isFailed !== false).length,
    durationUs: 10 * minute,
    source: "reports",
    ...parts,
    tests: tests.map((test) => ({ isFailed: true, hasPassed: false, reruns: 0, file: null, ...test }))
  }
}

interface Known {
  readonly opinions?: Readonly<Record<string, Partial<CostRun.Opinion>>>
  readonly causes?: Readonly<Record<string, string>>
}

/** The stored result of job runs; opinions and causes are by test. */
const knownOf = (runs: ReadonlyArray<CostFacts.CostRun>, { causes = {}, opinions = {} }: Known = {}) => {
  const ledger = CostLedger.make(now)
  const nameOf = (testName: string) => causes[testName] ?? null
  for (const ofCommit of CostFacts.byCommit(runs)) {
    const cost = CostCommit.of(ofCommit, {
      opinionOf: (_, testName) => {
        const opinion = opinions[testName]
        return opinion === undefined
          ? null
          : { verdict: "undecided", probability: 0, truth: null, outcome: null, ...opinion }
      },
      causeOf: nameOf,
      gate: FailureGate.recommended,
      policy: CostPolicy.defaults
    })
    CostLedger.add(ledger, cost)
  }
  return CostLedger.close(ledger, {
    from: 0,
    queue: [],
    causeOf: (testName) => {
      const name = nameOf(testName)
      return name === null ? null : { causeId: name, name }
    }
  })
}

const asked: Cost.Question = {
  by: "test",
  weeks: 12,
  policy: { ...CostPolicy.defaults, leastRuns: 1 },
  ownersOf: () => []
}

const tableOf = (runs: ReadonlyArray<CostFacts.CostRun>, question: Partial<Cost.Question> = {}, known: Known = {}) =>
  Cost.of(knownOf(runs, known), { ...asked, ...question })

const minutesOf = ({ failed, repeated, retried, waiting }: Cost.Spent) =>
  [failed, repeated, retried, waiting].map((us) => us / minute)

const rowsOf = ({ rows }: Cost.Cost) => rows.map((row) => [row.name, ...minutesOf(row)])

const testNames = ["a", "b", "c", "d"] as const

const someRun = fc
  .record({
    commit: fc.constantFrom("c1", "c2", "c3"),
    jobName: fc.constantFrom("unit", "lint"),
    runId: fc.constantFrom("1", "2"),
    runAttempt: fc.integer({ min: 1, max: 3 }),
    at: fc.integer({ min: 0, max: 13 * 7 * 24 }).map((hours) => now - hours * Instant.hour),
    baseBranch: fc.constantFrom(null, "main"),
    isExcused: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
    durationUs: fc.integer({ min: 0, max: 20 * minute }),
    source: fc.constantFrom("platform" as const, "reports" as const),
    tests: fc.subarray([...testNames])
  })
  .chain(({ tests, ...parts }) =>
    fc
      .tuple(
        ...tests.map((testName) =>
          fc.record({
            testName: fc.constant<string>(testName),
            isFailed: fc.boolean(),
            hasPassed: fc.boolean(),
            reruns: fc.integer({ min: 0, max: 2 }),
            file: fc.constantFrom(null, "a.ts", "b.ts")
          })
        )
      )
      .map((all) => run({ ...parts, key: JSON.stringify(parts) }, all))
  )

const someRuns = fc.array(someRun, { maxLength: 25 })

const someKnown = fc.record({
  opinions: fc.dictionary(
    fc.constantFrom(...testNames),
    fc.record({
      verdict: fc.constantFrom("flaky" as const, "outage" as const, "new_failure" as const),
      probability: fc.constantFrom(0.5, 0.99),
      truth: fc.constantFrom(null, "flaky" as const, "real" as const),
      outcome: fc.constantFrom(null, "flaky" as const, "real" as const)
    })
  ),
  causes: fc.dictionary(fc.constantFrom(...testNames), fc.constantFrom("one", "other"))
})

const spentOf = (spents: ReadonlyArray<Cost.Spent>) =>
  spents.reduce((sum, row) => CostCommit.kinds.map((kind, index) => (sum[index] ?? 0) + row[kind]), [0, 0, 0, 0, 0])

const shuffled = <A>(items: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  items
    .map((item, index) => [Math.imul(index + 1, seed | 1) >>> 0, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)

describe("CostShare", () => {
  it("shares are whole numbers that sum up to the total, and differ by one at most between equal tests", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e12 }),
        fc.uniqueArray(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 9 }),
        fc.integer(),
        (total, names, seed) => {
          const shares = CostShare.among(total, names, () => null)
          assert.strictEqual(
            shares.reduce((sum, { us }) => sum + us, 0),
            total
          )
          const all = shares.map(({ us }) => us)
          assert.isAtMost(Math.max(...all) - Math.min(...all), 1)
          assert.deepStrictEqual(
            CostShare.among(total, shuffled([...names, ...names], seed), () => null),
            shares
          )
        }
      ),
      { numRuns: 200 }
    )
  })

  it("each cause pays the same, and each test of a cause the same part of that", () => {
    const causeOf = (testName: string) => (testName === "z" ? null : "net")
    assert.deepStrictEqual(CostShare.among(120, ["a", "b", "c", "z"], causeOf), [
      { testName: "a", us: 20 },
      { testName: "b", us: 20 },
      { testName: "c", us: 20 },
      { testName: "z", us: 60 }
    ])
  })
})

describe("Cost", () => {
  it("the rows of every table sum up to the total, which is that of the weeks", () => {
    fc.assert(
      fc.property(someRuns, someKnown, fc.integer({ min: 1, max: 12 }), (runs, known, weeks) => {
        const ownersOf = ({ testName }: { readonly testName: string }) =>
          testName === "a" ? [] : testName === "b" ? ["@net"] : ["@net", "@ui"]
        for (const by of ["test", "cause", "owner", "week"] as const) {
          const { counts, rows, total } = tableOf(runs, { by, weeks, ownersOf }, known)
          assert.deepStrictEqual(spentOf(rows), spentOf([total]), by)
          assert.strictEqual(Cost.runsOf(total.runs), counts.runs.byFlakes)
          assert.closeTo(
            rows.reduce((sum, { amount }) => sum + amount, 0),
            total.amount,
            1e-6
          )
        }
      }),
      { numRuns: 200 }
    )
  })

  it("the order of job runs, and one that is read twice, change nothing", () => {
    fc.assert(
      fc.property(someRuns, someKnown, fc.integer(), (runs, known, seed) => {
        assert.deepStrictEqual(knownOf(shuffled([...runs, ...runs.slice(0, 3)], seed), known), knownOf(runs, known))
      }),
      { numRuns: 200 }
    )
  })

  it("no more is paid for red job runs than they took, and no job run is red by flakes that has a real failure", () => {
    fc.assert(
      fc.property(someRuns, someKnown, (runs, known) => {
        const { counts, total } = tableOf(runs, {}, known)
        assert.isAtMost(total.failed + total.repeated, counts.runUs)
        assert.isAtMost(counts.runs.byFlakes, counts.runs.red)
        assert.isAtMost(counts.runs.withGate, counts.runs.byFlakes)
        assert.isAtMost(counts.commits.byFlakes, counts.commits.red)
        const real = runs.map((one) => run({ ...one }, [...one.tests, { testName: "real" }]))
        assert.strictEqual(tableOf(real, {}, known).counts.runs.byFlakes, 0)
      }),
      { numRuns: 150 }
    )
  })

  it("a job run that only flakes made red costs its time, and the wait for the green one", () => {
    const table = tableOf([
      run({ at: now - 60 * Instant.minute }, [flake("a"), flake("b")]),
      run({ runAttempt: 2, at: now - 30 * Instant.minute })
    ])
    assert.deepStrictEqual(rowsOf(table), [
      ["a", 5, 0, 0, 15],
      ["b", 5, 0, 0, 15]
    ])
    assert.deepStrictEqual(table.counts.runs, { all: 2, red: 1, byFlakes: 1, withGate: 1 })
    assert.deepStrictEqual(table.counts.commits, { all: 1, red: 1, byFlakes: 1, withGate: 1 })
    assert.strictEqual(table.counts.judgedUs, 0)
    assert.strictEqual(Cost.sentence(table), "the 2 most expensive causes are 100 % of the cost")
  })

  it("the rerun of a passed job is paid by the failures for which others ran again", () => {
    const first = [run({}, [flake("a")]), run({ jobName: "lint", durationUs: 3 * minute })]
    const second = [run({ runAttempt: 2 }), run({ jobName: "lint", runAttempt: 2, durationUs: 4 * minute })]
    assert.deepStrictEqual(rowsOf(tableOf([...first, ...second])), [["a", 10, 4, 0, 0]])
    // Without a red job run before it, a second attempt is nobody's cost.
    assert.deepStrictEqual(rowsOf(tableOf([run(), run({ runAttempt: 2 })])), [])
  })

  it("a job that had passed, ran again for others and was red by flakes itself is paid once", () => {
    const first = [run({}, [flake("a")]), run({ jobName: "lint" })]
    const second = [run({ runAttempt: 2 }), run({ jobName: "lint", runAttempt: 2 }, [flake("b")])]
    assert.deepStrictEqual(rowsOf(tableOf([...first, ...second])), [
      ["a", 10, 0, 0, 0],
      ["b", 10, 0, 0, 0]
    ])
  })

  it("executions that the job repeated cost the mean time of its executions, unless the job run is paid for as a whole", () => {
    const green = run({ passed: 100, failed: 0 }, [flake("a", { isFailed: false, reruns: 2 })])
    assert.deepStrictEqual(rowsOf(tableOf([green])), [["a", 0, 0, 0.2, 0]])
    const red = run({}, [flake("a", { reruns: 2 })])
    assert.deepStrictEqual(rowsOf(tableOf([red])), [["a", 10, 0, 0, 0]])
    const real = run({}, [{ testName: "a", reruns: 2 }])
    assert.deepStrictEqual(rowsOf(tableOf([real])), [])
  })

  it("one real failure makes a job run, a commit and a pull request red for another reason", () => {
    const parts = { branch: "topic", baseBranch: "main" }
    const table = tableOf([
      run({ ...parts, commit: "c1", runId: "1" }, [flake("a")]),
      run({ ...parts, commit: "c2", runId: "2" }, [flake("a"), { testName: "b" }])
    ])
    assert.deepStrictEqual(table.counts.commits, { all: 2, red: 2, byFlakes: 1, withGate: 1 })
    assert.deepStrictEqual(table.counts.pulls, { all: 1, red: 1, byFlakes: 0, withGate: 0 })
  })

  it("an outage is a line of its own, and no test pays for it", () => {
    const table = tableOf(
      [run({ isExcused: true, commit: "c1" }, [flake("a")]), run({ commit: "c2" }, [flake("b")])],
      {},
      { opinions: { b: { verdict: "outage" } } }
    )
    assert.deepStrictEqual(table.rows, [])
    assert.deepStrictEqual([table.counts.outageRuns, table.counts.outageUs / minute], [2, 20])
    assert.strictEqual(table.counts.commits.byFlakes, 0)
  })

  it("the word of a person counts before reruns, reruns before the verdict", () => {
    const flaky = (opinion: Partial<CostRun.Opinion>, hasPassed: boolean) =>
      tableOf([run({}, [{ testName: "a", hasPassed }])], {}, { opinions: { a: opinion } }).counts
    assert.strictEqual(flaky({ verdict: "flaky", truth: "real" }, true).runs.byFlakes, 0)
    assert.strictEqual(flaky({ verdict: "new_failure", truth: "flaky" }, false).runs.byFlakes, 1)
    assert.strictEqual(flaky({ verdict: "new_failure" }, true).runs.byFlakes, 1)
    assert.strictEqual(flaky({ verdict: "flaky", outcome: "real" }, false).runs.byFlakes, 0)
    assert.strictEqual(flaky({ verdict: "flaky" }, false).judgedUs, 10 * minute)
    assert.strictEqual(flaky({}, false).runs.byFlakes, 0)
  })

  it("with the recommended gate a commit is green whose flakes were known to be some at first sight", () => {
    const runs = [
      run({ commit: "c1" }, [flake("a")]),
      run({ commit: "c2" }, [flake("b")]),
      run({ commit: "c3" }, [{ testName: "c" }])
    ]
    const sure = { verdict: "flaky", probability: 0.97 } as const
    const { counts } = tableOf(
      runs,
      {},
      { opinions: { a: sure, b: { verdict: "flaky", probability: 0.9 }, c: { ...sure, truth: "real" } } }
    )
    assert.deepStrictEqual(counts.commits, { all: 3, red: 3, byFlakes: 2, withGate: 1 })
    assert.strictEqual(counts.letPass, 1)
  })

  it("with the gate a flake is in quarantine when two commits of the last 14 days have proven it, and so is a real failure of the test", () => {
    const at = (days: number) => now - days * Instant.day
    const red = (commit: string, days: number, parts: Partial<CostFacts.CostTest> = {}) =>
      run({ commit, at: at(days), branch: commit, baseBranch: "main" }, [flake("a", parts)])
    const far = [red("c1", 30), red("c2", 15.5), red("c3", 1)]
    assert.strictEqual(tableOf(far).counts.commits.withGate, 3)
    const near = [red("c1", 9), red("c2", 8), red("c3", 7), red("c4", 6, { hasPassed: false })]
    const { counts } = tableOf(near)
    assert.deepStrictEqual(counts.commits, { all: 4, red: 4, byFlakes: 3, withGate: 2 })
    assert.deepStrictEqual(counts.runs, { all: 4, red: 4, byFlakes: 3, withGate: 2 })
    assert.deepStrictEqual(counts.pulls, { all: 4, red: 4, byFlakes: 3, withGate: 2 })
    assert.strictEqual(counts.letPass, 1)
    // A second failure that nothing excuses keeps the job run red.
    const both = [...near.slice(0, 2), run({ commit: "c3", at: at(7) }, [flake("a"), flake("b")])]
    assert.strictEqual(tableOf(both).counts.commits.withGate, 3)
    // Several job runs of one commit prove a test once.
    const once = [red("c1", 9), run({ commit: "c1", at: at(9), jobName: "lint" }, [flake("a")]), red("c3", 7)]
    assert.strictEqual(tableOf(once).counts.commits.withGate, 2)
  })

  it("a wait ends after four hours, and a commit that never was green has none", () => {
    const red = run({ at: now - 20 * Instant.hour }, [flake("a")])
    const [row] = tableOf([red, run({ runAttempt: 2, at: now })]).rows
    assert.strictEqual(row?.waiting, 240 * minute)
    assert.strictEqual(tableOf([red]).rows[0]?.waiting, 0)
  })

  it("prices change the order, and minutes of machine decide without any", () => {
    const runs = [
      run({ commit: "c1", at: now - 3 * Instant.hour, durationUs: minute }, [flake("slow")]),
      run({ commit: "c1", at: now, runAttempt: 2 }),
      run({ commit: "c2" }, [flake("big")])
    ]
    assert.deepStrictEqual(
      tableOf(runs).rows.map(({ amount, name }) => [name, amount]),
      [
        ["big", 10],
        ["slow", 1]
      ]
    )
    const policy = { ...asked.policy, machineMinute: 0.5, personMinute: 1 }
    assert.deepStrictEqual(
      tableOf(runs, { policy }).rows.map(({ amount, name }) => [name, amount]),
      [
        ["slow", 180.5],
        ["big", 5]
      ]
    )
  })

  it("too few job runs in the weeks asked for give no figure", () => {
    const table = tableOf([run({}, [flake("a")])], { policy: CostPolicy.defaults })
    assert.deepStrictEqual([table.missingRuns, table.rows], [19, []])
    assert.strictEqual(Cost.missing(table), "not enough data yet: 19 more job runs")
    assert.strictEqual(Cost.missing({ missingRuns: 1 }), "not enough data yet: 1 more job run")
  })

  it("tests beyond those that are listed are one row, and long names are listed up to a length", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `${index} `.padEnd(10_000, "x"))
    const known = knownOf([
      run(
        { durationUs: 5000 * minute },
        names.map((name) => flake(name))
      )
    ])
    assert.isBelow(known.tests.length, 201)
    const { rows, total } = Cost.of(known, asked)
    assert.strictEqual(total.failed, 5000 * minute)
    const others = rows.find(({ key }) => key === "others")
    assert.strictEqual(others?.failed, total.failed - known.tests.length * minute)
    assert.strictEqual(others?.name, null)
  })

  it("the work grows with job runs and tests, however many jobs ran again, and no step is of more than some 5,000 tests", () => {
    const work = (tests: number, jobs: number, attempts: number) => {
      const flakes = Array.from({ length: tests }, (_, index) => flake(`test ${index}`))
      const again = Array.from({ length: attempts }, (_, attempt) =>
        Array.from({ length: jobs }, (__, job) => run({ jobName: `job ${job}`, runAttempt: attempt + 1 }))
      )
      let [calls, most, last] = [0, 0, 0]
      const context = {
        opinionOf: () => null,
        causeOf: () => {
          calls += 1
          return null
        },
        gate: FailureGate.recommended,
        policy: CostPolicy.defaults
      }
      const runs = [run({}, flakes), run({ runAttempt: 2 }), ...again.flat()]
      const ledger = CostLedger.make(now)
      const steps = Steps.andThen(CostCommit.steps(runs, context), (cost) => CostLedger.adding(ledger, cost))
      for (let step = steps.next(); step.done !== true; step = steps.next()) {
        most = Math.max(most, calls - last)
        last = calls
      }
      assert.strictEqual(ledger.tests.size, tests)
      return { calls, most }
    }
    // A job run, its time, the jobs that ran again and the wait: four bills.
    assert.strictEqual(work(300, 40, 5).calls, 4 * 300)
    assert.strictEqual(work(300, 1, 2).calls, 4 * 300)
    assert.strictEqual(work(600, 40, 5).calls, 4 * 600)
    assert.isAtMost(work(12_000, 2, 2).most, 5001)
  })

  it("of 50,000 tests that fail in one job run as many are rows as are kept, and the whole cost is paid", () => {
    const names = Array.from({ length: 50_000 }, (_, index) => `test ${index}`)
    const known = knownOf([
      run(
        { durationUs: 5000 * minute },
        names.map((name) => flake(name))
      )
    ])
    assert.strictEqual(known.tests.length, CostKnown.mostTests)
    assert.strictEqual(Cost.of(known, asked).total.failed, 5000 * minute)
  })
})
