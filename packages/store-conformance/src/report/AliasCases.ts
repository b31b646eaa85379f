/** The law of aliases: as if every report had had the names that stand for its own, from the beginning until the revocation. */
import {
  FailurePolicy,
  Instant,
  Page,
  type Report,
  type Repository,
  TestAlias,
  TestFilter,
  TestId,
  TestList
} from "@lazaret/domain"
import {
  ExecutionStore,
  QuarantineStore,
  RepositoryStore,
  RetentionStore,
  type StoreError,
  type Stores,
  TestAliasStore,
  TestStore,
  TriageStore,
  UpkeepStore
} from "@lazaret/store"
import { Effect, Option, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as Answer from "../law/Answer.ts"
import * as Ask from "../law/Ask.ts"
import * as Case from "../law/Case.ts"
import * as JobRun from "../law/JobRun.ts"
import * as Law from "../law/Law.ts"
import * as Sample from "../law/Sample.ts"
import * as Upload from "../law/Upload.ts"

const most = 24

/** The names of the reports: two of them have one mask. */
const names = ["takes 0x1000", "takes 0x2000", "old", "new"] as const

/** Names that only stand for others. */
const others = ["takes <*>", "newer"] as const

const all: ReadonlyArray<string> = [...names, ...others]

const link = (kind: TestAlias.Kind, from: string, to: string): TestAlias.Link => ({ kind, from, to })

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
      const at = JobRun.testNames.findIndex((testName) => testName === execution.testName)
      return { ...execution, testName: names[at] ?? execution.testName }
    })
    return { ...report, executions }
  })

const linksOf = ({ choice }: Story): ReadonlyArray<TestAlias.Link> => choices[choice] ?? []

const by = { by: "ada", at: Sample.noon }

const add = (ref: Repository.RepositoryRef, links: ReadonlyArray<TestAlias.Link>) =>
  TestAliasStore.use((store) =>
    store.add(
      ref,
      links.map((each, index) => ({ id: `${index} ${crypto.randomUUID()}`, link: each })),
      by
    )
  )

/** Makes aliases one after the other, none of which is refused. */
const make = (ref: Repository.RepositoryRef, links: ReadonlyArray<TestAlias.Link>) =>
  Effect.forEach(links, (each) =>
    Effect.flatMap(add(ref, [each]), (made) => Law.equal(Result.isSuccess(made), true, "whether it is made"))
  )

const revoke = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* TestAliasStore
  const held = (yield* store.list(ref)).filter(({ revokedAt }) => revokedAt === null)
  return yield* store.revoke(
    ref,
    held.map(({ id }) => id),
    by
  )
})

/** A repository with the reports of a story, and with its aliases. */
const told = Effect.fnUntraced(function* (story: Story) {
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

/** A repository with reports, and without aliases. */
const plain = Effect.fnUntraced(function* (reports: ReadonlyArray<Report.Report>) {
  const ref = yield* Case.repository
  yield* Upload.all(ref, reports)
  return ref
})

const everything = (
  ref: Repository.RepositoryRef,
  asked: ReadonlyArray<string>
): Effect.Effect<unknown, StoreError, Stores.Stores> => Answer.everything(ref, Sample.noon, asked)

const isSound = (ref: Repository.RepositoryRef) =>
  Effect.flatMap(
    UpkeepStore.use((store) => store.verify(ref)),
    (found) => Law.equal(found, [], "what does not agree with the executions")
  )

const at = (minute: number) => Sample.noon + minute * 60_000

/** The cases of aliases. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("TestAliasStore", "aliases answer as if every report had had the names that stand for its own", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* told(story)
          const resolve = TestAlias.resolver(linksOf(story))
          const stands = all.filter((name) => resolve(name) === name)
          const wanted = yield* plain(reportsOf(story.runs).map((report) => TestAlias.applied(report, resolve).report))
          const answers = yield* everything(wanted, stands)
          yield* Law.equal(yield* everything(ref, stands), answers)
          yield* isSound(ref)
          yield* UpkeepStore.use((store) => store.refold(ref))
          yield* Law.equal(yield* everything(ref, stands), answers, "the answer after a refold")
        }),
      { runs: 8, seed: 5 }
    )
  ),

  Case.make("TestAliasStore", "the id of a stored name answers with the test that stands for it", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* told(story)
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

  Case.make("TestAliasStore", "revoked aliases are as if they had never been made", () =>
    Law.forAll(
      stories,
      (story) =>
        Effect.gen(function* () {
          const ref = yield* told(story)
          yield* revoke(ref)
          yield* Law.equal(yield* revoke(ref), [], "what is revoked a second time")
          const answers = yield* everything(yield* plain(reportsOf(story.runs)), names)
          yield* Law.equal(yield* everything(ref, names), answers)
          yield* isSound(ref)
          yield* UpkeepStore.use((store) => store.refold(ref))
          yield* Law.equal(yield* everything(ref, names), answers, "the answer after a refold")
        }),
      { runs: 6, seed: 7 }
    )
  ),

  Case.make("TestAliasStore", "an alias is kept with who and when, is made once, and is revoked once", (ref) =>
    Effect.gen(function* () {
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
      const later = { by: "eve", at: at(1) }
      const revoked = yield* store.revoke(ref, [id], later)
      yield* Law.equal<unknown>(revoked, [{ ...first, revokedAt: later.at, revokedBy: "eve" }])
      yield* Law.equal(yield* store.revoke(ref, [id], by), [])
      yield* Law.equal(yield* store.list(ref), revoked)
      const resolve = yield* store.names(ref)
      yield* Law.equal(resolve("old"), "old")
    })
  ),

  Case.make("TestAliasStore", "of aliases that are made together all hold, or none does", (ref) =>
    Effect.gen(function* () {
      yield* Upload.one(ref, "1", {}, [{ testName: "a" }])
      yield* make(ref, [link("name", "b", "c")])
      const refused = yield* add(ref, [link("name", "a", "b"), link("name", "c", "a")])
      yield* Law.equal(Result.isFailure(refused) && refused.failure._tag, "Circle")
      yield* Law.equal((yield* TestAliasStore.use((store) => store.list(ref))).length, 1)
      yield* Law.equal(yield* Ask.names(ref), ["a"])
    })
  ),

  Case.make("TestAliasStore", "of uploads and aliases that come at the same time none is lost", (ref) =>
    Effect.gen(function* () {
      yield* Upload.one(ref, "first", {}, [{ testName: "old", at: at(0) }])
      const uploads = Array.from({ length: 12 }, (_, index) =>
        Upload.one(ref, `${index}`, { commit: `c${index}` }, [
          { testName: index % 2 === 0 ? "old" : "new", at: at(index + 1) }
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
  ),

  Case.make(
    "TestAliasStore",
    "quarantines, searches and questions about failures know a test by each of its names",
    (ref) =>
      Effect.gen(function* () {
        yield* Upload.one(ref, "1", { commit: "c1" }, [Sample.failure({ testName: "Shop > old", at: at(0) })])
        yield* Upload.one(ref, "2", { commit: "c2" }, [{ testName: "Shop > new", at: at(1) }])
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
          {
            filter: { ...TestList.all, search: "OLD" },
            quarantined: new Set(),
            files: null,
            sort: "test_name",
            direction: "asc",
            from: Page.start,
            limit: 10
          },
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
        const asked = yield* triage.asked(ref, { run, at: at(9), passed: 0, failures }, FailurePolicy.defaults)
        yield* Law.equal(
          asked.map(({ failure }) => failure.testName),
          ["Shop > old", "Shop > new"]
        )
        const [one, other] = asked.map(({ failure: _failure, ...facts }) => facts)
        yield* Law.equal<unknown>(one, other, "the facts on both names")

        yield* revoke(ref)
        yield* Law.equal([...(yield* store.among(ref, among))], ["Shop > old"], "quarantined after the revocation")
        yield* Law.equal(yield* Ask.names(ref, { filter: exclude }), ["Shop > new"])
      })
  ),

  Case.make("TestAliasStore", "a test that is removed by one of its names is gone under all of them", (ref) =>
    Effect.gen(function* () {
      yield* Upload.one(ref, "1", {}, [Sample.failure({ testName: "old", at: at(0) }), { testName: "kept", at: at(0) }])
      yield* make(ref, [link("name", "old", "new")])
      yield* Upload.one(ref, "2", { branch: "topic" }, [Sample.failure({ testName: "old", at: at(1) })])
      yield* Law.equal(yield* RepositoryStore.use((store) => store.removeTest(ref, TestId.of("old"))), true)
      for (const name of ["old", "new"]) {
        yield* Law.equal(yield* Ask.records(ref, TestId.of(name)), [], name)
        yield* Law.equal(yield* TestStore.use((store) => store.elsewhere(ref, TestId.of(name), 0)), [])
      }
      yield* revoke(ref)
      yield* Law.equal(yield* Ask.records(ref, TestId.of("old")), [], "after the revocation")
      yield* Law.equal(yield* Ask.names(ref), ["kept"])
      yield* isSound(ref)
    })
  ),

  Case.make(
    "TestAliasStore",
    "a test keeps its health by dropped executions under the name that stands for it",
    (ref) =>
      Effect.gen(function* () {
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
      })
  )
]
