/** The law of appending: once, whole, or not at all. */
import { Instant, Report, Repository } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RepositoryStore, TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Ask, Case, Law, Sample, Upload } from "../law/index.ts"

const executionsOf = (count: number) => (total: Effect.Success<ReturnType<typeof Ask.total>>) =>
  Law.equal(
    Option.map(total, ({ executions }) => executions),
    Option.some(count),
    "the number of executions"
  )

const duplicate = (reportId: string) => ({ _tag: "Duplicate", reportId }) as const
const recorded = (reportId: string) => ({ _tag: "Recorded", reportId }) as const

/** The report under another key: its ids change, its content does not. */
const underKey = (report: Report.Report, key: string, parts: Partial<Report.RunContext> = {}): Report.Report => ({
  ...Sample.report(key, { ...report.run, ...parts }, report.executions),
  digest: report.digest
})

const fork = { branch: "ada:topic", baseBranch: "main" }

const failed = (index: number) => (index % 7 === 0 ? Sample.failure() : {})

/** The cases of appending. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "ExecutionStore",
    "the same report again is a duplicate with the id of the first, and changes nothing",
    function* (ref) {
      const report = Sample.report("r", {}, [{}, Sample.failure()])
      yield* Law.equal(yield* Upload.all(ref, [report]), [recorded(report.id)])
      const before = yield* Ask.records(ref)
      const later = { ...report, receivedAt: report.receivedAt + 1 }
      yield* Law.equal(yield* Upload.all(ref, [report, later]), [duplicate(report.id), duplicate(report.id)])
      yield* Law.equal(yield* Ask.records(ref), before)
      yield* executionsOf(2)(yield* Ask.total(ref))
    }
  ),

  Case.make(
    "ExecutionStore",
    "a report with an instant before 1970 or after the year 9999, or a number out of range, is invalid and changes nothing",
    function* (ref) {
      yield* Upload.all(ref, [Sample.report("before", {}, [{}])])
      const before = yield* Ask.records(ref)
      for (const wrong of [
        { at: -1 },
        { at: Date.UTC(1900, 0, 1) },
        { at: Instant.latest + 1 },
        { at: 1.5 },
        { at: NaN },
        { reruns: -1 },
        { reruns: 2 ** 31 },
        { durationMs: -1 },
        { durationMs: Infinity }
      ]) {
        const report = Sample.report("r", {}, [{}, { ...wrong, testName: "law 1" }])
        const error = yield* Effect.flip(ExecutionStore.use(({ append }) => append(ref, report)))
        yield* Law.equal(error.reason, "invalid", JSON.stringify(wrong))
        yield* Law.equal(yield* Ask.records(ref), before)
      }
    }
  ),

  Case.make("ExecutionStore", "a result of the first instant, the start of 1970, is stored", function* (ref) {
    const report = Sample.report("r", {}, [{ at: 0 }])
    yield* Law.equal(yield* Upload.all(ref, [report]), [recorded(report.id)])
    const window = { start: 0, end: Instant.day }
    const counts = yield* ExecutionStore.use((store) => store.counts(ref, Sample.testId, window))
    yield* Law.equal(
      Option.map(counts, (all) => all.map(({ executions }) => executions)),
      Option.some([1])
    )
  }),

  Case.make(
    "ExecutionStore",
    "forks add a limited number of tests to a repository on one day, and one more is refused",
    function* (ref) {
      const named = (key: string, names: ReadonlyArray<string>, run: Partial<Report.RunContext> = fork) =>
        Sample.report(
          key,
          run,
          names.map((testName) => ({ testName }))
        )
      const many = Array.from({ length: Report.mostTestsOfForks - 1 }, (_, index) => `added ${index}`)
      const first = named("first", ["known", ...many, "added 1"])
      const known = named("known", ["known"], {})
      yield* Law.equal(yield* Upload.all(ref, [known, first]), [recorded(known.id), recorded(first.id)])
      const before = yield* Ask.records(ref)
      const over = named("over", ["known", "one more", "two more", "three more"], {
        ...fork,
        pullRequest: Sample.pull(1),
        commit: "c9"
      })
      yield* Law.equal(yield* Upload.all(ref, [over]), [{ _tag: "Exceeded" }])
      yield* Law.equal(yield* Ask.records(ref), before, "the records after the refusal")
      yield* Law.equal(yield* RepositoryStore.use((store) => store.pulls(ref, ["c9"])), new Map())
      const last = named("last", ["known", "one more"], { ...fork, branch: "eve:topic" })
      const otherJob = named("other job", ["known"], { ...fork, jobName: "e2e" })
      const again = named("again", ["known", ...many.slice(0, 9), "one more"])
      const own = named("own", ["two more"], { branch: "topic", baseBranch: "main" })
      const tomorrow = { ...over, receivedAt: over.receivedAt + Instant.day }
      yield* Law.equal(
        (yield* Upload.all(ref, [last, otherJob, again, own, tomorrow])).map(({ _tag }) => _tag),
        ["Recorded", "Exceeded", "Recorded", "Recorded", "Recorded"]
      )
    }
  ),

  Case.make("ExecutionStore", "a used key with other content is a conflict, and changes nothing", function* (ref) {
    const report = Sample.report("r", {}, [{}])
    const other = { ...Sample.report("r", { commit: "c2", pullRequest: Sample.pull(1) }, [{}, {}]), digest: "other" }
    yield* Law.equal(yield* Upload.all(ref, [report, other]), [recorded(report.id), { _tag: "Conflict" }])
    yield* executionsOf(1)(yield* Ask.total(ref))
    yield* Law.equal(yield* RepositoryStore.use((store) => store.pulls(ref, ["c2"])), new Map())
  }),

  Case.make("ExecutionStore", "a used key with the same content of another job run is a conflict", function* (ref) {
    const report = Sample.report("r", {}, [{}])
    const other = { ...report, run: { ...report.run, jobName: "e2e" } }
    yield* Law.equal(yield* Upload.all(ref, [report, other]), [recorded(report.id), { _tag: "Conflict" }])
  }),

  Case.make(
    "ExecutionStore",
    "the same content of the same job run under another key is a duplicate of the first",
    function* (ref) {
      const report = Sample.report("r", {}, [{}])
      const again = underKey(report, "other key", { pullRequest: Sample.pull(1) })
      yield* Law.equal(yield* Upload.all(ref, [report, again]), [recorded(report.id), duplicate(report.id)])
      yield* executionsOf(1)(yield* Ask.total(ref))
      yield* Law.equal(yield* RepositoryStore.use((store) => store.pulls(ref, ["c1"])), new Map())
    }
  ),

  Case.make(
    "ExecutionStore",
    "a key that brought nothing but a duplicate or a conflict is still free",
    function* (ref) {
      const report = Sample.report("r", {}, [{}])
      const again = underKey(report, "free")
      const fresh = Sample.report("free", {}, [{}])
      yield* Law.equal(yield* Upload.all(ref, [report, again, fresh]), [
        recorded(report.id),
        duplicate(report.id),
        recorded(fresh.id)
      ])
    }
  ),

  Case.make(
    "ExecutionStore",
    "the same content of another pipeline, job, run or attempt is another report",
    function* (ref) {
      const report = Sample.report("r", {}, [{}])
      const others = [
        underKey(report, "k1", { pipelineName: "nightly" }),
        underKey(report, "k2", { jobName: "e2e" }),
        underKey(report, "k3", { runId: "r2" }),
        underKey(report, "k4", { runAttempt: 2 })
      ]
      const outcomes = yield* Upload.all(ref, [report, ...others])
      yield* Law.equal(
        outcomes,
        [report, ...others].map(({ id }) => recorded(id))
      )
      yield* executionsOf(5)(yield* Ask.total(ref))
    }
  ),

  Case.make("ExecutionStore", "the same report is recorded once when it arrives concurrently", function* (ref) {
    const report = Sample.report("r", {}, [{}, Sample.failure()])
    const store = yield* ExecutionStore
    const outcomes = yield* Effect.all(
      Array.from({ length: 8 }, () => store.append(ref, report)),
      { concurrency: 8 }
    )
    yield* Law.equal(outcomes.filter(({ _tag }) => _tag === "Recorded").length, 1, "the number of recorded reports")
    yield* Law.equal(outcomes.filter(({ _tag }) => _tag === "Duplicate").length, 7, "the number of duplicates")
    yield* executionsOf(2)(yield* Ask.total(ref))
  }),

  Case.make("ExecutionStore", "the same content under many keys at once is recorded once", function* (ref) {
    const report = Sample.report("r", {}, [{}])
    const store = yield* ExecutionStore
    const reports = Array.from({ length: 8 }, (_, index) => underKey(report, `key ${index}`))
    const outcomes = yield* Effect.forEach(reports, (each) => store.append(ref, each), { concurrency: 8 })
    yield* Law.equal(outcomes.filter(({ _tag }) => _tag === "Recorded").length, 1, "the number of recorded reports")
    yield* executionsOf(1)(yield* Ask.total(ref))
  }),

  Case.make("ExecutionStore", "concurrent reports of one test are all recorded and judged", function* (ref) {
    const store = yield* ExecutionStore
    const moments = Array.from({ length: 16 }, (_, day): Upload.Moment => [
      day % 3 === 0 ? "failed" : "passed",
      `c${day}`,
      day
    ])
    yield* Effect.forEach(moments, (moment) => store.append(ref, Upload.reportOf(moment)), { concurrency: 16 })
    const alone = yield* Case.repository
    yield* Upload.moments(alone, moments.toReversed())
    yield* Law.equal(yield* Ask.records(ref), yield* Ask.records(alone))
    yield* executionsOf(16)(yield* Ask.total(ref))
  }),

  Case.make(
    "ExecutionStore",
    "a report of which one text cannot be stored leaves nothing, not even its repository",
    function* (ref) {
      const store = yield* ExecutionStore
      const faulty = Sample.report("r", { pullRequest: Sample.pull(1) }, [{}, Sample.failure({ filepath: "a\0b" })])
      const error = yield* Effect.flip(store.append(ref, faulty))
      yield* Law.equal(error.reason, "invalid")
      yield* Law.equal(yield* RepositoryStore.use((repositories) => repositories.get(ref)), Option.none())
      yield* Law.equal(yield* Ask.records(ref), [])
      yield* Law.equal(yield* FailureStore.use((failures) => failures.list(ref, Sample.testId)), Option.none())
      const whole = Sample.report("r", {}, [{}])
      yield* Law.equal(yield* Upload.all(ref, [whole]), [recorded(whole.id)])
      yield* Law.equal(yield* RepositoryStore.use((repositories) => repositories.pulls(ref, ["c1"])), new Map())
    }
  ),

  Case.make(
    "ExecutionStore",
    "a report without executions is recorded, and makes its repository and no test",
    function* (ref) {
      const report = Sample.report("r", { pullRequest: Sample.pull(1) }, [])
      yield* Law.equal(yield* Upload.all(ref, [report, report]), [
        { ...recorded(report.id), withoutDefaultBranch: true },
        duplicate(report.id)
      ])
      const repository = yield* RepositoryStore.use((store) => store.get(ref))
      yield* Law.equal(
        Option.map(repository, ({ createdAt }) => createdAt),
        Option.some(report.receivedAt)
      )
      const page = yield* TestStore.use((store) => store.page(ref, Sample.search()))
      yield* Law.equal(page, { rows: [], hasPrevious: false, hasNext: false, total: 0 })
      yield* Law.equal(
        yield* RepositoryStore.use((store) => store.pulls(ref, ["c1"])),
        new Map([["c1", Sample.pull(1)]])
      )
    }
  ),

  Case.make("ExecutionStore", "a test that a report names twice has two executions", function* (ref) {
    const report = Sample.report("r", {}, [{}, { testName: "other" }, Sample.failure()])
    yield* Upload.all(ref, [report])
    yield* executionsOf(2)(yield* Ask.total(ref))
    const { lastId } = yield* Ask.record(ref)
    yield* Law.equal(lastId, `${report.id}.1`)
  }),

  Case.make("ExecutionStore", "hundreds of tests of one report are told apart", function* (ref) {
    const names = Array.from({ length: 300 }, (_, index) => `test ${index}`)
    yield* Upload.one(
      ref,
      "r1",
      {},
      names.map((testName) => ({ testName }))
    )
    // The 43 failures would be an outage.
    yield* RepositoryStore.use((store) =>
      store.set(ref, { ...Repository.defaultSettings, outage: { failedShare: 1 } }, Sample.noon)
    )
    yield* Upload.one(
      ref,
      "r2",
      { commit: "c2" },
      names.map((testName, index) => ({ testName, ...failed(index), durationMs: index }))
    )
    const broken = yield* Ask.rows(ref, { sort: "health_status", direction: "desc" })
    const found = broken.filter(({ healthStatus }) => healthStatus === "broken").map(({ testName }) => testName)
    yield* Law.equal(found.toSorted(), names.filter((_, index) => index % 7 === 0).toSorted())
    const active = yield* TestStore.use((store) => store.active(ref, Sample.noon))
    const durations = active.map(({ durationUs, testName }) => [testName, durationUs] as const)
    yield* Law.equal(new Map(durations), new Map(names.map((name, index) => [name, 1_000_000 + index * 1000])))
  })
]
