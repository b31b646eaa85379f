/** The law of the facts on the job run of a failure: the record of its job, outages before it, and what was seen before. */
import { FailurePolicy, Instant, JobRecord, type Report, Repository } from "@lazaret/domain"
import { ExecutionStore, RepositoryStore, RetentionStore, TriageStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Plain, Sample, Upload } from "../law/index.ts"

/** The platform names the commit as the head of a pull request from a fork. */
const headOf = (commit: string) => ({ number: 7, commit, owner: "mallory", isFork: true })

/** The facts on the failures of a commit, in the order of identities. */
const onCommit = (ref: Repository.RepositoryRef, commit: string) =>
  Effect.map(
    TriageStore.use((store) =>
      store.failures(ref, { _tag: "Commit", commit, heads: [headOf(commit)] }, FailurePolicy.defaults)
    ),
    Option.match({ onNone: () => [], onSome: ({ failures }) => failures })
  )

/** The facts on the first failure of a commit. */
const on = (ref: Repository.RepositoryRef, commit: string) =>
  Effect.flatMap(onCommit(ref, commit), ([facts]) =>
    facts === undefined ? Effect.die(new Error(`no failure on ${commit}`)) : Effect.succeed(facts)
  )

const pull = { branch: "topic", baseBranch: "main" }
const minutes = (minute: number): Instant.Instant => Sample.noon + minute * Instant.minute
const passed = (minute: number, parts: Partial<Report.Case> = {}) => ({ at: minutes(minute), ...parts })
const failed = (minute: number, parts: Partial<Report.Case> = {}) => Sample.failure({ at: minutes(minute), ...parts })
const refused = (minute: number, parts: Partial<Report.Case> = {}) => Sample.refused({ at: minutes(minute), ...parts })
const names = (count: number) => Array.from({ length: count }, (_, index) => `test ${String(index).padStart(3, "0")}`)

/** The messages of failures. */
const saying = (message: string) => ({ exception: { type: "Error", message, stacktrace: null } })

/** A failure of the sample test in a pull request, at noon. */
const question = (ref: Repository.RepositoryRef) => Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0)])

/** A run of the default branch in which all of six tests pass, and one in which the first five fail, with a message for each. */
const outage = (ref: Repository.RepositoryRef, messages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Upload.one(
      ref,
      "good",
      { commit: "good" },
      names(6).map((testName) => passed(-90, { testName }))
    )
    const tests = names(6).map((testName, index) =>
      index < 5 ? failed(-60, { testName, ...saying(messages[index] ?? "") }) : passed(-60, { testName })
    )
    yield* Upload.one(ref, "bad", { commit: "bad" }, tests)
  })

const inFile = (file: string, titles: ReadonlyArray<string>) => titles.map((title) => `${file} › ${title}`)

/** The cases of job runs. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TriageStore",
    "the record of a job has its earlier runs of the default branch with the tests that failed in them",
    function* (ref) {
      const flaky = [failed(-40, { testName: "b" }), failed(-40, { testName: "a" }), passed(-39, { testName: "a" })]
      yield* Upload.one(ref, "m1", { commit: "m1" }, [passed(-50), passed(-50, { testName: "a" })])
      yield* Upload.one(ref, "m2", { commit: "m2" }, [passed(-40), ...flaky])
      yield* Upload.one(ref, "of the same commit", { commit: "p" }, [passed(-30)])
      yield* Upload.one(ref, "of another job", { commit: "m3", jobName: "e2e" }, [passed(-30)])
      yield* Upload.one(ref, "old", { commit: "old" }, [passed(-FailurePolicy.defaults.memoryDays * 24 * 60 - 1)])
      yield* question(ref)
      yield* Upload.one(ref, "later", { commit: "later" }, [passed(5)])
      const { run } = yield* on(ref, "p")
      const common = { passed: 2, failed: 0, isOutage: false }
      yield* Law.equal(Plain.sorted(run.record.base), [
        { ...common, at: minutes(-50), commit: "m1", failures: [] },
        { ...common, at: minutes(-39), commit: "m2", failed: 2, failures: ["b"] }
      ])
    }
  ),

  Case.make(
    "TriageStore",
    "the record of a job holds its latest runs, and no tests of a run in which very many failed",
    function* (ref) {
      const { failuresOfRun, runs } = JobRecord.bounds
      const many = names(failuresOfRun + 1).map((testName) => failed(-1, { testName }))
      const earlier = Array.from({ length: runs }, (_, index) =>
        Sample.report(`m${index}`, { commit: `m${index}` }, [passed(index - runs - 1)])
      )
      yield* Upload.all(ref, [...earlier, Sample.report("many", { commit: "many" }, many)])
      yield* question(ref)
      const { base } = (yield* on(ref, "p")).run.record
      const commits = new Set(base.map(({ commit }) => commit))
      yield* Law.equal([base.length, commits.has("m0"), commits.has("m1")], [runs, false, true])
      yield* Law.equal(base.find(({ commit }) => commit === "many")?.failures, null)
    }
  ),

  Case.make(
    "TriageStore",
    "first attempts on other branches are counted without forks and the failure's own branch",
    function* (ref) {
      const other = { branch: "other", baseBranch: "main" }
      yield* Upload.one(ref, "a", { ...other, commit: "a" }, [failed(-50)])
      yield* Upload.one(ref, "b", { ...other, commit: "b", runId: "b" }, [passed(-50)])
      yield* Upload.one(ref, "b again", { ...other, commit: "b", runId: "b", runAttempt: 2 }, [failed(-40)])
      yield* Upload.one(ref, "own", { ...pull, commit: "own" }, [failed(-40)])
      yield* Upload.one(ref, "fork", { branch: "mallory:topic", baseBranch: "main", commit: "f" }, [failed(-30)])
      yield* Upload.one(ref, "later", { ...other, commit: "c" }, [failed(1)])
      yield* question(ref)
      yield* Law.equal((yield* on(ref, "p")).run.record.others, { runs: 2, red: 1 })
    }
  ),

  Case.make("TriageStore", "outages before a failure are known with their most frequent messages", function* (ref) {
    yield* outage(ref, ["refused", "refused", "closed", "refused", "timeout"])
    yield* Upload.one(ref, "e2e", { ...pull, commit: "p", jobName: "e2e" }, [failed(0, saying("refused"))])
    yield* Upload.one(ref, "early", { ...pull, commit: "early" }, [failed(-70)])
    const facts = yield* on(ref, "p")
    yield* Law.equal(
      facts.run.outages.map(({ at, commit, failed: red, jobName, passed: green, signatures }) => [
        [at, commit, jobName, green, red],
        signatures.length,
        signatures[0] ?? null
      ]),
      [[[minutes(-60), "bad", "unit", 1, 5], 3, facts.failure.signature]]
    )
    yield* Law.equal((yield* on(ref, "early")).run.outages, [])
  }),

  Case.make(
    "TriageStore",
    "runs of the record that health judges as outages say so, by the settings that hold",
    function* (ref) {
      yield* outage(ref, [])
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [failed(0, { testName: names(1)[0] ?? "" })])
      const known = Effect.map(on(ref, "p"), ({ rows, run: { outages, record } }) => [
        outages.length,
        record.base.filter(({ isOutage }) => isOutage).map(({ commit }) => commit),
        rows[0]?.outcomes.map(({ isOutage }) => isOutage)
      ])
      yield* Law.equal(yield* known, [1, ["bad"], [true, false]])
      const settings = { ...Repository.defaultSettings, outage: { failedTests: 6 } }
      yield* RepositoryStore.use((store) => store.set(ref, settings, Sample.noon))
      yield* Law.equal(yield* known, [0, [], [false, false]])
    }
  ),

  Case.make(
    "TriageStore",
    "a job run is compared with its reference on the default branch, and lacks its tests",
    function* (ref) {
      const tests = names(6)
      yield* Upload.one(
        ref,
        "good",
        { commit: "good" },
        tests.map((testName) => passed(-90, { testName }))
      )
      const broken = tests.slice(0, 4).map((testName) => refused(0, { testName }))
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, broken)
      yield* Upload.one(
        ref,
        "main",
        { commit: "m" },
        tests.slice(0, 3).map((testName) => refused(1, { testName }))
      )
      yield* Upload.one(ref, "new", { commit: "n", jobName: "new" }, [failed(2)])
      const known = (commit: string) =>
        Effect.map(on(ref, commit), ({ run: { judgement, missing } }) => ({ ...judgement, missing }))
      const judgement = { isOutage: true, isExcused: false, hit: 4, passedBefore: 6 }
      yield* Law.equal(yield* known("p"), { ...judgement, missing: 2 })
      yield* Law.equal(yield* known("m"), { ...judgement, isExcused: true, hit: 3, missing: 3 })
      yield* Law.equal(yield* known("n"), {
        isOutage: false,
        isExcused: false,
        hit: 0,
        passedBefore: 0,
        missing: null
      })
    }
  ),

  Case.make(
    "TriageStore",
    "a failure stands for a file when tests of it ran on the reference and none of them in its run",
    function* (ref) {
      const session = inFile("src/session.test.ts", ["opens", "closes", "expires"])
      const suite = [...session, ...inFile("src/cart.test.ts", ["adds", "sorts"]), "shop.CartTest.sums"]
      const green = (minute: number) => suite.map((testName) => passed(minute, { testName }))
      const broken = { testName: "src/session.test.ts", filepath: "src/session.test.ts" }
      const others = suite.slice(4).map((testName) => passed(0, { testName }))
      const failures = [failed(0, broken), failed(0, { testName: "src/cart.test.ts" }), failed(0)]
      yield* Upload.one(ref, "m1", { commit: "m1" }, green(-90))
      yield* Upload.one(ref, "p", { ...pull, commit: "p" }, [...failures, ...others])
      const known = (commit: string) =>
        Effect.map(onCommit(ref, commit), (all) => all.map(({ rows, unloaded }) => [unloaded, rows.length]))
      const unloaded = { file: "src/session.test.ts", tests: 3 }
      yield* Law.equal(yield* known("p"), [
        [null, 0],
        [null, 0],
        [unloaded, 0]
      ])
      yield* Upload.one(ref, "m2", { commit: "m2" }, [failed(10, broken), ...others])
      yield* Upload.one(ref, "q", { ...pull, commit: "q" }, [failed(20, broken), ...others])
      yield* Law.equal(yield* known("q"), [[null, 1]])
      yield* Upload.one(ref, "m3", { commit: "m3" }, green(30))
      yield* Upload.one(ref, "r", { ...pull, commit: "r" }, [failed(40, broken), ...others])
      yield* Law.equal(yield* known("r"), [[unloaded, 0]])
    }
  ),

  Case.make(
    "TriageStore",
    "the job runs that showed a message before are counted once, however they were uploaded",
    function* (ref) {
      const run = { ...pull, branch: "other", runId: "7", commit: "o" }
      const other = { testName: "other" }
      yield* Upload.one(ref, "o1", run, [failed(-50), failed(-49, other)])
      yield* Upload.one(ref, "o2", run, [failed(-60, { testName: "third" })])
      yield* Upload.one(ref, "o3", run, [failed(-40, { testName: "fourth" })])
      yield* Upload.one(ref, "m", { commit: "m" }, [failed(-30, other)])
      yield* Upload.one(ref, "of the same commit", { commit: "p" }, [failed(-20, other)])
      yield* Upload.one(ref, "until later", { commit: "l", runId: "l" }, [failed(-20, other)])
      yield* Upload.one(ref, "and later", { commit: "l", runId: "l" }, [failed(5)])
      yield* question(ref)
      yield* Law.equal((yield* on(ref, "p")).seen, 2)
      yield* Upload.one(ref, "q", { ...pull, commit: "q" }, [failed(0, saying("never seen"))])
      yield* Upload.one(ref, "s", { ...pull, commit: "s" }, [failed(0, { exception: null })])
      yield* Law.equal([(yield* on(ref, "q")).seen, (yield* on(ref, "s")).seen], [0, null])
    }
  ),

  Case.make("TriageStore", "forks do not make a message known, however often they show it", function* (ref) {
    const fork = { branch: "mallory:topic", baseBranch: "main" }
    yield* Upload.one(ref, "m", { commit: "m" }, [failed(-60)])
    const ofFork = Array.from({ length: JobRecord.bounds.seen + 1 }, (_, index) =>
      Sample.report(`f${index}`, { ...fork, commit: `f${index}` }, [failed(index - 40)])
    )
    yield* Upload.all(ref, ofFork)
    yield* question(ref)
    yield* Upload.one(ref, "own", { ...fork, commit: "own" }, [failed(1)])
    yield* Law.equal([(yield* on(ref, "p")).seen, (yield* on(ref, "own")).seen], [1, JobRecord.bounds.seen])
  }),

  Case.make(
    "TriageStore",
    "the totals of a test are those of the days before, as far as they are kept",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["passed", "old", 30],
        ["passed", "a", 9],
        ["failed", "b", 8],
        ["skipped", "c", 7],
        ["flaky", "d", 1],
        ["passed", "today", 0.1]
      ])
      yield* Upload.moments(ref, [["passed", "x", 3]], { branch: "other" })
      yield* Upload.moments(ref, [["passed", "y", 3]], { jobName: "e2e" })
      yield* question(ref)
      yield* Law.equal((yield* on(ref, "p")).totals, { passed: 3, failed: 1 })
      yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(16)))
      yield* Law.equal((yield* on(ref, "p")).totals, { passed: 2, failed: 1 })
      yield* Upload.one(ref, "new", { ...pull, commit: "n" }, [failed(0, { testName: "new" })])
      yield* Law.equal((yield* on(ref, "n")).totals, { passed: 0, failed: 0 })
    }
  ),

  Case.make(
    "TriageStore",
    "a job run that no report has brought has the record of its job, and no judgement",
    function* (ref) {
      yield* outage(ref, [])
      const run = Sample.run({ ...pull, runId: "9", commit: "p" })
      const failure = { attempts: 1, exceptionType: null, message: "1 is not 2", file: null }
      const failures = [{ testName: "never uploaded", ...failure }]
      const asked = { run, at: Sample.noon, passed: 3, failures }
      const [facts] = yield* TriageStore.use((store) => store.asked(ref, asked, FailurePolicy.defaults))
      yield* Law.equal(
        [
          facts?.run.record.base.length,
          facts?.run.outages.length,
          facts?.run.judgement,
          facts?.run.missing,
          facts?.totals
        ],
        [2, 1, null, null, { passed: 0, failed: 0 }]
      )
    }
  ),

  Case.make(
    "TriageStore",
    "the facts on a job run are the same when a report comes in pieces, and in another order",
    function* (ref) {
      const tests = names(6)
      const main = (commit: string, minute: number, broken: number) =>
        [0, 1, 2].map((piece) =>
          Sample.report(
            `${commit} ${piece}`,
            { commit, runId: commit },
            tests
              .slice(2 * piece, 2 * piece + 2)
              .map((testName, index) =>
                2 * piece + index < broken
                  ? refused(minute + piece, { testName })
                  : passed(minute + piece, { testName })
              )
          )
        )
      const reports = [...main("m1", -90, 0), ...main("m2", -80, 4), ...main("m3", -70, 1)]
      const asked = Sample.report("p", { ...pull, commit: "p" }, [refused(0, { testName: tests[0] ?? "" })])
      const inPlace = (suffix: string) => ({ ...ref, repository: `${ref.repository}-${suffix}` })
      const answer = (to: Repository.RepositoryRef, list: ReadonlyArray<Report.Report>) =>
        Effect.gen(function* () {
          yield* ExecutionStore.use((store) => Effect.forEach([...list, asked], (each) => store.append(to, each)))
          const { run, seen, totals } = yield* on(to, "p")
          return { ...run, record: { ...run.record, base: Plain.sorted(run.record.base) }, seen, totals }
        })
      const expected = yield* answer(ref, reports)
      yield* Law.equal([expected.seen, expected.outages.length, expected.missing], [2, 1, 5])
      yield* Law.equal(yield* answer(inPlace("reversed"), reports.toReversed()), expected)
    }
  )
]
