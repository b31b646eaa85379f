/** The law of triage: which facts a store finds on a failure. */
import { type FailureFacts, FailureRecords, Instant, type Report, type Repository } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, type Stores, type Triage, TriageStore } from "@lazaret/store"
import { Effect, Layer, Option } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Answer, Case, Law, Plain, Sample, Upload } from "../law/index.ts"
import * as TriageHistory from "./TriageHistory.ts"
import { at, both, failed, onCommit, only, pull, triage, until, windows } from "./TriageSample.ts"

const flake = (minute: number) => ({ ...failed(minute), conclusion: "passed" as const, flaky: true })

/** The cases of triage. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TriageStore",
    "an unknown commit, run or repository has no failures, a green commit has an empty list",
    function* (ref) {
      yield* Law.equal(yield* onCommit(ref, "c1"), Option.none())
      yield* Upload.one(ref, "r", { commit: "c1", runId: "7" }, [{}])
      yield* Law.equal(yield* onCommit(ref, "c2"), Option.none())
      yield* Law.equal(yield* triage(ref, { _tag: "Run", runId: "8" }), Option.none())
      const found = yield* triage(ref, { _tag: "Run", runId: "7" })
      yield* Law.equal(
        Option.map(found, ({ failures, runs }) => [failures.length, runs.map(({ passed }) => passed)]),
        Option.some([0, [1]])
      )
    }
  ),

  Case.make(
    "TriageStore",
    "commits are listed by the end of their latest job run, with the outcome of the latest run of each job",
    function* (ref) {
      const commits = (minute: number) =>
        TriageStore.use((store) => store.commits(ref, Sample.noon + minute * Instant.minute))
      yield* Law.equal(yield* commits(0), [])
      yield* Upload.one(ref, "a", { commit: "c1", runId: "1" }, [failed(-30), { testName: "b", ...at(-30) }])
      yield* Upload.one(ref, "b", { commit: "c1", runId: "1", runAttempt: 2 }, [at(-10)])
      yield* Upload.one(ref, "c", { commit: "c2", runId: "2", ...pull }, [failed(-20)])
      yield* Upload.one(ref, "d", { commit: "c2", runId: "2", jobName: "e2e", ...pull }, [at(-20)])
      yield* Upload.one(ref, "e", { commit: "c2", runId: "9", branch: "ada:topic" }, [failed(-5)])
      yield* Upload.one(ref, "f", { commit: "c3", runId: "3", branch: "ada:topic" }, [failed(-50)])
      const list = yield* commits(-60)
      yield* Law.equal(
        list.map((one) => [one.commit, one.branch, one.baseBranch, one.isFork, one.runIds.join(), one.at]),
        [
          ["c2", "topic", "main", false, "2", Sample.noon - 5 * Instant.minute],
          ["c1", "main", null, false, "1", Sample.noon - 10 * Instant.minute],
          ["c3", "ada:topic", null, true, "3", Sample.noon - 50 * Instant.minute]
        ]
      )
      yield* Law.equal(
        list.map((one) => [one.jobs, one.failedJobs, one.passed, one.failed]),
        [
          [2, 1, 1, 1],
          [1, 0, 1, 0],
          [1, 1, 0, 1]
        ]
      )
      yield* Law.equal(
        (yield* commits(-10)).map(({ commit }) => commit),
        ["c2", "c1"]
      )
    }
  ),

  Case.make(
    "TriageStore",
    "a failure of a pull request has its message, file and link, and the last runs of the base",
    function* (ref) {
      yield* Upload.one(ref, "m1", { commit: "m1" }, [failed(-30)])
      yield* Upload.one(ref, "m2", { commit: "m2" }, [at(-20)])
      yield* Upload.one(ref, "m3", { commit: "m3", branch: null }, [at(-10)])
      const link = { jobUrl: "https://ci.example/7" }
      const own = failed(0, { filepath: "cart.test.ts", reruns: 1 })
      yield* Upload.one(ref, "p", { ...pull, ...link, commit: "p" }, [own, { testName: "other", ...at(1) }])
      const facts = yield* only(ref, "p")
      yield* Law.equal(
        [facts.failure.message, facts.failure.file, facts.failure.jobUrl, facts.failure.attempts, facts.failure.base],
        ["1 is not 2", "cart.test.ts", "https://ci.example/7", 2, "main"]
      )
      yield* Law.equal(
        facts.rows.flatMap(({ outcomes }) => outcomes.map(({ commit, conclusion }) => [commit, conclusion])),
        [
          ["m3", "passed"],
          ["m2", "passed"],
          ["m1", "failed"]
        ]
      )
      const rows = facts.rows.map((row) => ({ ...row, outcomes: [] }))
      yield* Law.equal(rows, [
        {
          outcomes: [],
          branch: "main",
          conclusion: "passed",
          length: 2,
          commit: "m3",
          at: Sample.noon - 10 * Instant.minute,
          signature: null
        }
      ])
      yield* Law.equal(facts.previousRuns, [{ branch: "main", passed: 1, failed: 0 }])
      yield* Law.equal(facts.job, { passed: 1, failed: 0, silent: 0 })
    }
  ),

  Case.make(
    "TriageStore",
    "a failure on the default branch has its outcomes in the runs that followed there",
    function* (ref) {
      yield* Upload.one(ref, "m1", { commit: "m1" }, [failed(0)])
      yield* Upload.one(ref, "again", { commit: "m1", runAttempt: 2 }, [failed(1)])
      yield* Upload.one(ref, "of another job", { commit: "m2", jobName: "e2e" }, [at(2)])
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(3)])
      yield* Upload.one(ref, "m4", { commit: "m4" }, [{ testName: "other", ...at(20) }])
      yield* Upload.one(ref, "m5", { commit: "m5", branch: null }, [at(30)])
      yield* Upload.one(ref, "m6", { commit: "m6" }, [at(40)])
      yield* Upload.one(ref, "m3", { commit: "m3" }, [failed(10)])
      const next = (commit: string) =>
        Effect.map(only(ref, commit), (facts) =>
          facts.next.map(({ commit: of, conclusion, signature }) => [
            of,
            conclusion,
            signature === facts.failure.signature
          ])
        )
      yield* Law.equal(yield* next("m1"), [
        ["m3", "failed", true],
        ["m5", "passed", false]
      ])
      yield* Law.equal(yield* next("m3"), [
        ["m5", "passed", false],
        ["m6", "passed", false]
      ])
      yield* Law.equal(yield* next("p"), [])
    }
  ),

  Case.make(
    "TriageStore",
    "a failure that its report proves to be an attempt of another test names this test, others name none",
    function* (ref) {
      const attempts = [
        failed(0, { testName: "x" }),
        failed(1, { testName: "x #2", attemptOf: "x" }),
        { testName: "x #3", ...at(2) }
      ]
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, attempts)
      const found = yield* onCommit(ref, "p")
      const failures = Option.match(found, { onNone: () => [], onSome: (one) => one.failures })
      yield* Law.equal(
        failures.map(({ failure }) => [failure.testName, failure.attemptOf ?? null]),
        [
          ["x", null],
          ["x #2", "x"]
        ]
      )
    }
  ),

  Case.make(
    "TriageStore",
    "a row of failures on the base has the signature of the last one, whatever came later",
    function* (ref) {
      yield* Upload.one(ref, "m1", { commit: "m1" }, [at(-30)])
      yield* Upload.one(ref, "m2", { commit: "m2" }, [failed(-20)])
      yield* Upload.one(ref, "m3", { commit: "m3" }, [failed(-10)])
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])
      yield* Upload.one(ref, "m4", { commit: "m4" }, [at(10)])
      const { failure, rows } = yield* only(ref, "p")
      yield* Law.equal(
        rows.map(({ conclusion, length, signature }) => [conclusion, length, signature]),
        [["failed", 2, failure.signature]]
      )
    }
  ),

  Case.make(
    "TriageStore",
    "of very many failures the first by name are judged, and all of them are counted",
    function* (ref) {
      const { failures: most } = FailureRecords.bounds
      const names = Array.from({ length: most + 2 }, (_, index) => `test ${String(index).padStart(5, "0")}`)
      const exception = { type: null, message: " \n", stacktrace: null }
      const silent = names.map((testName) => failed(0, { testName, exception }))
      yield* Upload.one(ref, "a", { commit: "c", jobName: "unit" }, silent)
      yield* Upload.one(ref, "b", { commit: "c", jobName: "e2e" }, [failed(1, { testName: names[0] ?? "" })])
      const found = yield* onCommit(ref, "c")
      yield* Law.equal(
        Option.map(found, ({ failures, identities }) => [
          identities,
          failures.length,
          failures[0]?.failure.jobName,
          failures[1]?.job.silent,
          failures.at(-1)?.failure.testName
        ]),
        Option.some([most + 3, most, "e2e", most + 1, names[most - 2]])
      )
    }
  ),

  Case.make(
    "TriageStore",
    "executions on the same commit are reruns in the same job and siblings in others",
    function* (ref) {
      yield* Upload.one(ref, "a", { commit: "c", runId: "1" }, [failed(0)])
      yield* Upload.one(ref, "b", { commit: "c", runId: "1", runAttempt: 2 }, [failed(5)])
      yield* Upload.one(ref, "c", { commit: "c", runId: "1", jobName: "e2e" }, [at(1)])
      yield* Upload.one(ref, "d", { commit: "c", runId: "2", jobName: "e2e" }, [failed(2)])
      yield* Upload.one(ref, "e", { commit: "c", ...pull, runId: "3", jobName: "windows" }, [failed(3)])
      const found = yield* triage(ref, { _tag: "Run", runId: "1" })
      const failures = Option.match(found, { onNone: () => [], onSome: (one) => one.failures })
      yield* Law.equal(
        failures.map(({ failure, reruns, siblings }) => [failure.id.length > 0, reruns.length, siblings]),
        [[true, 1, [{ pipelineName: "CI", jobName: "e2e", conclusion: "failed" }]]]
      )
    }
  ),

  Case.make(
    "TriageStore",
    "flakes count in every job and on pull requests, earlier failures on one branch and in one job",
    function* (ref) {
      for (const [index, context] of [{}, { jobName: "e2e" }, { ...pull }].entries()) {
        const run = { ...context, commit: `f${index}`, runId: `f${index}` }
        yield* Upload.one(ref, `failed ${index}`, run, [failed(-100 + index)])
        yield* Upload.one(ref, `passed ${index}`, { ...run, runAttempt: 2 }, [at(-90 + index)])
      }
      for (const [index, context] of [{}, { jobName: "e2e" }, { ...pull }].entries()) {
        const run = { ...context, commit: `r${index}`, runId: `r${index}` }
        yield* Upload.one(ref, `once ${index}`, run, [failed(-80 + index)])
        yield* Upload.one(ref, `twice ${index}`, { ...run, runAttempt: 2 }, [failed(-70 + index)])
      }
      const other = failed(-60, { exception: { type: "RangeError", message: "out of it", stacktrace: null } })
      yield* Upload.one(ref, "other", { ...pull, commit: "r3", runId: "r3" }, [other])
      yield* Upload.one(ref, "later", { ...pull, commit: "r4", runId: "r4" }, [failed(30)])
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])
      const { earlier, test } = yield* only(ref, "p")
      yield* Law.equal(test.flakes.map(({ commit }) => commit).toSorted(), ["f0", "f1", "f2"])
      yield* Law.equal(earlier, { commits: 2, same: 1 })
    }
  ),

  Case.make("TriageStore", "the same failing tests are found on other branches", function* (ref) {
    yield* Upload.one(ref, "a", { commit: "a", branch: "one" }, both(-60))
    yield* Upload.one(ref, "b", { commit: "b", branch: "two", jobName: "e2e" }, [failed(-50, { testName: "third" })])
    yield* Upload.one(ref, "c", { commit: "c", branch: "old" }, both(-60 * 24))
    yield* Upload.one(ref, "p", { ...pull, commit: "p" }, both(0))
    const found = Option.getOrThrow(yield* onCommit(ref, "p"))
    for (const { elsewhere } of found.failures) {
      yield* Law.equal(
        elsewhere.map(({ branch, shared }) => [branch, shared]),
        [["one", 2]]
      )
    }
  }),

  Case.make(
    "TriageStore",
    "failures that were not reported are judged by what is known, and a report of them counts once",
    function* (ref) {
      yield* Upload.one(ref, "m", { commit: "m" }, [at(-10)])
      const run = Sample.run({ ...pull, runId: "9", commit: "p" })
      const asking = TriageStore.use((store) =>
        store.asked(
          ref,
          {
            run,
            at: Sample.noon + Instant.hour,
            passed: 3,
            failures: [Sample.testName, "unknown"].map((testName) => ({
              testName,
              attempts: 1,
              exceptionType: "AssertionError",
              message: "1 is not 2",
              file: null
            }))
          },
          windows
        )
      )
      const before = yield* asking
      yield* Law.equal(
        before.map(({ job, rows }) => [job.passed, job.failed, rows.length]),
        [
          [3, 1, 1],
          [3, 1, 0]
        ]
      )
      yield* Upload.one(ref, "p", { ...pull, commit: "p", runId: "9" }, [failed(0)])
      yield* Law.equal(
        (yield* asking).map(({ reruns }) => reruns),
        [[], []]
      )
    }
  ),

  Case.make("TriageStore", "the facts on a failure do not change with flakes of later days", function* (ref) {
    const hours = windows.elsewhereHours * 60
    yield* Upload.one(ref, "m", { commit: "m" }, [flake(-60)])
    yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])
    yield* Upload.one(ref, "n", { commit: "n" }, [flake(hours)])
    const before = yield* only(ref, "p")
    yield* Law.equal(
      before.test.flakes.map(({ commit }) => commit),
      ["m", "n"]
    )
    const later = Array.from({ length: FailureRecords.bounds.unstable + 1 }, (_, index) =>
      Sample.report(`l${index}`, { commit: `l${index}` }, [flake(hours + 1 + index)])
    )
    yield* Upload.all(ref, later)
    yield* Law.equal((yield* only(ref, "p")).test, before.test)
  }),

  Case.make(
    "TriageStore",
    "the signatures of a test are those up to an instant, without those of forks",
    function* (ref) {
      yield* Upload.one(ref, "a", { commit: "a" }, [failed(-10)])
      yield* Upload.one(ref, "b", { commit: "b", jobName: "e2e", ...pull }, [
        failed(0, { exception: { type: "E", message: "later", stacktrace: null } })
      ])
      yield* Upload.one(ref, "f", { commit: "f", branch: "mallory:topic", baseBranch: "main" }, [
        failed(-5, { exception: { type: "E", message: "planted", stacktrace: null } })
      ])
      yield* Upload.one(ref, "o", { commit: "o" }, [
        failed(-20, { testName: "other", exception: { type: "E", message: "of another test", stacktrace: null } })
      ])
      const wanted = [until(-11), until(-10), until(0, "unknown"), until(0), until(0, "other"), until(-10)]
      const found = yield* TriageStore.use((store) => store.signatures(ref, wanted))
      yield* Law.equal(
        found.map(({ length }) => length),
        [0, 1, 0, 2, 1, 1]
      )
      yield* Law.equal([found[5], found[3]?.includes(found[1]?.[0] ?? "")], [found[1], true])
    }
  ),

  Case.make(
    "TriageStore",
    "the expected jobs are those of the last run of the base that finished before",
    function* (ref) {
      for (const jobName of ["lint", "unit", "e2e"]) {
        yield* Upload.one(ref, `old ${jobName}`, { commit: "m0", runId: "0", jobName }, [at(-60)])
      }
      yield* Upload.one(ref, "unit", { commit: "m1", runId: "1", jobName: "unit" }, [at(-20)])
      yield* Upload.one(ref, "e2e", { commit: "m1", runId: "1", jobName: "e2e" }, [at(-17)])
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])
      yield* Law.equal(
        Option.map(yield* onCommit(ref, "p"), ({ expected }) => expected),
        Option.some([
          { pipelineName: "CI", jobName: "e2e", after: 3 * Instant.minute },
          { pipelineName: "CI", jobName: "unit", after: 0 }
        ])
      )
    }
  ),

  Case.law("TriageStore", "the facts are those of the reference store, in whatever order reports arrive", (ref) =>
    Law.forAll(
      Arbitrary.array(Arbitrary.schema(TriageHistory.Run), { minLength: 4, maxLength: 24 }),
      (runs) =>
        Effect.gen(function* () {
          const own = { ...ref, repository: `Law_${yield* Effect.sync(() => crypto.randomUUID())}` }
          const reports = runs.map((run, index) => TriageHistory.reportOf(run, `r${index}`))
          const found = yield* everything(own, reports.toReversed())
          const expected = yield* Effect.provide(everything(own, reports), Layer.fresh(MemoryStores.layer))
          yield* Law.equal(found, expected)
        }),
      { runs: 10 }
    )
  )
]

const everything = (
  ref: Repository.RepositoryRef,
  reports: ReadonlyArray<Report.Report>
): Effect.Effect<unknown, unknown, Stores.Stores> =>
  Effect.gen(function* () {
    yield* ExecutionStore.use((store) => Effect.forEach(reports, (report) => store.append(ref, report)))
    const commits = ["c0", "c1", "c2", "c3", "c4", "c5"]
    const found = yield* Effect.forEach(commits, (commit) => onCommit(ref, commit))
    return found.map(Option.map(plain))
  })

const plain = ({ expected, failures, runs }: Triage) => ({
  runs: Plain.sorted(runs),
  expected: Plain.sorted(expected),
  failures: failures.map((facts: FailureFacts.FailureFacts) => Answer.sortedFacts(facts))
})
