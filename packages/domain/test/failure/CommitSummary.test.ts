import { CommitSummary } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const runs: fc.Arbitrary<CommitSummary.CountedRun> = fc.record({
  pipelineName: fc.constant("CI"),
  jobName: fc.constantFrom("unit", "e2e"),
  runId: fc.constantFrom("1", "2", "3"),
  runAttempt: fc.integer({ min: 1, max: 3 }),
  commit: fc.constantFrom("c1", "c2", "c3"),
  branch: fc.constantFrom("main", "topic", "ada:topic"),
  baseBranch: fc.constantFrom(null, "main"),
  at: fc.integer({ min: 0, max: 9 }),
  passed: fc.integer({ min: 0, max: 3 }),
  failed: fc.integer({ min: 0, max: 3 })
})

/** A job run has one row. */
const lists = fc.uniqueArray(runs, {
  maxLength: 12,
  selector: ({ commit, jobName, runAttempt, runId }) => [commit, jobName, runAttempt, runId].join(" ")
})

describe("CommitSummary", () => {
  it("the order of job runs makes no difference", () => {
    fc.assert(
      fc.property(lists, (list) => {
        assert.deepStrictEqual(CommitSummary.of(list.toReversed()), CommitSummary.of(list))
      })
    )
  })

  it("every commit is listed once, the latest first", () => {
    fc.assert(
      fc.property(lists, (list) => {
        const found = CommitSummary.of(list)
        assert.sameMembers(
          found.map(({ commit }) => commit),
          [...new Set(list.map(({ commit }) => commit))]
        )
        assert.deepStrictEqual(found.toSorted(CommitSummary.compare), [...found])
      })
    )
  })

  it("a fork changes no count of a commit that the repository has run itself", () => {
    fc.assert(
      fc.property(lists, (list) => {
        const own = list.filter(({ branch }) => !branch.includes(":"))
        const counts = (each: CommitSummary.CommitSummary) => [each.commit, each.jobs, each.failedJobs, each.failed]
        const known = new Map(CommitSummary.of(list).map((each) => [each.commit, counts(each)]))
        for (const each of CommitSummary.of(own)) assert.deepStrictEqual(known.get(each.commit), counts(each))
      })
    )
  })

  it("the tests of all jobs of a commit are added up", () => {
    const run = { pipelineName: "CI", runId: "1", runAttempt: 1, commit: "c", branch: "main", baseBranch: null, at: 1 }
    const found = CommitSummary.of([
      { ...run, jobName: "unit", passed: 5, failed: 1 },
      { ...run, jobName: "e2e", passed: 3, failed: 2 },
      { ...run, jobName: "lint", passed: 1, failed: 0 }
    ])
    assert.deepStrictEqual(
      found.map(({ failed, failedJobs, jobs, passed }) => [jobs, failedJobs, passed, failed]),
      [[3, 2, 9, 3]]
    )
  })

  it("a pull request is listed with its latest commit, and pushes are not listed", () => {
    const run = { pipelineName: "CI", jobName: "unit", runAttempt: 1, passed: 1, failed: 0 }
    const found = CommitSummary.of([
      { ...run, runId: "1", commit: "old", branch: "topic", baseBranch: "main", at: 1 },
      { ...run, runId: "2", commit: "new", branch: "topic", baseBranch: "main", at: 2 },
      { ...run, runId: "3", commit: "other", branch: "other", baseBranch: "main", at: 0 },
      { ...run, runId: "4", commit: "pushed", branch: "main", baseBranch: null, at: 3 }
    ])
    assert.deepStrictEqual(
      CommitSummary.pullRequests(found).map(({ commit }) => commit),
      ["new", "other"]
    )
  })
})

describe("CommitSummary.of, a commit of a pull request", () => {
  const run = { pipelineName: "CI", runAttempt: 1, commit: "c", passed: 1, failed: 0 }

  it("a commit is named by its latest pull request, also where it was pushed later", () => {
    const [found] = CommitSummary.of([
      { ...run, runId: "1", jobName: "unit", branch: "first", baseBranch: "main", at: 10 },
      { ...run, runId: "2", jobName: "unit", branch: "second", baseBranch: "release", at: 20 },
      { ...run, runId: "3", jobName: "e2e", branch: "pushed", baseBranch: null, at: 30 }
    ])
    assert.deepStrictEqual([found?.branch, found?.baseBranch, found?.at], ["second", "release", 30])
  })
})
