/** The law of search: in which order rows are found, and on which page. */
import { Instant, NameMark, Page, type Repository, TestFilter, TestSort } from "@lazaret/domain"
import { TestStore } from "@lazaret/store"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Ask, Case, JobRun, Law, Sample, Upload, Walk } from "../law/index.ts"

/** Names on whose order languages and databases disagree, in code-point order. */
const awkward = [
  " ",
  "%",
  "10",
  "9",
  "A",
  "B",
  "_",
  "a",
  "a ",
  "a_",
  "ab",
  "b",
  "e\u0301",
  "\u00e9",
  "\ufffd",
  "\u{1f600}"
]

const upload = (ref: Repository.RepositoryRef, names: ReadonlyArray<string>, key = "names") =>
  Upload.one(
    ref,
    key,
    {},
    names.map((testName) => ({ testName }))
  )

/** Identities that differ in every sort key, with many ties: a row for each test, pipeline and job. */
const uploadTies = (ref: Repository.RepositoryRef) =>
  Effect.forEach(["CI", "ci"], (pipelineName) =>
    Effect.forEach(["unit", "Unit"], (jobName) => {
      const context = { pipelineName, jobName }
      return Upload.all(ref, [
        Sample.report(`${pipelineName} ${jobName} 1`, { ...context, commit: "c1" }, [
          ...["a", "b", "B", "_"].map((testName) => ({ testName })),
          Sample.failure({ testName: "broken" }),
          { testName: "flaky", flaky: true }
        ]),
        Sample.report(
          `${pipelineName} ${jobName} 2`,
          { ...context, commit: "c2" },
          ["a", "b", "flaky"].map((testName) => ({ testName, at: Sample.noon + 1 }))
        )
      ])
    })
  )

/** The cases of search. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestStore",
    "names are in code-point order: cases, digits, underscores, accents and astral characters",
    function* (ref) {
      yield* upload(ref, awkward.toReversed())
      yield* Law.equal(yield* Ask.names(ref), awkward)
      yield* Law.equal(yield* Ask.names(ref, { direction: "desc" }), awkward.toReversed())
    }
  ),

  Case.make(
    "TestStore",
    "pipelines and jobs are in code-point order too, and equal ones in that of the identity",
    function* (ref) {
      yield* Effect.forEach(awkward.toReversed(), (name) =>
        Upload.all(ref, [
          Sample.report(`p ${name}`, { pipelineName: name, jobName: "unit" }, [{}]),
          Sample.report(`j ${name}`, { pipelineName: "C", jobName: name }, [{}])
        ])
      )
      const pipelines = yield* Ask.rows(ref, { sort: "pipeline_name" })
      yield* Law.equal(
        pipelines.filter(({ jobName }) => jobName === "unit").map(({ pipelineName }) => pipelineName),
        awkward
      )
      const jobs = yield* Ask.rows(ref, { sort: "job_name", direction: "desc" })
      yield* Law.equal(
        jobs.filter(({ pipelineName }) => pipelineName === "C").map(({ jobName }) => jobName),
        awkward.toReversed()
      )
      yield* Law.equal(
        jobs.filter(({ jobName }) => jobName === "unit").map(({ pipelineName }) => pipelineName),
        awkward
      )
    }
  ),

  Case.make(
    "TestStore",
    "the pages of every sort, direction and size are the sorted list, also from the end back",
    function* (ref) {
      yield* uploadTies(ref)
      const store = yield* TestStore
      const everything = yield* Ask.rows(ref)
      yield* Law.equal(everything.length, 24, "the number of identities")
      for (const sort of TestSort.SearchSort.literals) {
        for (const direction of TestSort.Direction.literals) {
          const sorted = everything.toSorted(TestSort.order(sort, direction))
          for (const limit of [1, 5, 7, 24, 100]) {
            const ask = (from: Page.From<TestSort.Position>) =>
              store.page(ref, Sample.search({ sort, direction, limit, from }))
            const { back, forward } = yield* Walk.both(ask, (row) => TestSort.position(row, sort))
            const expected = Walk.pagesOf(sorted, limit)
            yield* Law.equal(forward, expected, `the pages of ${limit} by ${sort} ${direction}`)
            yield* Law.equal(back, expected, `the pages of ${limit} by ${sort} ${direction} from the end`)
          }
        }
      }
    }
  ),

  Case.law("TestStore", "pages of generated histories are the sorted list", () =>
    Law.forAll(
      Arbitrary.all({
        runs: Arbitrary.array(JobRun.jobRuns, { minLength: 1, maxLength: 20 }),
        sort: Arbitrary.schema(TestSort.SearchSort),
        direction: Arbitrary.schema(TestSort.Direction),
        limit: Arbitrary.schema(Schema.Literals([1, 2, 3, 5]))
      }),
      ({ direction, limit, runs, sort }) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          yield* Upload.all(
            ref,
            runs.map((run, index) => JobRun.reportOf(run, `run ${index}`))
          )
          const sorted = (yield* Ask.rows(ref)).toSorted(TestSort.order(sort, direction))
          const { forward } = yield* Walk.both(
            (from: Page.From<TestSort.Position>) =>
              TestStore.use((store) => store.page(ref, Sample.search({ sort, direction, limit, from }))),
            (row) => TestSort.position(row, sort)
          )
          yield* Law.equal(forward, Walk.pagesOf(sorted, limit))
        }),
      { runs: 20 }
    )
  ),

  Case.make(
    "TestStore",
    "rows that come and go between two pages neither repeat nor skip a row that stayed",
    function* (ref) {
      const store = yield* TestStore
      yield* upload(ref, ["b", "d", "e", "f", "h"])
      const tomorrow = Sample.noon + 30 * Instant.day
      const stay = ["b", "f", "h", "i"].map((testName) => ({ testName, at: tomorrow }))
      const query = { sort: "test_name", limit: 2 } as const
      const first = yield* store.page(ref, Sample.search(query))
      yield* Law.equal(
        first.rows.map(({ testName }) => testName),
        ["b", "d"]
      )
      const from = Page.next(first, (row) => TestSort.position(row, "test_name")) ?? Page.start
      yield* upload(ref, ["a", "c", "dd", "g"], "between")
      const second = yield* store.page(ref, Sample.search({ ...query, from }))
      yield* Law.equal(
        second.rows.map(({ testName }) => testName),
        ["dd", "e"]
      )
      yield* Upload.one(ref, "later", {}, stay)
      const third = yield* store.page(ref, Sample.search({ ...query, from, now: tomorrow }))
      yield* Law.equal(
        [third.rows.map(({ testName }) => testName), third.hasPrevious, third.hasNext, third.total],
        [["f", "h"], true, true, 4],
        "the page after a row that is gone"
      )
      const back = Page.before(TestSort.position({ testName: "g", pipelineName: "CI", jobName: "unit" }, "test_name"))
      const fourth = yield* store.page(ref, Sample.search({ ...query, from: back, now: tomorrow }))
      yield* Law.equal(
        fourth.rows.map(({ testName }) => testName),
        ["b", "f"]
      )
    }
  ),

  Case.make("TestStore", "a page after the last row is empty and knows that there are rows before it", function* (ref) {
    const store = yield* TestStore
    yield* upload(ref, ["a", "b"])
    const position = TestSort.position({ testName: "z", pipelineName: "CI", jobName: "unit" }, "test_name")
    const after = yield* store.page(ref, Sample.search({ from: Page.after(position) }))
    yield* Law.equal(after, { rows: [], hasPrevious: true, hasNext: false, total: 2 })
    const first = TestSort.position({ testName: "A", pipelineName: "CI", jobName: "unit" }, "test_name")
    const before = yield* store.page(ref, Sample.search({ from: Page.before(first) }))
    yield* Law.equal(before, { rows: [], hasPrevious: false, hasNext: true, total: 2 })
  }),

  Case.make("TestStore", "names that are cut in a position still page exactly", function* (ref) {
    const long = "x".repeat(NameMark.wholeLength + 50)
    const names = ["a", `${long}`, `${long}1`, `${long}2`, `${long}\u{1f600}`, "y"]
    yield* upload(ref, names)
    const { back, forward } = yield* Walk.both(
      (from: Page.From<TestSort.Position>) =>
        TestStore.use((store) => store.page(ref, Sample.search({ limit: 2, from }))),
      (row) => TestSort.position(row, "test_name")
    )
    const namesOf = (pages: typeof forward) => pages.map(({ rows }) => rows.map(({ testName }) => testName))
    yield* Law.equal(namesOf(forward), [names.slice(0, 2), names.slice(2, 4), names.slice(4)])
    yield* Law.equal(namesOf(back), namesOf(forward))
  }),

  Case.make("TestStore", "the total counts all that match, on every page", function* (ref) {
    yield* upload(ref, ["a1", "a2", "a3", "b1"])
    const filter = TestFilter.make({ testName: { include: ["a*"] } })
    const page = yield* TestStore.use((store) => store.page(ref, Sample.search({ filter, limit: 1, from: Page.end })))
    yield* Law.equal(
      [page.rows.map(({ testName }) => testName), page.total, page.hasPrevious, page.hasNext],
      [["a3"], 3, true, false]
    )
  })
]
