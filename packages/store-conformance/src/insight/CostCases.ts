/** The law of cost: the facts that it is computed from, and its rounds. */
import {
  CostLedger,
  type CostKnown,
  Event,
  Instant,
  type Report,
  type Repository,
  Retention,
  TestId
} from "@lazaret/domain"
import { CostStore, EventStore, RepositoryStore, RetentionStore, UpkeepStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample, Upload } from "../law/index.ts"

const failing = (testName: string, minute: number, parts: Partial<Report.Case> = {}): Partial<Report.Case> =>
  Sample.failure({ testName, at: Sample.atMinute(minute), ...parts })

const passing = (testName: string, minute: number, parts: Partial<Report.Case> = {}): Partial<Report.Case> => ({
  testName,
  at: Sample.atMinute(minute),
  ...parts
})

const factsOf = (ref: Repository.RepositoryRef, since: number = 0) => CostStore.use((store) => store.facts(ref, since))

/** The facts in an order that no store has to know. */
const sortedOf = (ref: Repository.RepositoryRef, since: number = 0) =>
  Effect.map(factsOf(ref, since), ({ from, runs }) => ({
    from,
    runs: runs.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  }))

/** The fields of job runs that the cases compare, the first one first. */
const runsOf = (ref: Repository.RepositoryRef, since: number = 0) =>
  Effect.map(factsOf(ref, since), ({ runs }) =>
    runs
      .toSorted((a, b) => a.at - b.at)
      .map(({ commit, durationUs, failed, isExcused, passed, tests }) => ({
        commit,
        isExcused,
        counts: [passed, failed, durationUs / 1_000_000],
        tests: tests.map(({ hasPassed, isFailed, reruns, testName }) => [testName, isFailed, hasPassed, reruns])
      }))
  )

const pull = { branch: "topic", baseBranch: "main" }

const reports: ReadonlyArray<Report.Report> = [
  Sample.report("1", { commit: "1" }, [
    failing("a", 1, { filepath: "b.ts" }),
    failing("a", 1, { filepath: "a.ts" }),
    passing("b", 1, { flaky: true, reruns: 2, filepath: "b.ts" }),
    passing("c", 1)
  ]),
  Sample.report("2", { commit: "1", runAttempt: 2 }, [passing("a", 2), failing("b", 2), passing("c", 2)]),
  Sample.report("3", { commit: "3", ...pull, runId: "3" }, [failing("a", 3), passing("b", 3)]),
  Sample.report("4", { commit: "3", ...pull, runId: "4" }, [passing("a", 4), passing("b", 4)]),
  Sample.report("5", { commit: "5", branch: "eve:topic", baseBranch: "main" }, [failing("c", 5)]),
  Sample.report(
    "6",
    { commit: "6" },
    ["a", "b", "c", "d"].map((name) => passing(name, 6))
  ),
  Sample.report(
    "7",
    { commit: "7" },
    ["a", "b", "c", "d"].map((name) => failing(name, 7, Sample.refused()))
  )
]

const known = (parts: Partial<CostKnown.CostKnown> = {}): CostKnown.CostKnown => ({
  from: Sample.noon,
  weeks: [
    CostLedger.emptyWeek(Sample.noon),
    { ...CostLedger.emptyWeek(Sample.noon + 1), runUs: 9_007_199_254_740_991 }
  ],
  tests: [{ testName: "\u{1f600}", causeId: null, file: "a.ts" }],
  causes: [{ causeId: "11111111-1111-5111-8111-000000000001", name: "a cause" }],
  cells: [{ week: 1, test: 0, failed: 5, repeated: 0, retried: 0, waiting: 7, runs: 1 }],
  ...parts
})

const leases = Leased.of(CostStore)

/** The cases of cost. All rounds are one case: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make(
    "CostStore",
    "the facts on cost are the job runs of all branches but forks, with what failed or ran again in them",
    function* (ref) {
      yield* Law.equal(yield* factsOf(ref, 5), { from: 5, runs: [] }, "an unknown repository")
      yield* Upload.all(ref, reports)
      yield* Law.equal(yield* runsOf(ref), [
        {
          commit: "1",
          isExcused: false,
          counts: [2, 2, 4],
          tests: [
            ["a", true, true, 0],
            ["b", false, true, 2]
          ]
        },
        { commit: "1", isExcused: false, counts: [2, 1, 3], tests: [["b", true, true, 0]] },
        { commit: "3", isExcused: false, counts: [1, 1, 2], tests: [["a", true, false, 0]] },
        { commit: "3", isExcused: false, counts: [2, 0, 2], tests: [] },
        { commit: "6", isExcused: false, counts: [4, 0, 4], tests: [] },
        {
          commit: "7",
          isExcused: true,
          counts: [0, 4, 4],
          tests: ["a", "b", "c", "d"].map((name) => [name, true, false, 0])
        }
      ])
      const { runs } = yield* factsOf(ref)
      yield* Law.equal(runs.find(({ failed }) => failed === 2)?.tests[0]?.file, "a.ts", "the first file of a test")
      yield* Law.equal(
        (yield* runsOf(ref, Sample.atMinute(7))).map(({ commit }) => commit),
        ["7"],
        "since an instant"
      )
    }
  ),
  Case.make("CostStore", "the facts on cost are the same in any order of arrival, and after a refold", function* (ref) {
    yield* Upload.all(ref, reports)
    const facts = yield* sortedOf(ref)
    const reversed = yield* Case.repository
    yield* Upload.all(reversed, reports.toReversed())
    yield* Law.equal(yield* sortedOf(reversed), facts, "the other order")
    yield* UpkeepStore.use((store) => store.refold(ref))
    yield* Law.equal(yield* sortedOf(ref), facts, "after a refold")
  }),
  Case.make("CostStore", "a job run that is split into several reports has the same facts on cost", function* (ref) {
    const executions = [failing("a", 1, { reruns: 1 }), failing("b", 2), passing("b", 2), passing("c", 3)]
    const context = { commit: "1", runId: "1" }
    yield* Upload.one(ref, "1", context, executions)
    const split = yield* Case.repository
    for (const [index, each] of executions.entries()) yield* Upload.one(split, `part ${index}`, context, [each])
    yield* Law.equal(yield* sortedOf(split), yield* sortedOf(ref))
  }),
  Case.make("CostStore", "what retention has dropped is not in the facts on cost", function* (ref) {
    const old = Sample.daysAgo(30)
    yield* Upload.one(ref, "old", { commit: "old" }, [failing("a", 0, { at: old })])
    yield* Upload.one(ref, "new", { commit: "new" }, [failing("a", 0)])
    yield* Law.equal((yield* runsOf(ref)).length, 2)
    yield* RetentionStore.use((store) => store.drop(ref, Sample.daysAgo(7)))
    const { from } = yield* factsOf(ref)
    yield* Law.equal(
      (yield* runsOf(ref)).map(({ commit }) => commit),
      ["new"]
    )
    yield* Law.equal(from, Retention.startOfWeek(Sample.daysAgo(7)), "from")
  }),
  Case.make("CostStore", "a deleted test is not in the facts on cost, and a long name is whole", function* (ref) {
    const long = "long \u{1f600}".padEnd(9000, "x")
    yield* Upload.one(ref, "1", { commit: "1" }, [failing("a", 1), failing(long, 1)])
    yield* RepositoryStore.use((store) => store.removeTest(ref, TestId.of("a")))
    const { runs } = yield* factsOf(ref)
    yield* Law.equal(
      runs.map(({ failed, tests }) => [failed, tests.map(({ testName }) => testName)]),
      [[2, [long]]]
    )
  }),
  Case.law("CostStore", "rounds of cost are leased once, store their events, and end with their repository", inTurn)
]

function inTurn(ref: Repository.RepositoryRef) {
  return Effect.gen(function* () {
    const store = yield* CostStore
    yield* Law.equal([yield* store.computedAt(ref), yield* store.known(ref)], [null, Option.none()])
    const event = Event.paused({ reason: "sample", pauseDate: Sample.noon }, Sample.noon, "key")
    const result = { known: known(), atLatest: null, events: [event] }
    const late = {
      ...result,
      known: known({ cells: [] }),
      events: [Event.paused({ reason: "late", pauseDate: Sample.noon }, Sample.noon, "key")]
    }
    yield* Leased.inRounds(ref, CostStore, (leased, times) =>
      store.replace(leased, { ...(times.computedAt === Sample.noon + 8 ? late : result), ...times })
    )
    const computedAt = Sample.noon + Instant.hour
    yield* Law.equal([yield* store.computedAt(ref), yield* store.known(ref)], [computedAt, Option.some(known())])
    const logged = yield* EventStore.use((events) => events.after(ref, 0, 10))
    yield* Law.equal(logged.length, 1, "the same event of several rounds, and none without a lease")

    const day = Sample.noon + Instant.day
    yield* store.request(ref, day)
    const times = { computedAt: day, againAt: day + 100, atLatest: day + Instant.hour }
    yield* Law.equal(yield* store.replace(yield* leases.only(ref, day), { ...result, ...times }), true)
    yield* Law.equal(yield* leases.at(ref, day + 200), [], "before the latest time")
    yield* store.request(ref, day + 1)
    yield* Law.equal(yield* leases.at(ref, day + 99), [], "before the earliest time")
    yield* Law.equal(yield* store.replace(yield* leases.only(ref, day + 100), { ...result, ...times }), true)
    yield* Law.equal((yield* leases.at(ref, day + Instant.hour)).length, 1, "at the latest time, without a request")

    yield* Law.equal(yield* store.known(yield* Case.repository), Option.none(), "another repository")
    yield* RepositoryStore.use(({ remove }) => remove(ref))
    yield* Law.equal(
      [yield* store.computedAt(ref), yield* store.known(ref)],
      [null, Option.none()],
      "after its removal"
    )
  })
}
