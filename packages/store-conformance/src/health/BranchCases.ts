/** The law of the default branch and of settings: which executions count, and that a change re-reads everything. */
import { type Report, Repository } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RepositoryStore, TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

const set = (ref: Repository.RepositoryRef, settings: Partial<Repository.RepositorySettings>) =>
  RepositoryStore.use((store) => store.set(ref, { ...Repository.defaultSettings, ...settings }, Sample.noon))

/** The commits of the executions that count. */
const counted = (ref: Repository.RepositoryRef) =>
  Effect.map(
    ExecutionStore.use((store) => store.history(ref, Sample.testId)),
    Option.match({
      onNone: () => [],
      onSome: (list) => list.flatMap(({ executions }) => executions.map(({ commit }) => commit))
    })
  )

/** Checks that of these contexts those named in `expected` count as default branch. */
const counts = (
  ref: Repository.RepositoryRef,
  contexts: Readonly<Record<string, Partial<Report.RunContext>>>,
  expected: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    for (const [commit, context] of Object.entries(contexts)) {
      yield* Upload.one(ref, commit, { commit, ...context }, [{}])
    }
    yield* Law.equal((yield* counted(ref)).toSorted(), expected.toSorted(), "the runs that count")
  })

/** The cases of branches and settings. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law(
    "ExecutionStore",
    "main counts, and runs without a branch; pull requests, queues and other branches do not",
    (ref) =>
      counts(
        ref,
        {
          named: { branch: "main" },
          unnamed: { branch: null },
          topic: { branch: "topic" },
          otherCase: { branch: "Main" },
          pull: { branch: "main", baseBranch: "main" },
          unnamedPull: { branch: null, baseBranch: "main" },
          github: { branch: "gh-readonly-queue/main/pr-1-abc" },
          mergify: { branch: "mergify/merge-queue/abc" },
          trunk: { branch: "trunk-merge/pr-1/abc" }
        },
        ["named", "unnamed"]
      )
  ),

  Case.make(
    "ExecutionStore",
    "a branch of a merge queue or of a fork does not count even where it is set as default branch",
    function* (ref) {
      yield* set(ref, { defaultBranch: "gh-readonly-queue/main" })
      yield* counts(ref, { queue: { branch: "gh-readonly-queue/main" }, unnamed: { branch: null } }, ["unnamed"])
      yield* set(ref, { defaultBranch: "ada:main" })
      yield* counts(ref, { fork: { branch: "ada:main" } }, ["unnamed"])
    }
  ),

  Case.make(
    "ExecutionStore",
    "of main and master the one with the earliest execution is the default branch",
    function* (ref) {
      yield* Upload.moments(ref, [["passed", "main 2", 2]])
      yield* Upload.moments(ref, [["passed", "master 1", 1]], { branch: "master" })
      yield* Law.equal(yield* counted(ref), ["main 2"])
      yield* Upload.moments(ref, [["skipped", "master 3", 3]], { branch: "master" })
      yield* Law.equal(yield* counted(ref), ["master 3", "master 1"])
      yield* Upload.moments(ref, [["passed", "main 3", 3]])
      yield* Law.equal(yield* counted(ref), ["main 3", "main 2"], "the runs that count when both began at once")
    }
  ),

  Case.make(
    "ExecutionStore",
    "pull requests and runs without a branch do not choose between main and master",
    function* (ref) {
      yield* Upload.moments(ref, [["passed", "master", 1]], { branch: "master" })
      yield* Upload.moments(ref, [["passed", "pull", 3]], { branch: "main", baseBranch: "main" })
      yield* Upload.moments(ref, [["passed", "unnamed", 2]], { branch: null })
      yield* Law.equal(yield* counted(ref), ["unnamed", "master"])
    }
  ),

  Case.make("ExecutionStore", "the outcome of an append says when no default branch is known", function* (ref) {
    const append = (key: string, run: Partial<Report.RunContext>) =>
      Effect.map(Upload.one(ref, key, { commit: key, ...run }, [{}]), (outcome) =>
        outcome._tag === "Recorded" ? (outcome.withoutDefaultBranch ?? false) : outcome._tag
      )
    yield* Law.equal(yield* append("a", { branch: "develop" }), true, "after a run of another branch")
    yield* Law.equal(yield* append("b", { branch: "main", baseBranch: "main" }), true, "after a pull request")
    yield* set(ref, { defaultBranch: "develop" })
    yield* Law.equal(yield* append("c", { branch: "topic" }), false, "with a default branch that is set")
    yield* set(ref, {})
    yield* Law.equal(yield* append("d", { branch: "topic" }), true, "without the setting")
    yield* Law.equal(yield* append("e", { branch: "master" }), false, "after a run of master")
    yield* Law.equal(yield* append("f", { branch: "topic" }), false, "after a run of master and one of another branch")
  }),

  Case.make(
    "ExecutionStore",
    "a default branch that is set holds for what came before, and so does its end",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["passed", "a", 3],
        ["passed", "b", 2]
      ])
      yield* Upload.moments(ref, [["failed", "c", 1]], { branch: "develop" })
      yield* set(ref, { defaultBranch: "develop" })
      yield* Law.equal([yield* counted(ref), yield* Ask.status(ref)], [["c"], "broken"])
      yield* Upload.moments(ref, [["passed", "d", 0]], { branch: "develop" })
      yield* Law.equal(yield* counted(ref), ["c", "d"])
      yield* set(ref, {})
      yield* Law.equal([yield* counted(ref), yield* Ask.status(ref)], [["a", "b"], "healthy"])
    }
  ),

  Case.make("ExecutionStore", "a test that ran on other branches only is unknown to every question", function* (ref) {
    const executions = yield* ExecutionStore
    const { testId } = Sample
    yield* Upload.one(ref, "r", { branch: "topic" }, [Sample.failure()])
    const window = { start: Sample.daysAgo(1), end: Sample.daysAgo(0) + 1 }
    yield* Law.equal(yield* executions.rollups(ref, testId, window, window.end - window.start), Option.none())
    yield* Law.equal(yield* executions.changes(ref, testId), Option.none())
    yield* Law.equal(yield* executions.counts(ref, testId, window), Option.none())
    yield* Law.equal(yield* executions.history(ref, testId), Option.none())
    yield* Law.equal(yield* FailureStore.use((store) => store.list(ref, testId)), Option.none())
    const tests = yield* TestStore
    yield* Law.equal(yield* tests.get(ref, testId, Sample.noon), Option.none())
    yield* Law.equal(yield* tests.health(ref, [testId], Sample.noon), new Map())
    yield* Law.equal(yield* tests.active(ref, Sample.noon), [])
    yield* Law.equal((yield* tests.page(ref, Sample.search())).total, 0)
    yield* set(ref, { defaultBranch: "topic" })
    yield* Law.equal(yield* Ask.status(ref), "broken")
  }),

  Case.make(
    "ExecutionStore",
    "an identity that ran on other branches only is not among the identities of its test",
    function* (ref) {
      yield* Upload.one(ref, "r1", {}, [{}])
      yield* Upload.one(ref, "r2", { branch: "topic", jobName: "e2e" }, [Sample.failure()])
      const found = yield* Ask.records(ref)
      yield* Law.equal(
        found.map(({ identity }) => identity.jobName),
        ["unit"]
      )
    }
  ),

  Case.make(
    "ExecutionStore",
    "a failure on the default branch is not contradicted by a pass elsewhere",
    function* (ref) {
      yield* Upload.one(ref, "r1", { commit: "c" }, [Sample.failure()])
      yield* Upload.one(ref, "r2", { commit: "c", branch: "topic" }, [{}])
      yield* Upload.one(ref, "r3", { commit: "c", branch: "main", baseBranch: "main" }, [{}])
      yield* Upload.one(ref, "r4", { commit: "c", jobName: "e2e" }, [{}])
      const [, unit] = yield* Ask.records(ref)
      yield* Law.equal([unit?.state.status, unit?.recent.flaky], ["broken", 0])
    }
  ),

  Case.make(
    "ExecutionStore",
    "a health policy that is set holds for the whole history at once, and so does its end",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["failed", "c1", 5],
        ["passed", "c2", 4],
        ["passed", "c2", 3]
      ])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* set(ref, { health: { recoveryPasses: 2, recoveryCommits: 1 } })
      yield* Law.equal(yield* Ask.status(ref), "healthy")
      yield* Upload.moments(ref, [["failed", "c3", 2]])
      yield* Law.equal(yield* Ask.status(ref), "flaky")
      yield* set(ref, { health: { recoveryPasses: 2, recoveryCommits: 1, episodeDays: 1 } })
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* set(ref, {})
      const changes = yield* ExecutionStore.use((store) => store.changes(ref, Sample.testId))
      yield* Law.equal(
        Option.map(changes, (lists) => lists.map((list) => list.map(({ rule }) => rule))),
        Option.some([["start", "failure", "repeated_episode"]])
      )
    }
  ),

  Case.make(
    "TestStore",
    "the thresholds of confidence, impact and active days follow the policy at once",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["failed", "c1", 9],
        ["passed", "c2", 5],
        ["passed", "c2", 4],
        ["passed", "c2", 3]
      ])
      const levels = Effect.map(Ask.rows(ref), (rows) =>
        rows.map((row) => [row.healthConfidence, row.failedExecutionsImpact, row.executionsCount])
      )
      yield* Law.equal(yield* levels, [["low", "high", 4]])
      yield* set(ref, { health: { confidenceMedium: 1, confidenceHigh: 3, impactMedium: 0.25, impactHigh: 0.3 } })
      yield* Law.equal(yield* levels, [["medium", "medium", 4]])
      yield* set(ref, { health: { confidenceHigh: 2, confidenceMedium: 1, activeDays: 5 } })
      yield* Law.equal(yield* levels, [["high", "low", 2]])
      yield* set(ref, { health: { activeDays: 3 } })
      yield* Law.equal(yield* levels, [])
    }
  )
]
