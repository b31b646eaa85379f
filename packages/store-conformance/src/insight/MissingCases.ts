/** The law of missing tests: which tests job runs executed, and the rounds that store losses. */
import {
  Instant,
  type LossRecord,
  type MissingFacts,
  type Report,
  type Repository,
  type Steps,
  TestSet,
  Text
} from "@lazaret/domain"
import {
  EventStore,
  type MissingQuery,
  MissingStore,
  RepositoryStore,
  RetentionStore,
  TestAliasStore
} from "@lazaret/store"
import { Effect } from "effect"
import { Case, Law, Leased, Sample, Upload } from "../law/index.ts"

const executed = (names: ReadonlyArray<string>, minute: number): ReadonlyArray<Partial<Report.Case>> =>
  names.map((testName) => ({ testName, at: Sample.atMinute(minute) }))

const skipping = (testName: string, minute: number): Partial<Report.Case> => ({
  testName,
  at: Sample.atMinute(minute),
  conclusion: "skipped"
})

const now = Sample.noon + Instant.day

/** A run as text, and the names of its tests. */
type Shown = readonly [run: string, names: ReadonlyArray<string>]

const lists = ["runs", "others", "own"] as const

/** A judge of one step. */
const atOnce = <A>(judge: (group: ReadonlyArray<MissingFacts.JobHistory>) => MissingFacts.Judged<A>) =>
  function* (group: ReadonlyArray<MissingFacts.JobHistory>): Steps.Steps<MissingFacts.Judged<A>> {
    yield
    return judge(group)
  }

const everyRun = atOnce((group): MissingFacts.Judged<ReadonlyArray<string>> => {
  const all = group.flatMap((job) =>
    lists.flatMap((part) =>
      job[part].map((run) => ({ run, text: `${part} ${job.jobName} ${run.runId} ${run.commit}` }))
    )
  )
  return { value: all.map(({ text }) => text), asked: all.map(({ run }) => ({ tests: run.ran, runId: null })) }
})

/** Every run of the histories with the names of its tests, each group in an order of its own. */
const historiesOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, runs: MissingQuery["runs"] = null) {
  const groups = yield* MissingStore.use((store) => store.histories(ref, { now, runs }, everyRun))
  return groups.map(({ found, value }) =>
    value.map((text, index): Shown => [text, found[index]?.names ?? []]).sort(([a], [b]) => Text.compare(a, b))
  )
})

/** How many tests two runs have in common. */
const commonTests = atOnce((group): MissingFacts.Judged<number> => {
  const [first, second] = ["r1", "r2"].map((runId) =>
    group
      .flatMap(({ runs }) => runs)
      .filter((run) => run.runId === runId)
      .reduce((all, { ran }) => TestSet.union(all, ran), TestSet.empty)
  )
  return { value: TestSet.common(first ?? TestSet.empty, second ?? TestSet.empty), asked: [] }
})

/** The tests of the first run, and how many of them a later one skipped. */
const skippedLater = atOnce((group): MissingFacts.Judged<null> => ({
  value: null,
  asked: [{ runId: "r6", tests: group[0]?.runs.find(({ runId }) => runId === "r1")?.ran ?? TestSet.empty }]
}))

/** Runs of two shards and of another job on the default branch, a pull request, and a fork. */
const reports: ReadonlyArray<Report.Report> = [
  Sample.report("1", { runId: "r1", commit: "c1", jobName: "unit 1" }, executed(["a", "b"], 1)),
  Sample.report("2", { runId: "r1", commit: "c1", jobName: "unit 2" }, [...executed(["c"], 2), skipping("d", 2)]),
  Sample.report("3", { runId: "r1", commit: "c1", jobName: "lint" }, executed(["a"], 3)),
  Sample.report("4", { runId: "r2", commit: "c2", jobName: "unit 1" }, executed(["c"], 4)),
  Sample.report("5", { runId: "r2", commit: "c2", jobName: "unit 1" }, [
    Sample.failure({ testName: "e", at: Sample.atMinute(5) })
  ]),
  Sample.report(
    "6",
    { runId: "r3", commit: "c3", jobName: "unit 1", branch: "topic", baseBranch: "main" },
    executed(["a"], 6)
  ),
  Sample.report(
    "7",
    { runId: "r4", commit: "c4", jobName: "unit 1", branch: "eve:x", baseBranch: "main" },
    executed(["z"], 7)
  ),
  Sample.report(
    "8",
    { runId: "r5", commit: "c5", jobName: "unit 1", branch: "other", baseBranch: "main" },
    executed(["b"], 8)
  )
]

const onBase = [
  [["runs lint r1 c1", ["a"]]],
  [
    ["runs unit 1 r1 c1", ["a", "b"]],
    ["runs unit 1 r2 c2", ["c", "e"]],
    ["runs unit 2 r1 c1", ["c"]]
  ]
] as const

const loss = (end: number, changes: Partial<LossRecord.LossRecord> = {}): LossRecord.LossRecord => ({
  lossId: `11111111-1111-5111-8111-00000000000${end}`,
  kind: "tests",
  state: "open",
  pipelineName: "CI",
  jobNames: ["unit"],
  jobs: 1,
  runId: `r${end}`,
  commit: "c1",
  at: Sample.atMinute(end),
  lastAt: Sample.atMinute(end),
  runs: 1,
  expected: 834,
  missing: 104,
  skipped: 0,
  renamed: 0,
  names: ["\u{1f600}"],
  suites: [{ name: "s", tests: 1 }],
  renames: [],
  isSmall: false,
  ...changes
})

const round = (losses: ReadonlyArray<LossRecord.LossRecord>, pendingAt: Instant.Instant | null = null) => ({
  losses,
  news: losses,
  jobs: 3,
  missingRuns: 0,
  pendingAt
})

const leases = Leased.of(MissingStore)

/** The cases of missing tests. All rounds are one case: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "MissingStore",
    "the histories are the executed tests of each job run of the default branch",
    function* (ref) {
      yield* Law.equal(yield* historiesOf(ref), [], "an unknown repository")
      yield* Upload.all(ref, reports)
      yield* Law.equal<unknown>(yield* historiesOf(ref), onBase)
    }
  ),
  Case.make(
    "MissingStore",
    "the histories are the same in any order of arrival, and of uploads cut into parts",
    function* (ref) {
      yield* Upload.all(ref, reports.toReversed())
      yield* Law.equal<unknown>(yield* historiesOf(ref), onBase)
      const cut = yield* Case.repository
      const pieces = reports.flatMap((report) =>
        report.executions.map((execution, index) => ({
          ...report,
          key: `${report.key} ${index}`,
          digest: `${report.digest} ${index}`,
          executions: [execution]
        }))
      )
      yield* Upload.all(cut, pieces.toReversed())
      yield* Law.equal<unknown>(yield* historiesOf(cut), onBase)
    }
  ),
  Case.make(
    "MissingStore",
    "a run that somebody asks about is apart from those before it, on every branch",
    function* (ref) {
      yield* Upload.all(ref, reports)
      const asked = { commit: "c5", runIds: ["r5"], before: Sample.atMinute(8) }
      yield* Law.equal<unknown>(yield* historiesOf(ref, asked), [
        [["others unit 1 r3 c3", ["a"]], ["own unit 1 r5 c5", ["b"]], ...onBase[1]]
      ])
      const earlier = { commit: "c2", runIds: ["r2"], before: Sample.atMinute(4) }
      yield* Law.equal<unknown>(yield* historiesOf(ref, earlier), [
        [
          ["own unit 1 r2 c2", ["c", "e"]],
          ["runs unit 1 r1 c1", ["a", "b"]],
          ["runs unit 2 r1 c1", ["c"]]
        ]
      ])
      yield* Law.equal(yield* historiesOf(ref, { ...asked, commit: "c1" }), [], "another commit")
      const fork = { commit: "c4", runIds: ["r4"], before: Sample.atMinute(7) }
      const [group = []] = yield* historiesOf(ref, fork)
      yield* Law.equal(
        group.filter(([text]) => text.startsWith("own")),
        [["own unit 1 r4 c4", ["z"]]]
      )
    }
  ),
  Case.make(
    "MissingStore",
    "a test has one number in all shards, and a run says how many tests it skipped",
    function* (ref) {
      yield* Upload.all(ref, reports)
      const groups = yield* MissingStore.use((store) => store.histories(ref, { now, runs: null }, commonTests))
      yield* Law.equal(
        groups.map(({ value }) => value),
        [0, 1]
      )
      yield* Upload.one(ref, "9", { runId: "r6", commit: "c6", jobName: "lint" }, [
        skipping("a", 9),
        ...executed(["b"], 9)
      ])
      const [lint] = yield* MissingStore.use((store) => store.histories(ref, { now, runs: null }, skippedLater))
      yield* Law.equal(lint?.found, [{ names: ["a"], skipped: 1 }])
    }
  ),
  Case.make("MissingStore", "an alias changes the names of histories, and a horizon ends them", function* (ref) {
    yield* Upload.all(ref, reports)
    const wanted = [{ id: crypto.randomUUID(), link: { kind: "name", from: "a", to: "b" } as const }]
    yield* TestAliasStore.use((store) => store.add(ref, wanted, { by: "ada", at: Sample.noon }))
    const [lint, unit] = yield* historiesOf(ref)
    yield* Law.equal<unknown>(lint, [["runs lint r1 c1", ["b"]]])
    yield* Law.equal<unknown>(unit?.[0], ["runs unit 1 r1 c1", ["b"]])
    yield* RetentionStore.use((store) => store.drop(ref, Sample.noon + 7 * Instant.day))
    yield* Law.equal(yield* historiesOf(ref), [])
  }),
  Case.make(
    "MissingStore",
    "rounds are leased once, report each loss once, and end with their repository",
    function* (ref) {
      const store = yield* MissingStore
      yield* Law.equal(yield* store.progress(ref), { computedAt: null, jobs: 0, missingRuns: 0 })
      yield* Leased.inRounds(ref, MissingStore, (leased, times) =>
        store.replace(leased, times, () => round([loss(2), loss(1)]))
      )
      yield* Law.equal(yield* store.list(ref), [loss(2), loss(1)])
      const at = Sample.noon + Instant.hour
      yield* Law.equal(yield* store.progress(ref), { computedAt: at, jobs: 3, missingRuns: 0 })
      yield* store.request(ref, at)
      const times = { computedAt: at, againAt: at + 100 }
      const changed = loss(1, { state: "returned", runs: 2 })
      const pending = yield* leases.only(ref, at)
      yield* Law.equal(yield* store.replace(pending, times, () => round([changed], at + 300)), true)
      yield* Law.equal(yield* store.list(ref), [changed])
      yield* Law.equal(yield* leases.at(ref, at + 299), [], "before the pending run can be judged")
      yield* leases.only(ref, at + 300)
      const logged = yield* EventStore.use((events) => events.after(ref, 0, 10))
      yield* Law.equal<unknown>(
        logged.map(({ at: instant, summary, type }) => [type, instant, summary]),
        [2, 1].map(() => [
          "job_run.tests_missing",
          Sample.noon + 7,
          `CI / unit, commit c1: 104 of 834 tests did not run.`
        ])
      )
      yield* RepositoryStore.use(({ remove }) => remove(ref))
      yield* Law.equal(yield* store.list(ref), [], "after the removal of the repository")
      yield* Law.equal(yield* historiesOf(ref), [])
    }
  )
]
