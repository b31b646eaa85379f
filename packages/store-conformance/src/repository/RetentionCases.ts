/** The law of retention: what is older than a horizon goes, and no answer about what came since changes. */
import { BucketSize, type HealthSeries, Instant, type Repository, Retention, TestId } from "@lazaret/domain"
import { ExecutionStore, FailureStore, RetentionStore, TestStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Answer, Ask, Case, JobRun, Law, Plain, Sample } from "../law/index.ts"

/** The Monday N weeks ago. */
const weeksAgo = (weeks: number): Instant.Instant => Retention.startOfWeek(Sample.daysAgo(7 * weeks))

/** A drop, and what comes before and after it. */
const History = Schema.Struct({
  weeks: Schema.Literals([0, 1, 2, 3, 5]),
  first: Schema.Array(JobRun.JobRun).check(Schema.isMaxLength(20)),
  later: Schema.Array(JobRun.JobRun).check(Schema.isMaxLength(12))
})

const append = (ref: Repository.RepositoryRef, key: string, draw: JobRun.JobRun) =>
  ExecutionStore.use((store) => store.append(ref, JobRun.reportOf(draw, key)))

const appendAll = (ref: Repository.RepositoryRef, name: string, draws: ReadonlyArray<JobRun.JobRun>) =>
  Effect.forEach(draws, (draw, index) => append(ref, `${name} ${index}`, draw))

const drop = (ref: Repository.RepositoryRef, horizon: Instant.Instant) =>
  RetentionStore.use((store) => store.drop(ref, horizon))

/** The answers about a test from an instant on: windows, changes, health, failures. */
const sinceOf = (ref: Repository.RepositoryRef, testId: TestId.TestId, instant: Instant.Instant) =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const failures = yield* FailureStore
    const window = { start: instant, end: instant + 40 * Instant.day }
    const records = Option.getOrElse(yield* TestStore.use((store) => store.get(ref, testId, Sample.noon)), () => [])
    const kept = records.filter(({ lastAt }) => lastAt >= instant)
    if (kept.length === 0) return null
    const groups = Option.getOrElse(yield* failures.list(ref, testId), () => [])
    const details = yield* Effect.forEach(
      groups.filter(({ lastFailureAt }) => lastFailureAt >= instant),
      ({ id }) => failures.get(ref, testId, id)
    )
    const changes = Option.getOrElse(yield* executions.changes(ref, testId), () => [])
    return Plain.of({
      rollups: yield* Effect.forEach(["4h", "1d"] as const, (size) =>
        executions.rollups(ref, testId, window, BucketSize.milliseconds(size))
      ),
      counts: Option.map(yield* executions.counts(ref, testId, window), Plain.sorted),
      health: kept.map(({ firstSeenAt, identity, lastFailureAt, lastId, lastSuccessAt, state }) => ({
        identity,
        state,
        lastId,
        firstSeenAt,
        lastFailureAt,
        lastSuccessAt
      })),
      changes: Plain.sorted(
        changes.map((list) => list.filter(({ trigger }) => trigger.at >= instant)).filter(({ length }) => length > 0)
      ),
      failures: details.map(
        Option.map(({ events, failure }) => ({
          failure,
          events: events.filter(({ failedAt }) => failedAt >= instant)
        }))
      )
    })
  })

const since = (ref: Repository.RepositoryRef, instant: Instant.Instant) =>
  Effect.forEach(JobRun.testNames, (name) => sinceOf(ref, TestId.of(name), instant))

/** Search and statistics. */
const searched = (ref: Repository.RepositoryRef) =>
  Effect.map(Answer.everything(ref), (answer) => ({ ...Object(answer), tests: null, health: null }))

const testAt = (days: number, parts: Parameters<typeof Sample.report>[2][number] = {}) => ({
  at: Sample.daysAgo(days),
  ...parts
})

const suite = Array.from({ length: 5 }, (_, test) => `law ${test}`)
const good = (days: number) => suite.map((testName) => testAt(days, { testName }))
const outage = (days: number) => suite.map((testName) => Sample.refused(testAt(days, { testName })))

/** The cases of retention. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("RetentionStore", "answers about windows since the horizon are the same before and after a drop", () =>
    Law.forAll(
      Arbitrary.schema(History),
      ({ first, weeks }) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          yield* appendAll(ref, "first", first)
          const before = yield* since(ref, weeksAgo(weeks))
          const found = yield* searched(ref)
          yield* drop(ref, weeksAgo(weeks))
          yield* Law.equal(yield* since(ref, weeksAgo(weeks)), before, "what is asked since the horizon")
          if (weeks === 5) yield* Law.equal(yield* searched(ref), found, "what search finds in the last 30 days")
        }),
      { runs: 40, seed: 5 }
    )
  ),

  Case.law("RetentionStore", "after a drop reports may arrive in any order, and a further drop changes nothing", () =>
    Law.forAll(
      Arbitrary.schema(History),
      ({ first, later, weeks }) =>
        Effect.gen(function* () {
          const refs = yield* Effect.all([Case.repository, Case.repository])
          const answers = yield* Effect.forEach(refs, (ref, index) =>
            Effect.gen(function* () {
              yield* ExecutionStore.use((store) => store.append(ref, Sample.report("known", { branch: "topic" }, [{}])))
              yield* appendAll(ref, "first", first)
              yield* drop(ref, weeksAgo(weeks))
              const draws = later.map((draw, place) => ({ draw, key: `later ${place}` }))
              const ordered = index === 0 ? draws : draws.toReversed()
              yield* Effect.forEach(ordered, ({ draw, key }) => append(ref, key, draw))
              const answer = yield* since(ref, weeksAgo(weeks))
              const again = yield* drop(ref, weeksAgo(weeks))
              yield* Law.equal(again, { reports: 0, identities: 0 }, "what a further drop does")
              yield* Law.equal(yield* since(ref, weeksAgo(weeks)), answer, "the answers after a further drop")
              return answer
            })
          )
          yield* Law.equal(answers[1], answers[0], "the answers to the same reports in the opposite order")
        }),
      { runs: 25, seed: 6 }
    )
  ),

  Case.make(
    "RetentionStore",
    "what finished before the horizon is not taken any more, and changes nothing",
    function* (ref) {
      const { append: store } = yield* ExecutionStore
      yield* store(ref, Sample.report("r1", {}, [testAt(20), testAt(0)]))
      yield* drop(ref, weeksAgo(1))
      const before = yield* Answer.everything(ref)
      const late = Sample.report("r2", { commit: "c2" }, [Sample.failure(testAt(20)), Sample.failure(testAt(19))])
      const expired = { _tag: "Expired", expired: 2, horizon: weeksAgo(1) } as const
      yield* Law.equal(yield* store(ref, late), expired)
      yield* Law.equal(yield* store(ref, late), expired, "the answer to the same report again")
      yield* Law.equal(yield* Answer.everything(ref), before, "everything that can be asked")
      const other = yield* store(ref, { ...late, digest: "other" })
      yield* Law.equal(other, expired, "the answer to other content under the key, which stayed free")
    }
  ),

  Case.make("RetentionStore", "a report that begins before the horizon counts as what it has since", function* (ref) {
    const { append: store } = yield* ExecutionStore
    const whole = yield* Case.repository
    yield* store(ref, Sample.report("r1", {}, [testAt(0)]))
    yield* store(whole, Sample.report("r1", {}, [testAt(0)]))
    yield* drop(ref, weeksAgo(1))
    const late = Sample.report("r2", { commit: "c2" }, [Sample.failure(testAt(20)), testAt(2)])
    const trimmed = { _tag: "Trimmed", reportId: late.id, expired: 1, horizon: weeksAgo(1) } as const
    yield* Law.equal(yield* store(ref, late), trimmed)
    yield* Law.equal(yield* store(ref, late), { _tag: "Duplicate", reportId: late.id }, "the answer to it again")
    yield* store(whole, { ...late, executions: late.executions.slice(1) })
    yield* Law.equal(
      yield* Ask.records(ref),
      yield* Ask.records(whole),
      "the test in a repository that got only the rest"
    )
  }),

  Case.make("RetentionStore", "a horizon is the start of a week, exact to the millisecond", function* (ref) {
    const { append: store } = yield* ExecutionStore
    const horizon = weeksAgo(1)
    const instants = [horizon - 1, horizon, horizon + 1]
    yield* store(
      ref,
      Sample.report(
        "r1",
        {},
        instants.map((at) => ({ at }))
      )
    )
    yield* drop(ref, horizon + Instant.day)
    const history = yield* ExecutionStore.use((each) => each.history(ref, Sample.testId))
    const kept = Option.getOrElse(history, () => []).flatMap(({ executions }) => executions.map(({ at }) => at))
    yield* Law.equal(kept, [horizon, horizon + 1])
  }),

  Case.make(
    "RetentionStore",
    "a horizon never moves back, and nothing happens where nothing is known",
    function* (ref) {
      const { append: store } = yield* ExecutionStore
      yield* Law.equal(yield* drop(ref, weeksAgo(1)), { reports: 0, identities: 0 })
      yield* store(ref, Sample.report("r1", {}, [testAt(20)]))
      yield* store(ref, Sample.report("r2", {}, [testAt(0)]))
      yield* Law.equal(yield* drop(ref, weeksAgo(1)), { reports: 1, identities: 0 })
      yield* Law.equal(yield* drop(ref, weeksAgo(4)), { reports: 0, identities: 0 })
      const { _tag } = yield* store(ref, Sample.report("r3", {}, [testAt(12)]))
      yield* Law.equal(_tag, "Expired", "the answer to a report between the horizons")
    }
  ),

  Case.make(
    "RetentionStore",
    "a test without executions since the horizon is forgotten; back again it is new",
    function* (ref) {
      const { append: store } = yield* ExecutionStore
      yield* store(ref, Sample.report("r1", {}, [Sample.failure(testAt(20)), testAt(0, { testName: "other" })]))
      yield* Law.equal(yield* drop(ref, weeksAgo(1)), { reports: 0, identities: 1 })
      yield* Law.equal(yield* Ask.records(ref), [], "the records of the test")
      yield* Law.equal(yield* Ask.total(ref), Option.none(), "what its executions add up to")
      yield* store(ref, Sample.report("r2", { commit: "c2" }, [testAt(1)]))
      const { firstSeenAt, lastFailureAt, state } = yield* Ask.record(ref)
      yield* Law.equal({ firstSeenAt, lastFailureAt, status: state.status, rule: state.rule }, {
        firstSeenAt: Sample.daysAgo(1),
        lastFailureAt: null,
        status: "healthy",
        rule: "start"
      } as const)
    }
  ),

  Case.make(
    "RetentionStore",
    "a broken test stays broken, and its series begins with the change that made it so",
    function* (ref) {
      const { append: store, changes } = yield* ExecutionStore
      yield* store(ref, Sample.report("r1", { commit: "c1" }, [testAt(22)]))
      const second = Sample.report("r2", { commit: "c2" }, [Sample.failure(testAt(20))])
      yield* store(ref, second)
      yield* store(ref, Sample.report("r3", { commit: "c3" }, [testAt(1, { conclusion: "skipped" })]))
      yield* drop(ref, weeksAgo(1))
      yield* Law.equal(yield* Ask.status(ref), "broken")
      const mark = { id: `${second.id}.0`, at: Sample.daysAgo(20), commit: "c2" }
      const change: HealthSeries.Change = {
        status: "broken",
        rule: "failure",
        trigger: mark,
        episode: mark,
        exceptionType: "AssertionError"
      }
      yield* Law.equal(
        Option.getOrElse(yield* changes(ref, Sample.testId), () => []),
        [[change]]
      )
    }
  ),

  Case.make(
    "RetentionStore",
    "a group that still fails keeps its count and first failure, and only newer events",
    function* (ref) {
      const { append: store } = yield* ExecutionStore
      const { get, list } = yield* FailureStore
      for (const days of [21, 20, 1]) {
        yield* store(ref, Sample.report(`r${days}`, { commit: `c${days}` }, [Sample.failure(testAt(days))]))
      }
      yield* store(ref, Sample.report("old", {}, [testAt(20, { ...Sample.failure(), exception: another })]))
      yield* drop(ref, weeksAgo(1))
      const groups = Option.getOrElse(yield* list(ref, Sample.testId), () => [])
      yield* Law.equal(
        groups.map(({ failureCount, firstFailureAt }) => ({ failureCount, firstFailureAt })),
        [{ failureCount: 3, firstFailureAt: Sample.daysAgo(21) }]
      )
      const detail = Option.getOrNull(yield* get(ref, Sample.testId, groups[0]?.id ?? ""))
      yield* Law.equal(
        detail?.events.map(({ failedAt }) => failedAt),
        [Sample.daysAgo(1)]
      )
    }
  ),

  Case.make("RetentionStore", "the passed tests of a reference that was dropped make an outage", function* (ref) {
    const { append: store } = yield* ExecutionStore
    yield* store(ref, Sample.report("r0", { commit: "c0" }, good(20)))
    yield* drop(ref, weeksAgo(1))
    yield* store(ref, Sample.report("r1", { commit: "c1" }, outage(1)))
    yield* Law.equal(yield* Ask.status(ref, TestId.of("law 0")), "healthy")
  }),

  Case.make("RetentionStore", "an outage stays the third in a row when the first two were dropped", function* (ref) {
    const { append: store } = yield* ExecutionStore
    yield* store(ref, Sample.report("r0", { commit: "c0" }, good(22)))
    yield* store(ref, Sample.report("r1", { commit: "c1" }, outage(21)))
    yield* store(ref, Sample.report("r2", { commit: "c2" }, outage(20)))
    yield* drop(ref, weeksAgo(1))
    yield* store(ref, Sample.report("r3", { commit: "c3" }, outage(1)))
    yield* Law.equal(yield* Ask.status(ref, TestId.of("law 0")), "broken")
    yield* store(ref, Sample.report("r4", { commit: "c4" }, outage(0)))
    yield* Law.equal(yield* UpkeepStore.use((upkeep) => upkeep.verify(ref)), [])
  }),

  Case.make("RetentionStore", "tidying changes no answer, and finds nothing to do a second time", function* (ref) {
    const { append: store } = yield* ExecutionStore
    const { tidy } = yield* RetentionStore
    yield* store(ref, Sample.report("r1", {}, [testAt(20), testAt(0)]))
    yield* drop(ref, weeksAgo(1))
    const before = yield* Answer.everything(ref)
    yield* tidy(Sample.noon)
    yield* Law.equal((yield* tidy(Sample.noon)).allocated, 0, "the storage allocated by a second run")
    yield* Law.equal(yield* Answer.everything(ref), before)
  })
]

const another = { type: "TypeError", message: "x is not a function", stacktrace: null }
