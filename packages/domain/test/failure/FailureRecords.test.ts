import { FailureFacts, FailureRecords, Instant, JobRecord } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const now = Date.UTC(2027, 0, 1)

const failure: FailureFacts.FailedExecution = {
  id: "own",
  testName: "test 0",
  pipelineName: "CI",
  jobName: "job 0",
  at: now,
  commit: "probe",
  branch: "main",
  base: "main",
  isPullRequest: false,
  runId: "probe",
  attempts: 1,
  exceptionType: null,
  message: "boom",
  file: null,
  jobUrl: null,
  signature: "s1"
}

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** Job runs of one test in two jobs on few commits; `outcomes` are its executions there. */
const Draw = Schema.Struct({
  job: small(1),
  commit: small(3),
  isPush: Schema.Boolean,
  outcomes: Schema.Array(Schema.Literals(["passed", "failed", "flaky"])).check(Schema.isBetweenLength(1, 3))
})

interface Drawn {
  readonly run: FailureRecords.RunRecord
  readonly outcomes: ReadonlyArray<"passed" | "failed" | "flaky">
}

const runs = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Draw), { maxLength: 40 }), (draws): ReadonlyArray<Drawn> =>
  draws.map(({ commit, isPush, job, outcomes }, index) => ({
    run: {
      pipelineName: "CI",
      jobName: `job ${job}`,
      runId: `${index}`,
      runAttempt: 1,
      commit: `c${commit}`,
      branch: isPush ? "main" : "topic",
      baseBranch: isPush ? null : "main",
      at: now - Instant.day + index
    },
    outcomes
  }))
)

const outcomeOf = ({ outcomes, run }: Drawn): FailureRecords.OutcomeRecord => ({
  conclusion: outcomes.every((one) => one === "failed") ? "failed" : "passed",
  run
})

const recordsOf = (drawn: ReadonlyArray<Drawn>): FailureRecords.FailureRecords => ({
  failure,
  defaultBranch: "main",
  job: { passed: 0, failed: 0, silent: 0 },
  reruns: [],
  siblings: [],
  before: drawn.filter(({ run }) => run.baseBranch === null).map(outcomeOf),
  unstable: drawn.flatMap(({ outcomes, run }) =>
    outcomes.flatMap((one, index) =>
      one === "passed"
        ? []
        : [
            {
              id: `${run.runId}.${index}`,
              at: run.at,
              conclusion: one === "failed" ? ("failed" as const) : ("passed" as const),
              signature: one === "failed" ? `s${index}` : null,
              run
            }
          ]
    )
  ),
  passes: drawn.map(outcomeOf).filter(({ conclusion }) => conclusion === "passed"),
  elsewhere: []
})

/** The runs of one group after another; those of a pull request are groups of their own. */
const groupsOf = (drawn: ReadonlyArray<Drawn>): ReadonlyArray<ReadonlyArray<Drawn>> => [
  ...Map.groupBy(
    drawn,
    ({ run }) => `${run.jobName} ${run.commit} ${run.baseBranch === null ? "" : run.runId}`
  ).values()
]

const all = (group: ReadonlyArray<Drawn>) => group.flatMap(({ outcomes }) => outcomes)

const isIn = (jobName: string) => (one: Drawn) => one.run.jobName === jobName && one.run.baseBranch === null

describe("FailureRecords", () => {
  it.prop("the order of the records makes no difference", [runs], ([drawn]) => {
    const records = recordsOf(drawn)
    const turned = {
      ...records,
      before: records.before.toReversed(),
      unstable: records.unstable.toReversed(),
      passes: records.passes.toReversed()
    }
    assert.deepStrictEqual(FailureRecords.factsOf(turned), FailureRecords.factsOf(records))
  })

  it.prop("the row counts the last job runs of the identity that ended the same", [runs], ([drawn]) => {
    const [row] = FailureRecords.factsOf(recordsOf(drawn)).rows
    const own = drawn.filter(isIn("job 0")).map(outcomeOf)
    const last = own.at(-1)?.conclusion
    const other = own.findLastIndex(({ conclusion }) => conclusion !== last)
    assert.deepStrictEqual(
      [row?.conclusion, row?.length ?? 0],
      [last, Math.min(FailureRecords.bounds.row, own.length - 1 - other)]
    )
  })

  it.prop("a commit with a failed attempt and a pass is a flake, in every job", [runs], ([drawn]) => {
    const flakes = groupsOf(drawn).filter((group) => {
      const outcomes = all(group)
      return outcomes.includes("flaky") || (outcomes.includes("failed") && outcomes.includes("passed"))
    })
    const { test } = FailureRecords.factsOf(recordsOf(drawn))
    assert.strictEqual(test.flakes.length, Math.min(FailureRecords.bounds.commits, flakes.length))
  })

  it.prop(
    "other commits of the branch on which the identity failed and never passed are earlier failures",
    [runs],
    ([drawn]) => {
      const records = recordsOf(drawn)
      const pushed = { ...records.failure, branch: "main", base: "release/1", signature: "s0" }
      const failed = groupsOf(drawn.filter(isIn("job 0"))).filter((group) =>
        all(group).every((one) => one === "failed")
      )
      const { earlier } = FailureRecords.factsOf({ ...records, failure: pushed })
      assert.strictEqual(earlier.commits, failed.length)
      assert.strictEqual(earlier.same, earlier.commits)
      assert.strictEqual(
        FailureRecords.factsOf({ ...records, failure: { ...failure, base: "main" } }).earlier.commits,
        0
      )
    }
  )
})

const run = (id: string, at: number, change: Partial<FailureRecords.RunRecord> = {}): FailureRecords.RunRecord => ({
  pipelineName: "CI",
  jobName: "job 0",
  runId: id,
  runAttempt: 1,
  commit: id,
  branch: "main",
  baseBranch: null,
  at: now - Instant.day + at,
  ...change
})

type Change = Partial<FailureRecords.RunRecord>

const passed = (id: string, at: number, change: Change = {}): FailureRecords.OutcomeRecord => ({
  conclusion: "passed",
  run: run(id, at, change)
})

const failed = (id: string, at: number, change: Change = {}): FailureRecords.OutcomeRecord => ({
  ...passed(id, at, change),
  conclusion: "failed"
})

/** An execution with a failed attempt of an outcome. */
const unstable = (outcome: FailureRecords.OutcomeRecord, signature: string | null = "s1", late = 0) => ({
  ...outcome,
  id: `${outcome.run.runId} ${late}`,
  at: outcome.run.at + late,
  signature
})

const factsOf = (
  records: Partial<FailureRecords.FailureRecords>,
  execution: Partial<FailureFacts.FailedExecution> = {}
) => FailureRecords.factsOf({ ...recordsOf([]), ...records, failure: { ...failure, ...execution } })

const topic = { branch: "topic", isPullRequest: true } as const
const ofPull = { branch: "topic", baseBranch: "main" } as const

describe("FailureRecords.factsOf, runs of the base", () => {
  it("what the base is compared by is the base branch first, then the default branch, each with its last run", () => {
    const before = [
      passed("a", 1),
      failed("b", 2),
      failed("c", 3),
      passed("r", 4, { branch: "release" }),
      failed("other job", 5, { jobName: "job 1" }),
      failed("other branch", 6, { branch: "topic" })
    ]
    const { previousRuns, rows } = factsOf({ before }, { ...topic, base: "release" })
    assert.deepStrictEqual(
      rows.map(({ at, branch, commit, conclusion, length }) => [branch, conclusion, length, commit, at]),
      [
        ["release", "passed", 1, "r", now - Instant.day + 4],
        ["main", "failed", 2, "c", now - Instant.day + 3]
      ]
    )
    assert.deepStrictEqual(previousRuns, [
      { branch: "release", passed: 1, failed: 0 },
      { branch: "main", passed: 0, failed: 1 }
    ])
    assert.deepStrictEqual(
      factsOf({ before }).rows.map(({ branch }) => branch),
      ["main"]
    )
  })

  it("the previous run counts the jobs of the latest run and commit alone", () => {
    const later = { runId: "last", commit: "m2" }
    const before = [
      failed("m1", 1, { jobName: "only before" }),
      failed("m1", 2),
      passed("m2", 3, later),
      failed("m2", 4, { ...later, jobName: "job 1" }),
      passed("m2", 5, { ...later, jobName: "job 2" }),
      passed("m2", 3, { jobName: "job 3", runId: "another run", commit: "m2" }),
      passed("m0", 3, { jobName: "job 4", runId: "last", commit: "m0" })
    ]
    assert.deepStrictEqual(factsOf({ before }).previousRuns, [{ branch: "main", passed: 2, failed: 1 }])
  })

  it("an outcome carries the signature of the last failure in its run, and whether health judges it as an outage", () => {
    const [red, green] = [failed("a", 1, { isOutage: true }), passed("b", 2)]
    const records = {
      before: [red, green],
      unstable: [
        unstable(red, "last", 9),
        unstable(red, "first", 3),
        unstable({ ...red, run: { ...red.run, runId: "another run" } }, "other", 10),
        unstable({ ...red, run: { ...red.run, commit: "another commit" } }, "other", 11),
        unstable(green, "of a pass")
      ]
    }
    const at = now - Instant.day
    assert.deepStrictEqual(factsOf(records).rows[0]?.outcomes, [
      { conclusion: "passed", commit: "b", at: at + 2, isOutage: false, signature: null },
      { conclusion: "failed", commit: "a", at: at + 1, isOutage: true, signature: "last" }
    ])
    assert.isNull(factsOf(records).rows[0]?.signature)
    const failing = factsOf({ ...records, before: [red] })
    assert.strictEqual(failing.rows[0]?.signature, "last")
    assert.isNull(factsOf({ before: [red] }).rows[0]?.signature)
    assert.deepStrictEqual(
      factsOf({ ...records, next: [green, red] }).next.map(({ signature }) => signature),
      ["last", null]
    )
  })
})

describe("FailureRecords.factsOf, the commit of the failure", () => {
  it("reruns and siblings are of the same kind of run: pushes for a push, pull requests for a pull request", () => {
    const each = [passed("push", 1), passed("pull", 2, { ...ofPull, jobName: "job 1" })]
    const records = {
      reruns: [...each.map((one) => unstable(one)), { ...unstable(passed("x", 3)), id: "own" }],
      siblings: each
    }
    const of = (execution: Partial<FailureFacts.FailedExecution>) => {
      const { reruns, siblings } = factsOf(records, execution)
      return [reruns.map(({ runId }) => runId), siblings.map(({ jobName }) => jobName)]
    }
    assert.deepStrictEqual(of({}), [["push"], ["job 0"]])
    assert.deepStrictEqual(of(topic), [["pull"], ["job 1"]])
  })

  it("runs of a fork are facts on failures of the same branch alone", () => {
    const fork = { branch: "ada:topic", baseBranch: "main" }
    const records = { siblings: [passed("fork", 1, fork)], unstable: [unstable(passed("fork", 1, fork))] }
    const of = (branch: string) => {
      const { siblings, test } = factsOf(records, { branch, isPullRequest: true })
      return [siblings.length, test.flakes.length]
    }
    assert.deepStrictEqual(
      [of("ada:topic"), of("ada:other"), of("topic")],
      [
        [1, 1],
        [0, 0],
        [0, 0]
      ]
    )
  })

  it("of each job the latest run counts, by its end, then its id, its attempt and its commit", () => {
    const first = run("r1", 1)
    const later = [
      { ...first, at: first.at + 1, runId: "r0", runAttempt: 0, commit: "a" },
      { ...first, runId: "r2", runAttempt: 0, commit: "a" },
      { ...first, runAttempt: 2, commit: "a" },
      { ...first, commit: "r2" }
    ]
    for (const one of later) {
      assert.isBelow(FailureRecords.compareRuns(first, one), 0)
      const siblings = [
        { conclusion: "passed" as const, run: one },
        { conclusion: "failed" as const, run: first }
      ]
      assert.deepStrictEqual(factsOf({ siblings }).siblings, [
        { pipelineName: "CI", jobName: "job 0", conclusion: "passed" }
      ])
    }
  })
})

describe("FailureRecords.factsOf, the record of the test", () => {
  const commitsOf = (list: ReadonlyArray<{ readonly commit: string }>) => list.map(({ commit }) => commit)

  it("a pass on retry makes a commit a flake by itself, and a pass alone does not", () => {
    const { test } = factsOf({ unstable: [unstable(passed("a", 1), null)], passes: [passed("b", 2)] })
    assert.deepStrictEqual(commitsOf(test.flakes), ["a"])
  })

  it("a flake has the end of its latest run, and the most failures of a run that is known", () => {
    const of = (first: Change, second: Change, pass: number) => {
      const red = [failed("a", 5, { commit: "c", ...first }), failed("b", 3, { commit: "c", ...second })]
      const passes = [passed("p", pass, { commit: "c" })]
      const { at, failures } = factsOf({ unstable: red.map((one) => unstable(one)), passes }).test.flakes[0] ?? {}
      return [(at ?? 0) - now + Instant.day, failures]
    }
    assert.deepStrictEqual(of({}, {}, 4), [5, null])
    assert.deepStrictEqual(of({}, {}, 9), [9, null])
    assert.deepStrictEqual(of({ failed: 7 }, {}, 4), [5, 7])
    assert.deepStrictEqual(of({ failed: 2 }, { failed: 3 }, 4), [5, 3])
    assert.deepStrictEqual(of({ failed: 0 }, {}, 4), [5, 0])
    assert.deepStrictEqual(of({ at: now - Instant.day + 3 }, { at: now - Instant.day + 5 }, 4), [5, null])
  })

  it("flakes are in the order of their ends, then of their commits and jobs", () => {
    const flaked = (commit: string, at: number, job = "job 0") => unstable(passed(commit, at, { jobName: job }))
    const { flakes } = factsOf({
      unstable: [flaked("b", 1, "job 1"), flaked("b", 1), flaked("a", 1), flaked("c", 0)]
    }).test
    assert.deepStrictEqual(
      flakes.map(({ commit, jobName }) => `${commit} ${jobName}`),
      ["c job 0", "a job 0", "b job 0", "b job 1"]
    )
  })

  it("failures on other branches count where no pass followed, before the failure, without the branches it is compared with", () => {
    const failing = (branch: string, at: number) => unstable(failed(`${branch} ${at}`, at, { branch }))
    const records = {
      unstable: [
        ...["topic", "release", "main", "other"].map((branch) => failing(branch, 1)),
        failing("other", Instant.day - 1),
        failing("other", Instant.day),
        unstable(failed("passes", 2, { branch: "other" })),
        unstable(failed("differently", 3, { branch: "other", failed: 4 }), "s2")
      ],
      passes: [passed("passes", 4, { branch: "other" })]
    }
    const others = (signature: string | null) =>
      factsOf(records, { ...topic, base: "release", signature }).test.others.map(({ commit, failures, isSame }) => [
        commit,
        failures,
        isSame
      ])
    const last = `other ${Instant.day - 1}`
    assert.deepStrictEqual(others("s1"), [
      ["other 1", null, true],
      ["differently", 4, false],
      [last, null, true]
    ])
    assert.deepStrictEqual(others(null), [
      ["other 1", null, false],
      ["differently", 4, false],
      [last, null, false]
    ])
  })

  it("earlier failures of the branch are of the same job, before the failure and on another branch than its base", () => {
    const failing = (id: string, at: number, change: Change = {}) => unstable(failed(id, at, { ...ofPull, ...change }))
    const records = {
      unstable: [
        failing("a", 1),
        failing("a", 2, { runId: "again" }),
        unstable(failed("b", 3, ofPull), "s2"),
        failing("c", 4, { jobName: "job 1" }),
        failing("d", Instant.day),
        failing("e", 5, { branch: "other" })
      ]
    }
    const of = (execution: Partial<FailureFacts.FailedExecution>) =>
      factsOf(records, { ...topic, ...execution }).earlier
    assert.deepStrictEqual(of({}), { commits: 2, same: 1 })
    assert.deepStrictEqual(of({ signature: null }), { commits: 2, same: 0 })
    assert.deepStrictEqual(of({ base: "topic" }), { commits: 0, same: 0 })
  })
})

describe("FailureRecords.factsOf, a file that did not load", () => {
  const loaded = (...ends: ReadonlyArray<number>): JobRecord.JobRunFacts => ({
    ...JobRecord.unknownRun,
    record: {
      base: ends.map((at) => ({
        at: now - Instant.day + at,
        commit: "m",
        passed: 9,
        failed: 0,
        isOutage: false,
        failures: []
      })),
      others: { runs: 0, red: 0 }
    }
  })

  it("a failure stands for the missing tests of its file while no row of the base shows a pass of it", () => {
    const of = (records: Partial<FailureRecords.FailureRecords>, file: string | null = "a.test.ts") =>
      factsOf({ missing: 4, ...records }, { file }).unloaded
    assert.deepStrictEqual(of({}), { file: "a.test.ts", tests: 4 })
    assert.deepStrictEqual(of({}, null), { file: "test 0", tests: 4 })
    assert.isNull(of({ missing: 0 }))
    assert.isNull(factsOf({}).unloaded)
    assert.deepStrictEqual(of({ missing: 1 }), { file: "a.test.ts", tests: 1 })
    assert.isNull(of({ before: [passed("m", 1), failed("n", 2)], run: loaded(3) }))
  })

  it("a file that failed on the base loads again when a run of the base ended later, and its outcomes there are left out", () => {
    const of = (...ends: ReadonlyArray<number>) =>
      factsOf({ missing: 4, before: [failed("m", 2)], run: loaded(...ends) })
    assert.deepStrictEqual(
      [of(1), of(2), of()].map(({ rows, unloaded }) => [unloaded, rows.length]),
      [
        [null, 1],
        [null, 1],
        [null, 1]
      ]
    )
    assert.isNull(factsOf({ missing: 4, before: [failed("m", 2)] }).unloaded)
    const { previousRuns, rows, unloaded } = of(1, 3)
    assert.deepStrictEqual([rows, previousRuns, unloaded?.tests], [[], [], 4])
  })

  it("each branch that the file failed on has to load it again", () => {
    const before = [failed("r", 1, { branch: "release" }), failed("m", 5)]
    const of = (end: number) =>
      factsOf({ missing: 4, before, run: loaded(end) }, { ...topic, base: "release" }).unloaded
    assert.isNull(of(3))
    assert.isNotNull(of(6))
  })
})

describe("FailureRecords, the runs that count", () => {
  it("the memory of a failure begins days before its run and ends hours after it", () => {
    const { end, start } = FailureRecords.memory(now, { memoryDays: 2, elsewhereHours: 3 })
    assert.deepStrictEqual([now - start, end - now], [2 * Instant.day, 3 * Instant.hour])
  })

  it("a run of the repository itself counts for every failure, a run of a fork for its branch alone", () => {
    const counts = (of: string, failureOn: string) => FailureRecords.counts({ branch: of }, { branch: failureOn })
    assert.deepStrictEqual(
      [counts("main", "topic"), counts("ada:topic", "ada:topic"), counts("ada:topic", "topic")],
      [true, true, false]
    )
  })

  it("runs of forks stand in where the repository itself has none", () => {
    const [own, fork] = [{ branch: "topic" }, { branch: "ada:topic" }]
    assert.deepStrictEqual(FailureRecords.ownOf([fork, own]), [own])
    assert.deepStrictEqual(FailureRecords.ownOf([fork]), [fork])
    assert.deepStrictEqual(FailureRecords.ownOf([]), [])
  })
})
