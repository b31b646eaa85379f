/**
 * The law of arrival: the same executions give the same answers, in whatever order they come and however they are cut
 * into uploads.
 */
import { Instant, Repository } from "@lazaret/domain"
import type { Report } from "@lazaret/domain"
import { ExecutionStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Answer, Ask, Case, JobRun, Law, Policy, Sample, Upload } from "../law/index.ts"

const most = 30

const places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999_999 })))

/** A history of job runs, a policy, and numbers that put uploads into another order. */
const stories = Arbitrary.all({
  runs: Arbitrary.array(JobRun.jobRuns, { minLength: 2, maxLength: most }),
  choice: Arbitrary.schema(Policy.Choice),
  places: Arbitrary.schema(places.check(Schema.isBetweenLength(3 * most, 3 * most)))
})

const shuffled = <A>(list: ReadonlyArray<A>, numbers: ReadonlyArray<number>): ReadonlyArray<A> =>
  list
    .map((value, index) => [numbers[index] ?? 0, value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value)

/** Everything that a new repository answers after these reports. */
const answersTo = (reports: ReadonlyArray<Report.Report>, choice: Policy.Choice) =>
  Effect.gen(function* () {
    const ref = yield* Case.repository
    yield* RepositoryStore.use((store) => store.set(ref, Policy.settingsOf(choice), Sample.noon))
    yield* Upload.all(ref, reports)
    return yield* Answer.everything(ref)
  })

/** The runs with all executions at instants of their own, since ties are broken by ids, and ids follow from uploads. */
const withoutTies = (runs: ReadonlyArray<JobRun.JobRun>): ReadonlyArray<JobRun.JobRun> =>
  runs.map((run, index) => ({
    ...run,
    results: run.results.map((result, place) => ({ ...result, minute: index * 6 + place, millisecond: 0 }))
  }))

const wholeReports = (runs: ReadonlyArray<JobRun.JobRun>): ReadonlyArray<Report.Report> =>
  runs.map((run, index) => JobRun.reportOf(run, `run ${index}`))

/** Each run cut into as many uploads as its number says, up to three. */
const cutReports = (runs: ReadonlyArray<JobRun.JobRun>, numbers: ReadonlyArray<number>): ReadonlyArray<Report.Report> =>
  runs.flatMap((run, index) => {
    const parts = 1 + ((numbers[index] ?? 0) % 3)
    return Array.from({ length: parts }, (_, part) => {
      const results = run.results.filter((_result, place) => place % parts === part)
      return JobRun.reportOf({ ...run, results }, `run ${index}, part ${part}`)
    })
  })

/** A job run of three tests of which all pass, or all fail. */
const runOf = (key: string, day: number, conclusion: "passed" | "failed") =>
  Sample.report(
    key,
    { commit: key },
    [Sample.testName, "second", "third"].map((testName) => {
      const parts = { testName, at: Sample.daysAgo(day) }
      return conclusion === "failed" ? Sample.failure(parts) : parts
    })
  )

/** The cases of arrival. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("ExecutionStore", "any order of arrival gives the same answers to every question", () =>
    Law.forAll(
      stories,
      ({ choice, places: numbers, runs }) =>
        Effect.gen(function* () {
          const reports = wholeReports(runs)
          const inOrder = yield* answersTo(reports, choice)
          yield* Law.equal(yield* answersTo(shuffled(reports, numbers), choice), inOrder)
        }),
      { runs: 25 }
    )
  ),

  Case.law("ExecutionStore", "any cut of a job run into uploads gives the same answers to every question", () =>
    Law.forAll(
      stories,
      ({ choice, places: numbers, runs }) =>
        Effect.gen(function* () {
          const apart = withoutTies(runs)
          const whole = yield* answersTo(wholeReports(apart), choice)
          const cut = yield* answersTo(shuffled(cutReports(apart, numbers), numbers), choice)
          yield* Law.equal(Answer.withoutIds(cut), Answer.withoutIds(whole))
        }),
      { runs: 25, seed: 2 }
    )
  ),

  Case.law("ExecutionStore", "settings that come before, between or after the reports give the same answers", () =>
    Law.forAll(
      stories,
      ({ choice, runs }) =>
        Effect.gen(function* () {
          const before = yield* answersTo(wholeReports(runs), choice)
          const ref = yield* Case.repository
          const set = (settings: Repository.RepositorySettings) =>
            RepositoryStore.use((store) => store.set(ref, settings, Sample.noon))
          for (const [index, report] of wholeReports(runs).entries()) {
            if (index === 1) yield* set(Policy.settingsOf({ ...choice, defaultBranch: "topic", isStandard: false }))
            if (index === 2) yield* set(Repository.defaultSettings)
            yield* Upload.all(ref, [report])
          }
          yield* set(Policy.settingsOf(choice))
          yield* Law.equal(yield* Answer.everything(ref), before)
        }),
      { runs: 25, seed: 3 }
    )
  ),

  Case.make(
    "ExecutionStore",
    "a pass that arrives late shows that a failure was flaky, and stays in its place",
    function* (ref) {
      yield* Upload.moments(ref, [
        ["passed", "c1", 3],
        ["failed", "c2", 1]
      ])
      yield* Law.equal(yield* Ask.status(ref), "broken")
      yield* Upload.moments(ref, [["passed", "c2", 2]])
      const { lastConclusion, lastSuccessAt, state } = yield* Ask.record(ref)
      yield* Law.equal([state.status, state.rule, state.trigger?.at], ["flaky", "contradiction", Sample.daysAgo(1)])
      yield* Law.equal([lastConclusion, lastSuccessAt], ["failed", Sample.daysAgo(2)])
    }
  ),

  Case.make(
    "ExecutionStore",
    "an execution from before all others becomes the first, however many came before it",
    function* (ref) {
      const later = Array.from({ length: 40 }, (_, index): Upload.Moment => ["passed", `c${index}`, 20 - index / 4])
      yield* Upload.moments(ref, later)
      yield* Upload.moments(ref, [["failed", "c0", 60]])
      const { firstSeenAt, state } = yield* Ask.record(ref)
      yield* Law.equal(firstSeenAt, Sample.daysAgo(60))
      yield* Law.equal([state.status, state.rule, state.cleanPasses], ["healthy", "clean_passes", 40])
    }
  ),

  Case.make(
    "ExecutionStore",
    "executions of one instant are in the order of their ids, whichever came first",
    function* (ref) {
      const reports = ["a", "b", "c", "d", "e"].map((key, index) =>
        Sample.report(key, { commit: key }, [index % 2 === 0 ? {} : Sample.failure()])
      )
      yield* Upload.all(ref, reports)
      const ids = reports.flatMap(({ executions }) => executions.map(({ id }) => id))
      const history = yield* ExecutionStore.use((store) => store.history(ref, Sample.testId))
      const found = Option.map(history, (list) => list.flatMap(({ executions }) => executions.map(({ id }) => id)))
      yield* Law.equal(found, Option.some(ids.toSorted()))
      const { lastId } = yield* Ask.record(ref)
      yield* Law.equal(lastId, ids.toSorted().at(-1))
    }
  ),

  Case.make(
    "ExecutionStore",
    "an answer that was given does not change when something is written later",
    function* (ref) {
      yield* Upload.all(ref, [runOf("down", 1, "failed")])
      const read = Effect.gen(function* () {
        const history = yield* ExecutionStore.use((store) => store.history(ref, Sample.testId))
        return { history, records: yield* Ask.records(ref), rows: yield* Ask.rows(ref) }
      })
      const before = yield* read
      const copy = JSON.stringify(before)
      yield* Upload.all(ref, [runOf("reference", 2, "passed")])
      yield* Law.equal(JSON.stringify(before), copy)
      const window = { start: Sample.daysAgo(3), end: Sample.noon + Instant.hour }
      const counts = yield* ExecutionStore.use((store) => store.counts(ref, Sample.testId, window))
      yield* Law.equal(
        Option.map(counts, (list) => list.map(({ executions }) => executions)),
        Option.some([2])
      )
    }
  )
]
