/** The law of aliases for what names a test next to its executions: quarantines, searches, questions, verdicts and issues. */
import {
  FailurePolicy,
  type FailurePrecision,
  Instant,
  type Report,
  TestFilter,
  TestId,
  type TestIssue,
  TestList
} from "@lazaret/domain"
import {
  IssueStore,
  QuarantineStore,
  RepositoryStore,
  RetentionStore,
  TestStore,
  TriageStore,
  VerdictStore
} from "@lazaret/store"
import { Option } from "effect"
import { isSound, link, make, revoke } from "../law/Alias.ts"
import { Ask, Case, Law, Leased, Sample, Upload } from "../law/index.ts"

const verdictOn = (testName: string): FailurePrecision.FirstVerdict => ({
  testId: TestId.of(testName),
  executionId: "1.0",
  testName,
  pipelineName: "CI",
  jobName: "unit",
  commit: "c1",
  runId: null,
  at: Sample.noon,
  verdict: "flaky",
  probability: 0.5,
  odds: 0,
  base: "passed"
})

const record: TestIssue.TestIssue = {
  testId: TestId.of("old"),
  testName: "old",
  issue: "7",
  url: "https://ci.example/7",
  openedAt: Sample.noon,
  closedAt: null,
  closedBy: null,
  urgent: "",
  detail: "",
  writtenAt: Sample.noon
}

/** The cases of the names of tests. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestAliasStore",
    "quarantines, searches and questions about failures know a test by each of its names",
    function* (ref) {
      yield* Upload.one(ref, "1", { commit: "c1" }, [
        Sample.failure({ testName: "Shop > old", at: Sample.atMinute(0) })
      ])
      yield* Upload.one(ref, "2", { commit: "c2" }, [{ testName: "Shop > new", at: Sample.atMinute(1) }])
      const ids = yield* Sample.ids("a", "b")
      const store = yield* QuarantineStore
      yield* store.insert(ref, { ...Sample.quarantine(ids.a), testName: "Shop > old" })
      yield* make(ref, [link("name", "Shop > old", "Shop > new")])

      const [old, next] = [TestId.of("Shop > old"), TestId.of("Shop > new")]
      for (const testId of [old, next]) {
        const page = yield* store.page(ref, Sample.listing({ testId }))
        yield* Law.equal(
          page.rows.map(({ testName }) => testName),
          ["Shop > new"],
          "the quarantines of a test"
        )
        yield* Law.equal((yield* store.past(ref, testId)).length, 1, "its past quarantines")
      }
      const among = { testNames: ["Shop > old", "Shop > new", "other"], branch: "main", now: Sample.noon }
      yield* Law.equal([...(yield* store.among(ref, among))], ["Shop > old", "Shop > new"])
      const second = { ...Sample.quarantine(ids.b), testName: "Shop > new" }
      yield* Law.equal(yield* store.insert(ref, second), false, "whether there is a second quarantine")

      const tests = yield* TestStore
      for (const name of ["Shop > old", "*old", "Shop > new"]) {
        const filter = TestFilter.make({ testName: { include: [name] } })
        yield* Law.equal(yield* Ask.names(ref, { filter }), ["Shop > new"], name)
        const { tests: count } = yield* tests.count(ref, { filter, status: null, now: Sample.noon })
        yield* Law.equal(count, 1, `the number of ${name}`)
      }
      const exclude = TestFilter.make({ testName: { exclude: ["*old"] } })
      yield* Law.equal(yield* Ask.names(ref, { filter: exclude }), [])
      const found = yield* tests.list(
        ref,
        { ...TestList.everything, filter: { ...TestList.all, search: "OLD" }, limit: 10 },
        Sample.noon
      )
      yield* Law.equal(
        found.rows.map(({ testName }) => testName),
        ["Shop > new"]
      )

      const triage = yield* TriageStore
      const until = Sample.noon + Instant.day
      const signatures = yield* triage.signatures(ref, [
        { testName: "Shop > old", until },
        { testName: "Shop > new", until }
      ])
      yield* Law.equal(
        signatures.map(({ length }) => length),
        [1, 1],
        "signatures"
      )
      const run = Sample.run({ runId: "asked", commit: "c3" })
      const failures = ["Shop > old", "Shop > new"].map((testName) => ({
        testName,
        attempts: 1,
        exceptionType: "AssertionError",
        message: "1 is not 2",
        file: null
      }))
      const asked = yield* triage.asked(
        ref,
        { run, at: Sample.atMinute(9), passed: 0, failures },
        FailurePolicy.defaults
      )
      yield* Law.equal(
        asked.map(({ failure }) => failure.testName),
        ["Shop > old", "Shop > new"]
      )
      const [one, other] = asked.map(({ failure: _failure, ...facts }) => facts)
      yield* Law.equal<unknown>(one, other, "the facts on both names")

      yield* revoke(ref)
      yield* Law.equal([...(yield* store.among(ref, among))], ["Shop > old"], "quarantined after the revocation")
      yield* Law.equal(yield* Ask.names(ref, { filter: exclude }), ["Shop > new"])
    }
  ),

  Case.make("TestAliasStore", "verdicts, marks and issues of a test are those of all its names", function* (ref) {
    yield* Upload.one(ref, "1", {}, [Sample.failure({ testName: "old" })])
    const verdicts = yield* VerdictStore
    yield* verdicts.note(ref, [verdictOn("old")])
    const issues = yield* IssueStore
    yield* issues.request(ref, Sample.noon)
    const leased = yield* Leased.of(IssueStore).only(ref, Sample.noon)
    yield* issues.keep(leased, record, [])
    yield* make(ref, [link("name", "old", "new")])

    yield* verdicts.note(ref, [verdictOn("new")])
    const kept = yield* verdicts.ofCommit(ref, "c1")
    yield* Law.equal(kept.length, 1, "first verdicts on one failure")
    const next = { testId: TestId.of("new"), executionId: "1.0" }
    const marked = yield* verdicts.mark(ref, next, { truth: "flaky", by: "ada", at: Sample.noon })
    yield* Law.equal(Option.isSome(marked), true, "whether the failure is marked by the new id")
    yield* Law.equal(
      (yield* verdicts.marked(ref, ["1.0"])).map(({ testId }) => testId),
      [next.testId]
    )
    const renamed = { ...record, testId: next.testId, testName: "new" }
    yield* Law.equal(yield* issues.list(ref), [renamed])
    yield* issues.keep(leased, { ...renamed, detail: "more" }, [])
    yield* Law.equal(yield* issues.list(ref), [{ ...renamed, detail: "more" }])
    yield* issues.drop(leased, next.testId)
    yield* Law.equal(yield* issues.list(ref), [])
  }),

  Case.make("TestAliasStore", "a test that is removed by one of its names is gone under all of them", function* (ref) {
    yield* Upload.one(ref, "1", {}, [
      Sample.failure({ testName: "old", at: Sample.atMinute(0) }),
      { testName: "kept", at: Sample.atMinute(0) }
    ])
    yield* make(ref, [link("name", "old", "new")])
    yield* Upload.one(ref, "2", { branch: "topic" }, [Sample.failure({ testName: "old", at: Sample.atMinute(1) })])
    yield* Law.equal(yield* RepositoryStore.use((store) => store.removeTest(ref, TestId.of("old"))), true)
    for (const name of ["old", "new"]) {
      yield* Law.equal(yield* Ask.records(ref, TestId.of(name)), [], name)
      yield* Law.equal(yield* TestStore.use((store) => store.elsewhere(ref, TestId.of(name), 0)), [])
    }
    yield* revoke(ref)
    yield* Law.equal(yield* Ask.records(ref, TestId.of("old")), [], "after the revocation")
    yield* Law.equal(yield* Ask.names(ref), ["kept"])
    yield* isSound(ref)
  }),

  Case.make(
    "TestAliasStore",
    "a test keeps its health by dropped executions under the name that stands for it",
    function* (ref) {
      const moment = (key: string, day: number, parts: Partial<Report.Case>) =>
        Upload.one(ref, key, { commit: key }, [{ testName: "old", at: Sample.daysAgo(day), ...parts }])
      yield* moment("1", 60, {})
      yield* moment("2", 50, Sample.failure())
      yield* moment("3", 1, Sample.failure())
      yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(40)))
      const before = yield* Ask.record(ref, TestId.of("old"))
      yield* make(ref, [link("name", "old", "new")])
      const { identity, ...after } = yield* Ask.record(ref, TestId.of("new"))
      yield* Law.equal<unknown>({ ...after, identity: { ...identity, testName: "old" } }, before)
      yield* Law.equal(yield* Ask.names(ref), ["new"])
      yield* isSound(ref)
    }
  )
]
