/** The law of repositories: how they are named and come into being, and that they never see one another. */
import { Failure, Instant, Repository, TestId } from "@lazaret/domain"
import {
  EventStore,
  ExecutionStore,
  FailureStore,
  QuarantineStore,
  QueueStore,
  RepositoryStore,
  RetentionStore,
  type Stores,
  TestStore,
  UpkeepStore
} from "@lazaret/store"
import { Effect, Option } from "effect"
import { Answer, Ask, Case, JobRun, Law, Sample, Upload } from "../law/index.ts"

const settings: Repository.RepositorySettings = {
  defaultBranch: "release/\u{1f600}",
  repositoryUrl: "https://git.example/web/widgets/-",
  flakyDetection: false,
  autoQuarantine: "flaky_and_broken",
  autoRemoval: false,
  flakinessEvidence: "default_branch",
  badge: true,
  gate: {
    quarantined: false,
    flaky: 0.9,
    brokenOnBase: null,
    outage: 1,
    dependency: null,
    quarantineLimit: 0.5,
    leastPrecision: 0.8,
    missing: "block"
  },
  pullRequestComments: "always",
  quarantineReason: "required",
  artifacts: ["*junit*"],
  issues: "flaky",
  issueLabels: ["flaky", "ci \u{1f600}"],
  issuesBy: "test",
  notificationsBy: "test",
  health: { cleanPasses: 3, impactHigh: 0.5 },
  outage: { failedShare: 0.07 },
  quarantine: { recoveredDays: 1 },
  autoQuarantinePolicy: {},
  issuePolicy: { mostPerDay: 3 },
  costPolicy: { machineMinute: 0.008 }
}

const upper = (ref: Repository.RepositoryRef): Repository.RepositoryRef => ({
  owner: ref.owner.toUpperCase(),
  repository: ref.repository.toUpperCase()
})

const isNamed = (ref: Repository.RepositoryRef) => (found: Repository.RepositoryRef) =>
  Repository.key(found) === Repository.key(ref)

const isRemoval = (index: number): boolean => index % 4 === 2

const off = (held: Repository.RepositorySettings) => ({ ...held, flakyDetection: false })

const named = ({ owner, repository }: Repository.RepositoryRef, name: string): Repository.RepositoryRef => ({
  owner,
  repository: `${repository.slice(0, 20)}${name}`
})

/** The cases of repositories. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "RepositoryStore",
    "settings are kept as they were set, and creation is that of the first write",
    function* (ref) {
      const store = yield* RepositoryStore
      yield* Law.equal(yield* store.get(ref), Option.none())
      const first = { ...ref, createdAt: Sample.noon, settings }
      yield* Law.equal(yield* store.set(ref, settings, Sample.noon), first)
      yield* Law.equal(yield* store.get(ref), Option.some(first))
      const second = { ...first, settings: Repository.defaultSettings }
      yield* Law.equal(yield* store.set(ref, Repository.defaultSettings, Sample.noon + 1), second)
      yield* Law.equal(yield* store.get(ref), Option.some(second))
    }
  ),

  Case.make("RepositoryStore", "a change is made from the settings that hold, the defaults at first", function* (ref) {
    const store = yield* RepositoryStore
    const created = yield* store.change(ref, off, Sample.noon)
    yield* Law.equal(created, { ...ref, createdAt: Sample.noon, settings: off(Repository.defaultSettings) })
    yield* store.set(ref, settings, Sample.noon + 1)
    const changed = yield* store.change(ref, (held) => ({ ...held, autoRemoval: true }), Sample.noon + 2)
    yield* Law.equal(changed, { ...created, settings: { ...settings, autoRemoval: true } })
    yield* Law.equal(yield* store.get(ref), Option.some(changed))
  }),

  Case.make(
    "RepositoryStore",
    "every write gives the repository a version that it never had, and no read does",
    function* (ref) {
      const store = yield* RepositoryStore
      const { a } = yield* Sample.ids("a")
      const quarantines = yield* QuarantineStore
      const versionOf = Effect.map(store.version(ref), Option.getOrNull)
      yield* Law.equal(yield* versionOf, null)
      const writes: ReadonlyArray<Effect.Effect<unknown, unknown, Stores.Stores>> = [
        quarantines.insert(ref, Sample.quarantine(a)),
        Upload.one(ref, "r1", { commit: "c1" }, [Sample.failure()]),
        Upload.one(ref, "r2", { commit: "c2", branch: "topic" }, [{}]),
        quarantines.remove(ref, a, { at: Sample.noon, by: "key 1" }),
        store.change(ref, off, Sample.noon),
        store.recordPulls(ref, [{ commit: "c1", pull: Sample.pull(1) }], Sample.noon),
        QueueStore.use((queues) => queues.setPause(ref, "release", { at: Sample.noon, by: "key 1" })),
        RetentionStore.use((retention) => retention.drop(ref, Sample.noon + 30 * Instant.day))
      ]
      const known = new Set<string | null>([null])
      for (const [index, write] of writes.entries()) {
        yield* write
        const version = yield* versionOf
        yield* Law.equal(known.has(version), false, `write ${index}`)
        known.add(version)
        yield* Answer.everything(ref)
        yield* Law.equal(yield* versionOf, version, `reading after write ${index}`)
      }
    }
  ),

  Case.make("RepositoryStore", "concurrent changes all hold", function* (ref) {
    const store = yield* RepositoryStore
    const keys = ["cleanPasses", "cleanDays", "episodeDays", "activeDays"] as const
    const change = (key: (typeof keys)[number]) =>
      store.change(ref, (held) => ({ ...held, health: { ...held.health, [key]: 3 } }), Sample.noon)
    yield* Effect.forEach(keys, change, { concurrency: keys.length, discard: true })
    const found = Option.map(yield* store.get(ref), (repository) => repository.settings.health)
    yield* Law.equal(found, Option.some({ cleanPasses: 3, cleanDays: 3, episodeDays: 3, activeDays: 3 }))
  }),

  Case.make(
    "RepositoryStore",
    "owner and name match in any case in every port, and are shown as first written",
    function* (ref) {
      const store = yield* RepositoryStore
      const { a } = yield* Sample.ids("a")
      yield* Upload.one(ref, "r", { pullRequest: Sample.pull(1) }, [Sample.failure()])
      const other = upper(ref)
      yield* store.set(other, settings, Sample.noon)
      yield* store.set(other, Repository.defaultSettings, Sample.noon)
      const [found, same] = [yield* store.get(ref), yield* store.get(other)]
      yield* Law.equal(found, same)
      yield* Law.equal(
        Option.map(found, ({ owner, repository }) => ({ owner, repository })),
        Option.some(ref)
      )
      yield* Law.equal(yield* Ask.records(other), yield* Ask.records(ref))
      yield* Law.equal(yield* Ask.total(other), yield* Ask.total(ref))
      yield* Law.equal(yield* Ask.rows(other), yield* Ask.rows(ref))
      yield* Law.equal(yield* store.pulls(other, ["c1"]), new Map([["c1", Sample.pull(1)]]))
      yield* QuarantineStore.use((quarantines) => quarantines.insert(other, Sample.quarantine(a)))
      yield* Law.equal(
        yield* QuarantineStore.use((quarantines) => quarantines.get(ref, a, Sample.noon)),
        Option.some(Sample.quarantine(a))
      )
      const groups = yield* FailureStore.use((failures) => failures.list(other, Sample.testId))
      yield* Law.equal(
        Option.map(groups, (list) => list.length),
        Option.some(1)
      )
      const again = yield* Upload.one(other, "r", { pullRequest: Sample.pull(1) }, [Sample.failure()])
      yield* Law.equal(again._tag, "Duplicate")
    }
  ),

  Case.make("RepositoryStore", "the list holds every repository once, in the order of its key", function* (ref) {
    const store = yield* RepositoryStore
    const names = ["c0", "C.", "c-", "_", "B", "a"]
    yield* Effect.forEach(names, (name) => store.set(named(ref, name), settings, Sample.noon))
    yield* store.set(upper(named(ref, "a")), Repository.defaultSettings, Sample.noon)
    const listed = (yield* store.list).filter(({ owner }) => owner === ref.owner)
    const expected = names.map((name) => ({
      ...named(ref, name),
      createdAt: Sample.noon,
      settings: name === "a" ? Repository.defaultSettings : settings
    }))
    yield* Law.equal(
      listed,
      expected.toSorted((a, b) => (Repository.key(a) < Repository.key(b) ? -1 : 1))
    )
  }),

  Case.make("RepositoryStore", "reading makes no repository", function* (ref) {
    yield* Answer.everything(ref)
    yield* FailureStore.use((store) => store.get(ref, Sample.testId, Sample.testId))
    yield* QuarantineStore.use((store) => store.among(ref, { testNames: ["a"], branch: null, now: Sample.noon }))
    yield* RepositoryStore.use((store) => store.pulls(ref, ["c"]))
    yield* Law.equal(yield* RepositoryStore.use((store) => store.get(ref)), Option.none())
  }),

  Case.make("RepositoryStore", "two repositories never see each other", function* (ref) {
    const other = { owner: ref.owner, repository: `${ref.repository}-2` }
    const empty = yield* Answer.everything(other)
    const reports = Array.from({ length: 6 }, (_, index) =>
      Sample.report(`r${index}`, { commit: `c${index}`, pullRequest: Sample.pull(1) }, [
        Sample.failure({ testName: JobRun.testNames[0], at: Sample.daysAgo(index) })
      ])
    )
    yield* Upload.all(ref, reports)
    yield* RepositoryStore.use((store) => store.set(ref, settings, Sample.noon))
    const { a } = yield* Sample.ids("a")
    yield* QuarantineStore.use((store) => store.insert(ref, Sample.quarantine(a, { testName: JobRun.testNames[0] })))
    yield* Law.equal(yield* Answer.everything(other), empty)
    yield* Law.equal(yield* QuarantineStore.use((store) => store.get(other, a, Sample.noon)), Option.none())
    yield* Law.equal(
      yield* QuarantineStore.use((store) => store.remove(other, a, { at: Sample.noon, by: "key 2" })),
      false
    )
    const outcomes = yield* Upload.all(other, reports.slice(0, 1))
    yield* Law.equal(outcomes, [{ _tag: "Recorded", reportId: reports[0]?.id ?? "" }])
    const window = { start: Sample.daysAgo(10), end: Sample.noon + Instant.hour }
    const counts = yield* ExecutionStore.use((store) => store.counts(other, TestId.of(JobRun.testNames[0]), window))
    yield* Law.equal(
      Option.map(counts, (list) => list.map(({ executions }) => executions)),
      Option.some([1])
    )
    const exception = { type: "AssertionError", message: "1 is not 2", stacktrace: null }
    const { id } = Failure.groupOf(TestId.of(JobRun.testNames[0]), exception)
    const group = yield* FailureStore.use((store) => store.get(other, TestId.of(JobRun.testNames[0]), id))
    yield* Law.equal(
      Option.map(group, ({ failure }) => failure.failureCount),
      Option.some(1)
    )
    const page = yield* TestStore.use((store) => store.page(other, Sample.search()))
    yield* Law.equal([page.total, page.rows[0]?.executionsCount], [1, 1])
  }),

  Case.make(
    "RepositoryStore",
    "of a removed repository nothing is left, and its reports are new again",
    function* (ref) {
      const store = yield* RepositoryStore
      const { a } = yield* Sample.ids("a")
      yield* Law.equal(yield* store.remove(ref), false)
      const fresh = yield* Answer.everything(ref)
      const kept = named(ref, "kept")
      const fill = (each: Repository.RepositoryRef) =>
        Effect.gen(function* () {
          const outcome = yield* Upload.one(each, "r", { pullRequest: Sample.pull(1) }, [Sample.failure(), {}])
          yield* QuarantineStore.use((quarantines) => quarantines.insert(each, Sample.quarantine(a)))
          yield* QueueStore.use((queues) => queues.setPause(each, "release", { at: Sample.noon, by: "key 1" }))
          yield* store.change(each, off, Sample.noon)
          return outcome._tag
        })
      const outcome = yield* fill(ref)
      yield* fill(kept)
      const whole = yield* Answer.everything(kept)
      yield* Law.equal(yield* store.remove(upper(ref)), true)
      yield* Law.equal(yield* store.get(ref), Option.none())
      yield* Law.equal((yield* store.list).some(isNamed(ref)), false)
      yield* Law.equal(yield* Answer.everything(ref), fresh)
      yield* Law.equal(yield* EventStore.use((events) => events.head(ref)), 0)
      yield* Law.equal(yield* store.remove(ref), false)
      yield* Law.equal(yield* Answer.everything(kept), whole)
      yield* Law.equal(yield* fill(ref), outcome)
      yield* Law.equal(yield* Answer.everything(ref), whole)
    }
  ),

  Case.make(
    "RepositoryStore",
    "a write during a removal is removed with the repository, or creates a new one",
    function* (ref) {
      const store = yield* RepositoryStore
      const upload = (index: number) =>
        Upload.one(ref, `r${index}`, { commit: `c${index}` }, [{ testName: `t${index}` }, Sample.failure()])
      const marks = Array.from({ length: 12 }, (_, index) => index)
      yield* upload(99)
      yield* Effect.forEach(
        marks,
        (index) =>
          Effect.andThen(
            Effect.repeat(Effect.yieldNow, { times: index }),
            isRemoval(index)
              ? Effect.asVoid(store.remove(ref))
              : Effect.flatMap(upload(index), ({ _tag }) => Law.equal(_tag, "Recorded", `upload ${index} is new`))
          ),
        { concurrency: "unbounded", discard: true }
      )
      yield* Law.equal(yield* UpkeepStore.use((upkeep) => upkeep.verify(ref)), [])
      const uploads = marks.filter((index) => !isRemoval(index))
      const rows = yield* Ask.rows(ref, { limit: 100 })
      yield* Law.equal(Option.isSome(yield* store.get(ref)), rows.length > 0, "the repository exists")
      const outcomes = yield* Effect.forEach(uploads, (index) =>
        Effect.map(upload(index), ({ _tag }) => ({ _tag, index }))
      )
      for (const { _tag, index } of outcomes) {
        const isFound = rows.some(({ testName }) => testName === `t${index}`)
        yield* Law.equal(_tag, isFound ? "Duplicate" : "Recorded", `upload ${index}`)
      }
      yield* Law.equal((yield* Ask.rows(ref, { limit: 100 })).length, uploads.length + 1)
      yield* Law.equal(yield* UpkeepStore.use((upkeep) => upkeep.verify(ref)), [])
    }
  )
]
