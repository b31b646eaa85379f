import { FailureFacts } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const failure: FailureFacts.FailedExecution = {
  id: "e1",
  testName: "sorts",
  pipelineName: "ci",
  jobName: "unit",
  at: 100 * 3_600_000,
  commit: "c1",
  branch: "fix",
  base: "release",
  isPullRequest: true,
  runId: "r1",
  attempts: 2,
  exceptionType: null,
  message: null,
  file: null,
  jobUrl: null,
  signature: null
}

const push = { ...failure, isPullRequest: false }

const rerun = (runId: string, conclusion: "passed" | "failed"): FailureFacts.Rerun => ({
  id: `${runId} ${conclusion}`,
  runId,
  at: 0,
  conclusion
})

const row = (branch: string, outcomes: number): FailureFacts.BranchRow => ({
  branch,
  conclusion: "passed",
  length: outcomes,
  commit: "c0",
  at: 0,
  signature: null,
  outcomes: Array.from({ length: outcomes }, () => ({
    conclusion: "passed",
    commit: "c0",
    at: 0,
    isOutage: false,
    signature: null
  }))
})

describe("reruns of a failure", () => {
  const reruns = [rerun("r1", "passed"), rerun("r1", "failed"), rerun("r2", "passed"), rerun("r2", "failed")]

  it("a pull request is tested on the same code within one run alone", () => {
    const facts = FailureFacts.of(failure, { reruns })
    assert.deepStrictEqual(FailureFacts.provingReruns(facts), reruns.slice(0, 1))
    assert.strictEqual(FailureFacts.failedAttempts(facts), 3)
  })

  it("a push is tested on the same code in every run of its commit", () => {
    const facts = FailureFacts.of(push, { reruns })
    assert.deepStrictEqual(
      FailureFacts.provingReruns(facts),
      reruns.filter(({ conclusion }) => conclusion === "passed")
    )
    assert.strictEqual(FailureFacts.failedAttempts(facts), 4)
  })
})

describe("the base of a failure", () => {
  it("only a push to the branch itself is on its base", () => {
    assert.isTrue(FailureFacts.isOnBase({ ...push, branch: "release" }))
    assert.isFalse(FailureFacts.isOnBase({ ...failure, branch: "release" }))
    assert.isFalse(FailureFacts.isOnBase(push))
  })

  it("the base branch stands for the base before the default branch, and no other branch does", () => {
    const [base, main, other] = [row("release", 1), row("main", 2), row("other", 3)]
    const of = (rows: ReadonlyArray<FailureFacts.BranchRow>) => FailureFacts.baseRow(FailureFacts.of(failure, { rows }))
    assert.deepStrictEqual([of([other, main, base]), of([other, main]), of([other])], [base, main, null])
  })
})

describe("counts of a failure", () => {
  it("siblings are counted by their outcome", () => {
    const sibling = (conclusion: "passed" | "failed") => ({ pipelineName: "ci", jobName: "e2e", conclusion })
    const siblings = [sibling("passed"), sibling("failed"), sibling("passed"), sibling("passed")]
    assert.deepStrictEqual(FailureFacts.siblingCounts(FailureFacts.of(failure, { siblings })), { passed: 3, failed: 1 })
  })

  it("the executions on the base are the longer of what is listed and what was counted", () => {
    const of = (rows: ReadonlyArray<FailureFacts.BranchRow>, totals: FailureFacts.IdentityTotals | null) =>
      FailureFacts.executionsOnBase(FailureFacts.of(failure, { rows, totals }))
    assert.isNull(of([], null))
    assert.isNull(of([row("main", 0)], null))
    assert.strictEqual(of([row("main", 1), row("release", 4), row("other", 2)], null), 4)
    assert.strictEqual(of([row("main", 1)], { passed: 5, failed: 2 }), 7)
    assert.strictEqual(of([row("main", 4)], { passed: 2, failed: 1 }), 4)
    assert.strictEqual(of([], { passed: 0, failed: 0 }), 0)
  })

  it("runs elsewhere count within the hours before and after, on other commits of unrelated branches", () => {
    const run = (parts: Partial<FailureFacts.JobRunElsewhere> = {}): FailureFacts.JobRunElsewhere => ({
      branch: "other",
      base: "main",
      commit: "c2",
      at: failure.at,
      shared: 1,
      ...parts
    })
    const counts = (parts: Partial<FailureFacts.JobRunElsewhere>) =>
      FailureFacts.unrelatedRuns(FailureFacts.of(failure, { elsewhere: [run(parts)] }), { elsewhereHours: 2 })
        .length === 1
    const hours = 2 * 3_600_000
    assert.deepStrictEqual(
      [-hours - 1, -hours, hours, hours + 1].map((after) => counts({ at: failure.at + after })),
      [false, true, true, false]
    )
    assert.deepStrictEqual(
      [{ commit: "c1" }, { branch: "fix" }, { branch: "release" }, { base: "fix" }, { base: "release" }].map(counts),
      [false, false, false, false, true]
    )
  })

  it("a failure without a message or with white space alone is silent", () => {
    const silent = [null, "", " \t\n", "boom", " boom "].map((message) => FailureFacts.isSilent({ message }))
    assert.deepStrictEqual(silent, [true, true, true, false, false])
  })
})

describe("the failed execution of a result", () => {
  const run = {
    pipelineName: "ci",
    jobName: "unit",
    at: failure.at,
    commit: "c1",
    branch: "fix",
    runId: "r1",
    jobUrl: null
  }

  it("a run with a base branch is that of a pull request, and a proven attempt names its test", () => {
    const of = (baseBranch: string | null, attemptOf?: string) =>
      FailureFacts.failedExecution(
        { ...run, baseBranch },
        { ...failure, ...(attemptOf !== undefined && { attemptOf }) },
        "main"
      )
    assert.deepStrictEqual(of("main"), { ...failure, base: "main" })
    assert.isFalse(of(null).isPullRequest)
    assert.strictEqual(of("main", "sorts again").attemptOf, "sorts again")
    assert.notProperty(of("main"), "attemptOf")
  })
})
