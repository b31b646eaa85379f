/** The law of filters: the store finds exactly what `TestFilter.matcher` lets pass, in search and in counts. */
import { type Repository, TestFilter } from "@lazaret/domain"
import { TestStore } from "@lazaret/store"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Ask, Case, JobRun, Law, Sample, Upload } from "../law/index.ts"

const upload = (ref: Repository.RepositoryRef, names: ReadonlyArray<string>) =>
  Upload.one(
    ref,
    "names",
    {},
    names.map((testName) => ({ testName }))
  )

const found = (ref: Repository.RepositoryRef, include: ReadonlyArray<string>, exclude: ReadonlyArray<string> = []) =>
  Ask.names(ref, { filter: TestFilter.make({ testName: { include, exclude } }) })

/** The names that each pattern finds. */
const finds = (
  ref: Repository.RepositoryRef,
  names: ReadonlyArray<string>,
  expected: Readonly<Record<string, ReadonlyArray<string>>>
) =>
  Effect.gen(function* () {
    yield* upload(ref, names)
    for (const [pattern, matching] of Object.entries(expected)) {
      yield* Law.equal((yield* found(ref, [pattern])).toSorted(), matching.toSorted(), `what ${pattern} finds`)
    }
  })

const pieces = ["a", "A", "d", "%", "_", "\\", ".", "[", "(", "^", "$", "|", "+", "\u00e9", "\u{1f600}", "\n", " "]
const texts = (extra: ReadonlyArray<string>) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Literals([...pieces, ...extra])), { minLength: 1, maxLength: 5 }),
    (parts) => parts.join("")
  )

const filters = Arbitrary.map(
  Arbitrary.all({
    runs: Arbitrary.array(JobRun.jobRuns, { minLength: 1, maxLength: 15 }),
    question: Arbitrary.schema(
      TestFilter.TestFilter.mapFields((fields) => ({
        healthStatus: fields.healthStatus,
        healthConfidence: fields.healthConfidence,
        failedExecutionsImpact: fields.failedExecutionsImpact
      }))
    ),
    jobs: Arbitrary.schema(Schema.Array(Schema.Literals(["unit", "?nit", "U*"])).check(Schema.isMaxLength(2))),
    tests: Arbitrary.schema(Schema.Array(Schema.Literals(["adds", "?dds", "a*", "*%"])).check(Schema.isMaxLength(2)))
  }),
  ({ jobs, question, runs, tests }) => ({
    runs,
    filter: TestFilter.make({ ...question, jobName: { include: jobs }, testName: { exclude: tests } })
  })
)

const identities = (ref: Repository.RepositoryRef, given: TestFilter.Given) =>
  Effect.map(Ask.rows(ref, { filter: TestFilter.make(given) }), (rows) =>
    rows.map((row) => `${row.testName} ${row.pipelineName} ${row.jobName}`)
  )

/** The cases of filters. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law("TestStore", "a pattern is case-sensitive, matches the whole name, and has two wildcards", (ref) =>
    finds(ref, ["cart adds", "cart", "Cart", "art", "cat", "ct"], {
      cart: ["cart"],
      "c*": ["cart adds", "cart", "cat", "ct"],
      "*art": ["cart", "Cart", "art"],
      "c?t": ["cat"],
      "c*t": ["cart", "cat", "ct"],
      "????": ["cart", "Cart"],
      "*": ["cart adds", "cart", "Cart", "art", "cat", "ct"],
      CART: []
    })
  ),

  Case.law("TestStore", "what SQL, regular expressions and escapes know as wildcards is literal", (ref) =>
    finds(ref, ["100%", "1000", "a_b", "axb", "a\\b", "a\\*", "a.b", "a[b]", "ab", "a^", "a$"], {
      "100%": ["100%"],
      a_b: ["a_b"],
      "a\\b": ["a\\b"],
      "a\\*": ["a\\b", "a\\*"],
      "a\\?": ["a\\b", "a\\*"],
      "a.b": ["a.b"],
      "a[b]": ["a[b]"],
      "a?b": ["a_b", "axb", "a\\b", "a.b"],
      "%": [],
      "a^*": ["a^"],
      a$: ["a$"]
    })
  ),

  Case.law("TestStore", "a name that holds wildcards is found by a pattern that allows them", (ref) =>
    finds(ref, ["a*", "a?", "a**b", "ab"], {
      "a*": ["a*", "a?", "a**b", "ab"],
      "a?": ["a*", "a?", "ab"],
      "a?*b": ["a**b"]
    })
  ),

  Case.law("TestStore", "a question mark is one character, astral ones and line breaks included", (ref) =>
    finds(ref, ["a\u{1f600}b", "a\nb", "a\r\nb", "ae\u0301b", "a\u00e9b"], {
      "a?b": ["a\u{1f600}b", "a\nb", "a\u00e9b"],
      "a??b": ["a\r\nb", "ae\u0301b"],
      "a*b": ["a\u{1f600}b", "a\nb", "a\r\nb", "ae\u0301b", "a\u00e9b"],
      "a\u00e9b": ["a\u00e9b"]
    })
  ),

  Case.law("TestStore", "random patterns find what the domain's matcher lets pass", () =>
    Law.forAll(
      Arbitrary.all({
        names: Arbitrary.array(texts([]), { minLength: 1, maxLength: 12 }),
        include: Arbitrary.array(texts(["*", "*", "*", "?", "?"]), { maxLength: 3 }),
        exclude: Arbitrary.array(texts(["*", "*", "?"]), { maxLength: 2 })
      }),
      ({ exclude, include, names }) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          const distinct = Array.from(new Set(names))
          yield* upload(ref, distinct)
          const isWanted = TestFilter.nameMatcher({ include, exclude })
          yield* Law.equal((yield* found(ref, include, exclude)).toSorted(), distinct.filter(isWanted).toSorted())
        }),
      { runs: 60 }
    )
  ),

  Case.make("TestStore", "values are alternatives, parameters must all hold, and an exclusion wins", function* (ref) {
    for (const pipelineName of ["CI", "nightly"]) {
      for (const jobName of ["unit", "e2e"]) {
        yield* Upload.one(ref, `${pipelineName} ${jobName}`, { pipelineName, jobName }, [
          { testName: "a" },
          { testName: "b" }
        ])
      }
    }
    yield* Law.equal(
      yield* identities(ref, {
        testName: { include: ["a", "b"] },
        pipelineName: { include: ["CI"] },
        jobName: { exclude: ["u*"] }
      }),
      ["a CI e2e", "b CI e2e"]
    )
    yield* Law.equal(
      yield* identities(ref, {
        testName: { include: ["*"], exclude: ["a", "x"] },
        jobName: { include: ["unit", "none"] }
      }),
      ["b CI unit", "b nightly unit"]
    )
    yield* Law.equal(yield* identities(ref, { testName: { include: ["a"], exclude: ["*"] } }), [])
  }),

  Case.make(
    "TestStore",
    "health, confidence and impact filter too; no impact is found by none and removed by none",
    function* (ref) {
      yield* Upload.one(ref, "r", {}, [
        { testName: "healthy" },
        Sample.failure({ testName: "broken" }),
        { testName: "flaky", flaky: true, reruns: 1 },
        { testName: "flaky", reruns: 12, at: Sample.noon + 1 }
      ])
      const search = (given: TestFilter.Given) => Ask.names(ref, { filter: TestFilter.make(given) })
      yield* Law.equal(yield* search({ healthStatus: { include: ["healthy", "flaky"] } }), ["flaky", "healthy"])
      yield* Law.equal(yield* search({ healthStatus: { exclude: ["broken"] } }), ["flaky", "healthy"])
      yield* Law.equal(yield* search({ healthConfidence: { include: ["medium"] } }), ["flaky"])
      yield* Law.equal(yield* search({ failedExecutionsImpact: { include: ["high"] } }), ["broken"])
      yield* Law.equal(yield* search({ failedExecutionsImpact: { include: ["low", "medium", "high"] } }), [
        "broken",
        "flaky"
      ])
      yield* Law.equal(yield* search({ failedExecutionsImpact: { exclude: ["low", "medium", "high"] } }), ["healthy"])
    }
  ),

  Case.law("TestStore", "every filter finds and counts what the domain's matcher lets pass", () =>
    Law.forAll(
      filters,
      ({ filter, runs }) =>
        Effect.gen(function* () {
          const ref = yield* Case.repository
          yield* Upload.all(
            ref,
            runs.map((run, index) => JobRun.reportOf(run, `run ${index}`))
          )
          const expected = (yield* Ask.rows(ref)).filter(TestFilter.matcher(filter))
          yield* Law.equal(yield* Ask.rows(ref, { filter }), expected)
          const count = yield* TestStore.use((store) => store.count(ref, { filter, status: null, now: Sample.noon }))
          yield* Law.equal(count.tests, expected.length, "the count")
        }),
      { runs: 40 }
    )
  )
]
