import { FailureFacts, FailureRecords, Instant } from "@lazaret/domain"
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
