/** The law of other branches: where tests run besides the default branch; and the list of outages. */
import { BranchRun, Instant, type Report, type Repository } from "@lazaret/domain"
import { TestStore } from "@lazaret/store"
import { Effect } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

const elsewhere = (ref: Repository.RepositoryRef, since = Sample.daysAgo(30)) =>
  Effect.map(
    TestStore.use((store) => store.elsewhere(ref, Sample.testId, since)),
    (runs) => runs.map(({ conclusion, run }) => [run.branch, run.commit, conclusion].join(" ")).toSorted()
  )

const only = (ref: Repository.RepositoryRef) =>
  TestStore.use((store) => store.onlyElsewhere(ref, Sample.daysAgo(30), Sample.noon))

const names = (rows: Effect.Success<ReturnType<typeof only>>) =>
  rows.map(({ branches, failed, jobName, last, passed, testName }) =>
    [testName, jobName, failed, passed, branches, last.run.branch].join(" ")
  )

const minutesAgo = (minutes: number) => Sample.noon - minutes * Instant.minute

const topic = (branch: string): Partial<Report.RunContext> => ({ branch, baseBranch: "main" })

/** The cases of other branches and of the list of outages. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestStore",
    "a test passed in a job run of another branch when one of its executions passed there",
    function* (ref) {
      yield* Upload.one(ref, "m", { commit: "m" }, [{ testName: "other" }])
      yield* Upload.one(ref, "a", { ...topic("a"), commit: "a" }, [Sample.failure({ at: Sample.daysAgo(3) })])
      yield* Upload.one(ref, "b", { ...topic("b"), commit: "b" }, [Sample.failure({ at: Sample.daysAgo(2) }), {}])
      yield* Upload.one(ref, "c", { ...topic("c"), commit: "c" }, [{ conclusion: "skipped" }, { testName: "other" }])
      yield* Upload.one(ref, "d", { branch: "ada:fix", commit: "d", jobName: "e2e" }, [Sample.failure()])
      yield* Law.equal(yield* elsewhere(ref), ["a a failed", "ada:fix d failed", "b b passed"])
      yield* Law.equal(yield* elsewhere(ref, Sample.daysAgo(2)), ["ada:fix d failed", "b b passed"])
      // The job of the fork alone has no totals.
      const [unit] = yield* only(ref)
      yield* Law.equal([unit?.last.run.commit, unit?.last.conclusion], ["b", "passed"])
    }
  ),

  Case.make(
    "TestStore",
    "tests without an execution on the default branch are listed with their runs elsewhere",
    function* (ref) {
      yield* Law.equal(yield* only(ref), [])
      yield* Upload.one(ref, "m", { commit: "m" }, [{ testName: "main" }])
      yield* Upload.one(ref, "a", { ...topic("a"), commit: "a" }, [
        Sample.failure({ testName: "new" }),
        { testName: "main" },
        { testName: "skipped", conclusion: "skipped" }
      ])
      yield* Upload.one(ref, "b", { ...topic("b"), commit: "b" }, [
        { testName: "new", at: Sample.noon + Instant.hour },
        { testName: "also new" }
      ])
      yield* Upload.one(ref, "old", { ...topic("c"), commit: "c" }, [{ testName: "old", at: Sample.daysAgo(31) }])
      yield* Law.equal(names(yield* only(ref)), ["also new unit 0 1 1 b", "new unit 1 1 2 b"])
      yield* Upload.one(ref, "merged", { commit: "m2" }, [{ testName: "new" }])
      yield* Law.equal(names(yield* only(ref)), ["also new unit 0 1 1 b"])
    }
  ),

  Case.make("TestStore", "of each job the latest runs of other branches are read", function* (ref) {
    const { runsPerJob } = BranchRun.bounds
    yield* Upload.one(ref, "lost", { ...topic("a"), commit: "lost" }, [{ at: minutesAgo(runsPerJob + 1) }])
    yield* Upload.one(ref, "kept", { ...topic("a"), commit: "kept" }, [{ at: minutesAgo(runsPerJob) }])
    yield* Effect.forEach(
      Array.from({ length: runsPerJob - 1 }, (_, index) => index + 1),
      (minute) =>
        Upload.one(ref, `${minute}`, { ...topic("a"), commit: "c" }, [{ testName: "other", at: minutesAgo(minute) }]),
      { concurrency: "unbounded" }
    )
    yield* Law.equal(yield* elsewhere(ref), ["a kept passed"])
  }),

  Case.make("TestStore", "an outage is listed with the counts of all of its uploads", function* (ref) {
    const tests = Array.from({ length: 8 }, (_, index) => `test ${index}`)
    const failed = (from: number, to: number) =>
      tests.slice(from, to).map((testName) => Sample.refused({ testName, at: Sample.daysAgo(1) }))
    const passed = tests.map((testName) => ({ testName, at: Sample.daysAgo(2) }))
    yield* Upload.one(ref, "good", { commit: "c1", runId: "1" }, passed)
    yield* Upload.one(ref, "first", { commit: "c2", runId: "2" }, failed(0, 3))
    const outages = Effect.map(
      TestStore.use((store) => store.outages(ref)),
      (list) => list.map((one) => [one.commit, one.jobName, one.failed, one.passedBefore, one.excused, one.at])
    )
    yield* Law.equal(yield* outages, [["c2", "unit", 3, 8, true, Sample.daysAgo(1)]])
    yield* Upload.one(ref, "second", { commit: "c2", runId: "2" }, failed(3, 5))
    yield* Law.equal(yield* outages, [["c2", "unit", 5, 8, true, Sample.daysAgo(1)]])
  })
]
