/** The law of aliases: as if every report had had the names that stand for its own, from the beginning until the revocation. */
import { type Report, type Repository, TestAlias, TestId } from "@lazaret/domain"
import { ExecutionStore, TestAliasStore, TestStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { add, by, isSound, link, make, revoke } from "../law/Alias.ts"
import { Answer, Ask, Case, JobRun, Law, Sample, Upload } from "../law/index.ts"

const most = 24

/** The names of the reports: two of them have one mask. */
const names = ["takes 0x1000", "takes 0x2000", "old", "new"] as const

/** Names that only stand for others. */
const others = ["takes <*>", "newer"] as const

const all: ReadonlyArray<string> = [...names, ...others]

const choices: ReadonlyArray<ReadonlyArray<TestAlias.Link>> = [
  [link("name", "old", "new")],
  [link("name", "old", "newer"), link("name", "new", "newer")],
  [link("name", "new", "newer"), link("name", "old", "new")],
  [link("mask", "takes <*>", "takes <*>")],
  [link("mask", "takes <*>", "new"), link("name", "takes 0x2000", "old")],
  [link("mask", "takes <*>", "old"), link("name", "old", "new")]
]

const place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: most }))

/** A history, the aliases, before which report they are made, and whether they are revoked and made again in between. */
const stories = Arbitrary.all({
  runs: Arbitrary.array(JobRun.jobRuns, { minLength: 2, maxLength: most }),
  choice: Arbitrary.schema(Schema.Literals(choices.map((_, index) => index))),
  place: Arbitrary.schema(place),
  again: Arbitrary.schema(Schema.NullOr(place))
})

interface Story {
  readonly runs: ReadonlyArray<JobRun.JobRun>
  readonly choice: number
  readonly place: number
  readonly again: number | null
}

/** The generated reports, with the names of this law. */
const reportsOf = (runs: ReadonlyArray<JobRun.JobRun>): ReadonlyArray<Report.Report> =>
  runs.map((run, index) => {
    const report = JobRun.reportOf(run, `run ${index}`)
    const executions = report.executions.map((execution) => {
      const of = JobRun.testNames.findIndex((testName) => testName === execution.testName)
      return { ...execution, testName: names[of] ?? execution.testName }
    })
    return { ...report, executions }
  })

const linksOf = ({ choice }: Story): ReadonlyArray<TestAlias.Link> => choices[choice] ?? []

/** A repository with the reports of a story, and with its aliases. */
const storyIn = Effect.fnUntraced(function* (story: Story) {
  const ref = yield* Case.repository
  const reports = reportsOf(story.runs)
  // An alias needs a repository.
  yield* Upload.all(ref, reports.slice(0, 1))
  for (const [index, report] of reports.entries()) {
    if (index === story.place) yield* make(ref, linksOf(story))
    if (index === story.again) yield* revoke(ref)
    yield* Upload.all(ref, [report])
  }
  yield* make(ref, linksOf(story))
  return ref
})

/** Fails unless a repository answers like one with these reports and without aliases, before and after a refold. */
const answersAs = Effect.fnUntraced(function* (
  ref: Repository.RepositoryRef,
  reports: ReadonlyArray<Report.Report>,
  asked: ReadonlyArray<string>
) {
  const plain = yield* Case.repository
  yield* Upload.all(plain, reports)
  const answers = yield* Answer.everything(plain, Sample.noon, asked)
  yield* Law.equal(yield* Answer.everything(ref, Sample.noon, asked), answers)
  yield* isSound(ref)
  yield* UpkeepStore.use((store) => store.refold(ref))
  yield* Law.equal(yield* Answer.everything(ref, Sample.noon, asked), answers, "the answer after a refold")
})

/** The cases of aliases. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("TestAliasStore", "aliases answer as if every report had had the names that stand for its own", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* storyIn(story)
          const resolve = TestAlias.resolver(linksOf(story))
          const stands = all.filter((name) => resolve(name) === name)
          const wanted = reportsOf(story.runs).map((report) => TestAlias.applied(report, resolve).report)
          yield* answersAs(ref, wanted, stands)
        }),
      { runs: 8, seed: 5 }
    )
  ),

  Case.law("TestAliasStore", "the id of a stored name answers with the test that stands for it", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* storyIn(story)
          const resolve = TestAlias.resolver(linksOf(story))
          const stored = new Set(
            reportsOf(story.runs).flatMap((report) => report.executions.map((one) => one.testName))
          )
          const store = yield* TestStore
          for (const name of stored) {
            const [own, target] = [TestId.of(name), TestId.of(resolve(name))]
            const answer = yield* Answer.ofTest(ref, target, Sample.noon)
            yield* Law.equal(yield* Answer.ofTest(ref, own, Sample.noon), answer, name)
            const since = Sample.daysAgo(60)
            yield* Law.equal(
              yield* store.elsewhere(ref, own, since),
              yield* store.elsewhere(ref, target, since),
              `${name} elsewhere`
            )
            const health = yield* store.health(ref, [own], Sample.noon)
            yield* Law.equal(health.get(own), (yield* store.health(ref, [target], Sample.noon)).get(target), "health")
          }
        }),
      { runs: 4, seed: 6 }
    )
  ),

  Case.law("TestAliasStore", "revoked aliases are as if they had never been made", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* storyIn(story)
          yield* revoke(ref)
          yield* Law.equal(yield* revoke(ref), [], "what is revoked a second time")
          yield* answersAs(ref, reportsOf(story.runs), names)
        }),
      { runs: 6, seed: 7 }
    )
  ),

  Case.make("TestAliasStore", "an alias keeps its author and time, is made once, and is revoked once", function* (ref) {
    const store = yield* TestAliasStore
    yield* Law.equal(yield* store.list(ref), [], "in a repository that does not exist")
    yield* Upload.one(ref, "1", {}, [{ testName: "old" }])
    const made = yield* add(ref, [link("name", "old", "new")])
    yield* Law.equal(yield* add(ref, [link("name", "old", "new")]), made, "made again")
    const [first, ...rest] = yield* store.list(ref)
    yield* Law.equal<unknown>(made, Result.succeed([first]))
    yield* Law.equal(rest, [])
    const { id = "", ...facts } = { ...first }
    yield* Law.equal<unknown>(facts, {
      kind: "name",
      from: "old",
      to: "new",
      createdAt: Sample.noon,
      createdBy: "ada",
      revokedAt: null,
      revokedBy: null
    })
    const later = { by: "eve", at: Sample.atMinute(1) }
    const revoked = yield* store.revoke(ref, [id], later)
    yield* Law.equal<unknown>(revoked, [{ ...first, revokedAt: later.at, revokedBy: "eve" }])
    yield* Law.equal(yield* store.revoke(ref, [id], by), [])
    yield* Law.equal(yield* store.list(ref), revoked)
    const resolve = yield* store.names(ref)
    yield* Law.equal(resolve("old"), "old")
  }),

  Case.make("TestAliasStore", "aliases that are made together are stored all or not at all", function* (ref) {
    yield* Upload.one(ref, "1", {}, [{ testName: "a" }])
    yield* make(ref, [link("name", "b", "c")])
    const refused = yield* add(ref, [link("name", "a", "b"), link("name", "c", "a")])
    yield* Law.equal(Result.isFailure(refused) && refused.failure._tag, "Circle")
    yield* Law.equal((yield* TestAliasStore.use((store) => store.list(ref))).length, 1)
    yield* Law.equal(yield* Ask.names(ref), ["a"])
  }),

  Case.make("TestAliasStore", "concurrent uploads and aliases are all stored", function* (ref) {
    yield* Upload.one(ref, "first", {}, [{ testName: "old", at: Sample.atMinute(0) }])
    const uploads = Array.from({ length: 12 }, (_, index) =>
      Upload.one(ref, `${index}`, { commit: `c${index}` }, [
        { testName: index % 2 === 0 ? "old" : "new", at: Sample.atMinute(index + 1) }
      ])
    )
    const changes = [add(ref, [link("name", "old", "new")]), add(ref, [link("name", "old", "new")])]
    yield* Effect.all([...uploads.slice(0, 6), ...changes, ...uploads.slice(6)], {
      concurrency: "unbounded",
      discard: true
    })
    const held = (yield* TestAliasStore.use((store) => store.list(ref))).length
    yield* Law.equal(held, 1, "aliases")
    const history = yield* ExecutionStore.use((store) => store.history(ref, TestId.of("old")))
    yield* Law.equal(
      Option.map(history, (list) => list.map(({ executions, identity }) => [identity.testName, executions.length])),
      Option.some([["new", 13]])
    )
    yield* Law.equal(yield* Ask.names(ref), ["new"])
    yield* isSound(ref)
  })
]
