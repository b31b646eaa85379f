/** The law of job runs per day: which are counted, which are red, and for which tests. */
import { Instant, type RunDay, type Repository } from "@lazaret/domain"
import { RetentionStore, TestStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample, Upload } from "../law/index.ts"

/** The days with runs, by how many days ago they were: how many, how many red, as outages, and for flaky tests alone. */
const days = (ref: Repository.RepositoryRef) =>
  Effect.map(
    TestStore.use((store) => store.runs(ref, Sample.noon)),
    (found) =>
      found.flatMap(({ day, flakyRuns: flaky, outages, red, runs }: RunDay.RunDay) =>
        runs === 0 ? [] : [{ ago: Instant.utcDay(Sample.noon) - day, runs, red, outages, flaky }]
      )
  )

const on = (daysAgo: number) => ({ at: Sample.daysAgo(daysAgo) })

/** The cases of job runs per day. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "TestStore",
    "a run is red for flaky tests alone when every test that failed in it is flaky now",
    function* (ref) {
      const flaky = { testName: "flaky", flaky: true }
      const failed = Sample.failure({ testName: "flaky" })
      yield* Upload.all(ref, [
        Sample.report("1", { commit: "c1" }, [{ ...flaky, ...on(10) }]),
        Sample.report("2", { commit: "c2" }, [
          { ...failed, ...on(8) },
          { testName: "other", ...on(8) }
        ]),
        Sample.report("3", { commit: "c3" }, [
          { ...failed, ...on(7) },
          Sample.failure({ testName: "broken", ...on(7) })
        ]),
        Sample.report("4", { commit: "c4", branch: "topic", baseBranch: "main" }, [{ ...failed, ...on(6) }]),
        Sample.report("5", { commit: "c5" }, [{ ...failed, at: Sample.daysAgo(40) }])
      ])
      yield* Law.equal(yield* days(ref), [
        { ago: 10, runs: 1, red: 0, outages: 0, flaky: 0 },
        { ago: 8, runs: 1, red: 1, outages: 0, flaky: 1 },
        { ago: 7, runs: 1, red: 1, outages: 0, flaky: 0 }
      ])
      yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(8)))
      yield* Law.equal(
        (yield* days(ref)).map(({ ago }) => ago),
        [8, 7],
        "the days after a drop"
      )
    }
  ),

  Case.make("TestStore", "the runs that flaky tests alone made red took the time of all their tests", function* (ref) {
    const flaky = { testName: "flaky", flaky: true, ...on(10) }
    const failed = Sample.failure({ testName: "flaky", durationMs: 1500.25, ...on(8) })
    const other = { testName: "other", durationMs: 250, ...on(8) }
    const skipped = { testName: "skipped", conclusion: "skipped", durationMs: 9000, ...on(8) } as const
    const noTime = [Sample.failure({ testName: "flaky", durationMs: 0, ...on(7) })]
    yield* Upload.all(ref, [
      Sample.report("1", { commit: "c1" }, [flaky]),
      Sample.report("2", { commit: "c2" }, [failed, other, skipped]),
      Sample.report("3", { commit: "c2", runId: "2" }, [{ testName: "shard", durationMs: 4000, ...on(8) }]),
      Sample.report("4", { commit: "c3" }, noTime)
    ])
    const times = Effect.map(
      TestStore.use((store) => store.runs(ref, Sample.noon)),
      (found) => found.flatMap(({ flakyRuns, flakyUs }) => (flakyRuns === 0 ? [] : [{ flakyRuns, flakyUs }]))
    )
    const expected = [
      { flakyRuns: 1, flakyUs: 5_750_250 },
      { flakyRuns: 1, flakyUs: 0 }
    ]
    yield* Law.equal(yield* times, expected)
    yield* UpkeepStore.use((store) => store.refold(ref))
    yield* Law.equal(yield* times, expected, "after a refold")
    yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(8)))
    yield* Law.equal(yield* times, expected, "after a drop that keeps these runs")
  }),

  Case.make("TestStore", "an outage is red and not for flaky tests, and a shard counts with its run", function* (ref) {
    const tests = ["a", "b", "c", "d"].map((testName) => ({ testName, ...on(2) }))
    const outage = tests.map((test) => Sample.refused({ ...test, ...on(1) }))
    const context = { commit: "c2", runId: "2" }
    yield* Upload.all(ref, [
      Sample.report("1", { commit: "c1" }, tests),
      Sample.report("2", context, outage.slice(0, 2)),
      Sample.report("3", context, outage.slice(2))
    ])
    yield* Law.equal(yield* days(ref), [
      { ago: 2, runs: 1, red: 0, outages: 0, flaky: 0 },
      { ago: 1, runs: 1, red: 1, outages: 1, flaky: 0 }
    ])
  }),

  Case.make(
    "TestStore",
    "the last upload is the one that arrived last on any branch, and lists the jobs of earlier uploads",
    function* (ref) {
      const last = TestStore.use((store) => store.lastUpload(ref))
      yield* Law.equal(yield* last, Option.none())
      const jobUrl = "https://ci.example/7"
      const topic = { branch: "topic", baseBranch: "main", jobUrl }
      const later = Sample.report("1", topic, [{ at: Sample.noon + Instant.day }])
      yield* Upload.all(ref, [Sample.report("0", {}, [{}]), later])
      yield* Law.equal(yield* last, Option.some({ receivedAt: later.receivedAt, jobUrls: [jobUrl] }))
      const next = Sample.report("2", { jobUrl: `${jobUrl}/2` }, [{ at: Sample.noon + 2 * Instant.day }])
      const again = Sample.report("3", { jobUrl }, [{ at: Sample.noon + 3 * Instant.day }])
      const silent = Sample.report("4", {}, [{ at: Sample.noon + 4 * Instant.day }])
      yield* Upload.all(ref, [next, again, silent])
      yield* Law.equal(
        yield* last,
        Option.some({ receivedAt: silent.receivedAt, jobUrls: [jobUrl, `${jobUrl}/2`] }),
        "the jobs of earlier uploads, the last first"
      )
    }
  )
]
