/** The law of the list: `TestList.find` over the identities that search finds, with what their details say. */
import { Instant, NameMark, Page, type Repository, Rollup, TestId, TestList, TestSort, Text } from "@lazaret/domain"
import { RetentionStore, TestStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Ask, Case, JobRun, Law, Sample, Upload, Walk } from "../law/index.ts"

/** A question, by default everything by name. */
const query = (parts: Partial<TestList.Query> = {}): TestList.Query => ({
  ...TestList.everything,
  limit: 100,
  ...parts
})

const find = (ref: Repository.RepositoryRef, parts: Partial<TestList.Query> = {}, now: Instant.Instant = Sample.noon) =>
  TestStore.use((store) => store.list(ref, query(parts), now))

/** The entries that search and details add up to, in the order of names. */
const expected = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, now: Instant.Instant) {
  const store = yield* TestStore
  const rows = yield* Ask.rows(ref, { now })
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(store.get(ref, TestId.of(row.testName), now), (records): TestList.Entry => {
      const record = Option.getOrThrow(records).find(
        ({ identity }) => identity.pipelineName === row.pipelineName && identity.jobName === row.jobName
      )
      const recent = record?.recent ?? Rollup.empty
      return {
        ...row,
        file: null,
        failedCount: recent.failed,
        meanDuration: recent.durationUs === 0 ? null : Rollup.meanDurationSeconds(recent),
        firstSeenAt: record?.firstSeenAt ?? null,
        lastFailureAt: record?.lastFailureAt ?? null,
        since: record?.state.trigger?.at ?? null,
        failuresInARow: record?.state.row ?? 0
      }
    })
  )
})

/** All entries by name. The cases of files say which file each has. */
const withoutFiles = (ref: Repository.RepositoryRef, now: Instant.Instant) =>
  Effect.map(find(ref, {}, now), ({ rows }) => rows.map((row) => ({ ...row, file: null })))

/** Tests of every status, in two jobs. */
const uploadMixed = (ref: Repository.RepositoryRef) =>
  Effect.forEach(["unit", "web"], (jobName) =>
    Upload.all(ref, [
      Sample.report(`${jobName} 1`, { jobName, commit: "c1" }, [
        { testName: "Cart > adds" },
        Sample.failure({ testName: "Cart > breaks", durationMs: 500 }),
        { testName: "Till > opens, sometimes", flaky: true }
      ]),
      Sample.report(`${jobName} 2`, { jobName, commit: "c2" }, [
        { testName: "Cart > adds", at: Sample.noon + 1 },
        { testName: "Till > opens, sometimes", at: Sample.noon + 1 }
      ])
    ])
  )

/** The cases of the list. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.law(
    "TestStore",
    "the list holds what search and the details of each identity say, also of dropped history",
    () =>
      Law.forAll(
        Arbitrary.array(JobRun.jobRuns, { minLength: 1, maxLength: 20 }),
        (runs) =>
          Effect.gen(function* () {
            const ref = yield* Case.repository
            yield* Upload.all(
              ref,
              runs.map((run, index) => JobRun.reportOf(run, `run ${index}`))
            )
            yield* Law.equal(yield* withoutFiles(ref, Sample.noon), yield* expected(ref, Sample.noon))
            yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(7)))
            yield* Law.equal(yield* withoutFiles(ref, Sample.noon), yield* expected(ref, Sample.noon), "after a drop")
          }),
        { runs: 20 }
      )
  ),

  Case.make("TestStore", "the list follows what is written after it was read", function* (ref) {
    yield* uploadMixed(ref)
    yield* find(ref)
    const later = Sample.noon + Instant.day
    yield* Upload.one(ref, "later", { commit: "c3" }, [
      Sample.failure({ testName: "Cart > adds", at: later }),
      { testName: "new", at: later }
    ])
    yield* Law.equal((yield* find(ref, {}, later)).rows, yield* expected(ref, later))
  }),

  Case.make("TestStore", "a list in no order has the entries of the one by name", function* (ref) {
    yield* uploadMixed(ref)
    const { rows } = yield* find(ref, { limit: Infinity })
    const unordered = yield* find(ref, { sort: null, limit: Infinity })
    const byName = unordered.rows.toSorted(
      (a, b) => Text.compare(a.testName, b.testName) || Text.compare(a.jobName, b.jobName)
    )
    yield* Law.equal(byName, rows)
    yield* Law.equal([unordered.total, unordered.hasNext], [rows.length, false])
  }),

  Case.make("TestStore", "the list counts the values of a filter where all other filters hold", function* (ref) {
    yield* uploadMixed(ref)
    const filter = { ...TestList.all, search: "CART", healthStatus: ["broken"], jobName: ["unit"] } as const
    const quarantined = new Set(["Cart > breaks"])
    const { facets, offset, rows, total } = yield* find(ref, { filter, quarantined })
    yield* Law.equal([rows.map(({ testName }) => testName), offset, total], [["Cart > breaks"], 0, 1])
    yield* Law.equal(facets, {
      healthStatus: [
        { value: "healthy", count: 1 },
        { value: "broken", count: 1 }
      ],
      pipelineName: [{ value: "CI", count: 1 }],
      jobName: [
        { value: "unit", count: 1 },
        { value: "web", count: 1 }
      ],
      isQuarantined: [{ value: true, count: 1 }]
    })
    const others = yield* find(ref, { filter: { ...TestList.all, isQuarantined: false }, quarantined })
    yield* Law.equal(others.total, 4, "the identities that are not quarantined")
  }),

  Case.make(
    "TestStore",
    "the pages of every order of the list are the sorted list, and know their place",
    function* (ref) {
      yield* uploadMixed(ref)
      const { rows: everything } = yield* find(ref)
      yield* Law.equal(everything.length, 6, "the number of identities")
      for (const sort of TestList.Sort.literals) {
        for (const direction of TestSort.Direction.literals) {
          const { rows: sorted } = yield* find(ref, { sort, direction })
          const offsets: Array<number> = []
          const { back, forward } = yield* Walk.both(
            (from: Page.From<TestSort.Position>) =>
              Effect.map(
                find(ref, { sort, direction, limit: 4, from }),
                ({ hasNext, hasPrevious, offset, rows, total }) => {
                  offsets.push(offset)
                  return { rows, hasPrevious, hasNext, total }
                }
              ),
            (entry) => TestList.position(entry, sort)
          )
          yield* Law.equal(forward, Walk.pagesOf(sorted, 4), `the pages by ${sort} ${direction}`)
          yield* Law.equal(back, forward, `the pages by ${sort} ${direction} from the end`)
          yield* Law.equal(offsets, [0, 4, 4, 0], `how many come before the pages by ${sort} ${direction}`)
        }
      }
    }
  ),

  Case.make("TestStore", "the list begins with broken tests, then flaky ones", function* (ref) {
    yield* uploadMixed(ref)
    const { rows } = yield* find(ref, { sort: "attention", direction: "desc" })
    const statuses = rows.map(({ healthStatus }) => healthStatus)
    yield* Law.equal(statuses, ["broken", "broken", "flaky", "flaky", "healthy", "healthy"])
  }),

  Case.make("TestStore", "names that are cut in a position still page the list exactly", function* (ref) {
    const long = "x".repeat(NameMark.wholeLength + 50)
    const names = ["a", `${long}`, `${long}1`, `${long}2`, "y"]
    yield* Upload.one(
      ref,
      "names",
      {},
      names.map((testName) => ({ testName }))
    )
    const { forward } = yield* Walk.both(
      (from: Page.From<TestSort.Position>) => find(ref, { limit: 2, from }),
      (entry) => TestList.position(entry, "test_name")
    )
    const found = forward.map(({ rows }) => rows.map(({ testName }) => testName))
    yield* Law.equal(found, [names.slice(0, 2), names.slice(2, 4), names.slice(4)])
  })
]
