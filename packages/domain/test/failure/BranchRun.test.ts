import { assert, describe, it } from "@effect/vitest"
import { BranchRun } from "@lazaret/domain"

const run = (branch: string, conclusion: "passed" | "failed", at = 1): BranchRun.BranchRun => ({
  testName: "adds",
  conclusion,
  run: {
    pipelineName: "CI",
    jobName: "unit",
    runId: `${at}`,
    runAttempt: 1,
    commit: "c",
    branch,
    baseBranch: "main",
    at
  }
})

describe("BranchRun", () => {
  it("runs of forks are counted apart from those of the repository", () => {
    const runs = [run("topic", "passed"), run("other", "failed"), run("eve:topic", "failed"), run("eve:main", "failed")]
    assert.strictEqual(
      BranchRun.sentence(runs, true),
      "It failed in 1 of 2 job runs of 2 other branches in the last 30 days. Apart from that, it failed in 2 of 2 job runs of forks."
    )
    assert.deepStrictEqual(
      BranchRun.totals(runs).map(({ branches, failed, passed }) => ({ branches, failed, passed })),
      [{ branches: 2, failed: 1, passed: 1 }]
    )
  })

  it("a test that ran in forks alone has no totals, and its sentence names the forks", () => {
    const runs = [run("eve:topic", "passed")]
    assert.deepStrictEqual(BranchRun.totals(runs), [])
    assert.strictEqual(
      BranchRun.sentence(runs, false),
      "It has not run on the default branch, and in no job run of another branch in the last 30 days. " +
        "Apart from that, it passed in 1 job run of forks."
    )
  })
})
