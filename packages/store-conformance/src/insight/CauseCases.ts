/** The law of causes: the facts that they are computed from, their rounds, and decisions. */
import {
  type Cause,
  CauseFacts,
  CauseRecord,
  Instant,
  type Report,
  type Repository,
  Steps,
  TestId
} from "@lazaret/domain"
import { CauseStore, EventStore, RepositoryStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Leased, Sample, Upload } from "../law/index.ts"

const saying = (testName: string, message: string | null, minute: number): Partial<Report.Case> =>
  Sample.failure({ testName, at: Sample.atMinute(minute), exception: { type: "Error", message, stacktrace: null } })

const failing = (testName: string, minute: number, stacktrace: string | null) =>
  Sample.failure({
    testName,
    at: Sample.atMinute(minute),
    filepath: "app/a.test.ts",
    exception: { type: "Error", message: "no", stacktrace }
  })

const passing = (testName: string, minute: number): Partial<Report.Case> => ({ testName, at: Sample.atMinute(minute) })

const factsOf = (ref: Repository.RepositoryRef) => CauseStore.use((store) => store.facts(ref))

/** The fields of the job runs of facts that the cases compare, in order. */
const runsOf = (ref: Repository.RepositoryRef) =>
  Effect.map(factsOf(ref), ({ runs }) =>
    Steps.finish(CauseFacts.inOrder(runs)).map(({ branch, commit, failed, isExcused, isOnDefault, ordinal }) => ({
      commit,
      branch,
      ordinal,
      is: [isOnDefault, isExcused],
      failed: failed.map(({ testName }) => testName)
    }))
  )

const tests = ["a", "b", "c", "d"]

/** Red, green and red on the default branch, a pull request, a fork, and an outage. */
const history = (ref: Repository.RepositoryRef) =>
  Effect.all(
    [
      Upload.one(
        ref,
        "1",
        { commit: "1" },
        tests.map((name) => passing(name, 1))
      ),
      Upload.one(ref, "2", { commit: "2" }, [saying("a", "boom 1", 2), passing("b", 2)]),
      Upload.one(
        ref,
        "3",
        { commit: "3" },
        tests.map((name) => passing(name, 3))
      ),
      Upload.one(ref, "4", { commit: "4", branch: "topic", baseBranch: "main" }, [saying("b", "boom 7", 4)]),
      Upload.one(ref, "5", { commit: "5", branch: "eve:topic", baseBranch: "main" }, [saying("c", "boom 7", 5)]),
      Upload.one(
        ref,
        "6",
        { commit: "6" },
        tests.map((name) => saying(name, null, 6))
      )
    ],
    { discard: true }
  )

const known = (name: string, parts: Partial<Cause.CauseKnown> = {}): Cause.CauseKnown => ({
  kind: "tests",
  name,
  tests: [{ testName: "\u{1f600}", runs: 2, lastAt: Sample.noon }],
  testCount: 1,
  signature: null,
  exceptionType: null,
  message: null,
  messageShare: 0.25,
  firstAt: Sample.noon,
  lastAt: Sample.noon,
  runs: 2,
  weeks: [0, 2],
  jobs: [{ pipelineName: "CI", jobName: "unit", runs: 2 }],
  examples: [],
  ...parts
})

const record = (end: number, parts: Partial<CauseRecord.CauseRecord> = {}): CauseRecord.CauseRecord => ({
  ...CauseRecord.undecided,
  causeId: `11111111-1111-5111-8111-00000000000${end}`,
  known: known(`cause ${end}`),
  bornAt: Sample.noon,
  goneAt: null,
  from: [],
  ...parts
})

const round = (records: ReadonlyArray<CauseRecord.CauseRecord>) => ({ redRuns: 7, missingRuns: 0, records })

const leases = Leased.of(CauseStore)

/** The cases of causes. All rounds are one case: leases are given over all repositories of a store. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("CauseStore", "a repository without failures has no facts", function* (ref) {
    yield* Law.equal(yield* factsOf(ref), { runs: [], exceptions: new Map() })
    yield* Upload.one(ref, "1", { commit: "1" }, [passing("a", 1)])
    yield* Law.equal(yield* factsOf(ref), { runs: [], exceptions: new Map() })
  }),
  Case.make(
    "CauseStore",
    "the facts are the red job runs of all branches but forks, each with its place in its row",
    function* (ref) {
      yield* history(ref)
      yield* Law.equal(yield* runsOf(ref), [
        { commit: "2", branch: "main", ordinal: 1, is: [true, false], failed: ["a"] },
        { commit: "4", branch: "topic", ordinal: 1, is: [false, false], failed: ["b"] },
        { commit: "6", branch: "main", ordinal: 3, is: [true, true], failed: tests }
      ])
      const { runs, exceptions } = yield* factsOf(ref)
      yield* Law.equal(
        new Set([...exceptions.values()].map(({ exceptionType, message }) => `${exceptionType}: ${message}`)),
        new Set(["Error: null", "Error: boom <*>"]),
        "messages without their numbers"
      )
      const signatures = runs.flatMap(({ failed }) => failed.flatMap(({ signature }) => signature ?? []))
      yield* Law.equal(new Set(exceptions.keys()), new Set(signatures), "a message of each signature")
    }
  ),
  Case.make("CauseStore", "failures of a test in one job run count once for each message", function* (ref) {
    yield* Upload.one(ref, "1", { commit: "1" }, [
      saying("a", "one", 1),
      saying("a", "one", 2),
      saying("a", "other", 3)
    ])
    const { runs } = yield* factsOf(ref)
    yield* Law.equal(runs[0]?.failed.length, 2)
  }),
  Case.make("CauseStore", "a failure has its innermost frame of own code outside of its test", function* (ref) {
    const trace = "TimeoutError: no\n    at a (/ci/app/a.test.ts:1:2)\n    at connect (/ci/app/net/client.ts:3:4)"
    yield* Upload.one(ref, "1", { commit: "1" }, [
      failing("a", 1, trace),
      failing("b", 2, null),
      failing("c", 3, trace.slice(0, 50))
    ])
    const { runs } = yield* factsOf(ref)
    yield* Law.equal(
      runs.flatMap(({ failed }) => failed.map(({ frame, testName }) => [testName, frame])),
      [
        ["a", "net/client.ts:connect"],
        ["b", null],
        ["c", null]
      ]
    )
  }),
  Case.make("CauseStore", "rounds are leased once, keep decisions, and end with their repository", function* (ref) {
    yield* inTurn(ref)
    yield* withDecisions(yield* Case.repository)
    yield* withRemoval(yield* Case.repository)
  })
]

const inTurn = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* CauseStore
  yield* Law.equal(yield* store.progress(ref), { computedAt: null, redRuns: 0, missingRuns: 0, changes: 0 })
  yield* Leased.inRounds(ref, CauseStore, (leased, times) =>
    store.replace(leased, times, () => round([record(2), record(1)]))
  )
  yield* Law.equal(yield* store.list(ref), [record(1), record(2)])
  const computedAt = Sample.noon + Instant.hour
  const progress = { computedAt, redRuns: 7, missingRuns: 0, changes: 1 }
  yield* Law.equal(yield* store.progress(ref), progress, "equal rounds are one change")
  yield* store.request(ref, computedAt)
  const leased = yield* leases.only(ref, computedAt)
  const times = { computedAt, againAt: computedAt }
  yield* Law.equal(yield* store.replace(leased, times, (before) => round(before.slice(1))), true)
  yield* Law.equal(yield* store.list(ref), [record(2)])
})

/** The records and the round after the removal of a test. */
const withRemoval = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* CauseStore
  const now = Sample.noon
  yield* Upload.one(ref, "1", { commit: "1" }, [passing("a", 1), passing("b", 1)])
  yield* store.request(ref, now)
  const leased = yield* leases.only(ref, now)
  const ofTests = (names: ReadonlyArray<string>) => ({
    tests: names.map((testName) => ({ testName, runs: 2, lastAt: now })),
    testCount: names.length
  })
  const [alone, shared] = [
    record(1, { known: known("1", ofTests(["a"])) }),
    record(2, { known: known("2", ofTests(["a", "b"])) })
  ]
  yield* store.replace(leased, { computedAt: now, againAt: now + 1 }, () => round([alone, shared]))
  yield* Law.equal(yield* leases.at(ref, now + 1), [], "without a request")
  yield* RepositoryStore.use((repositories) => repositories.removeTest(ref, TestId.of("a")))
  yield* Law.equal(yield* store.list(ref), [{ ...shared, known: known("2", ofTests(["b"])) }], "without the test")
  yield* Law.equal((yield* store.progress(ref)).changes, 2)
  yield* Law.equal((yield* leases.at(ref, now + 1)).length, 1, "a round after the removal")
})

/** The events after two decisions, a closing, and a round after which the cause is open and took in another one. */
const withEvents = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* CauseStore
  const [held] = yield* store.list(ref)
  if (held === undefined) return yield* Law.equal<unknown>(held, "a cause")
  const { causeId } = held
  const at = Sample.noon
  const closed = { causeId, change: { closedAt: at }, at, by: "ada" }
  yield* store.decide(ref, closed)
  yield* store.decide(ref, { ...closed, change: {} })
  yield* store.request(ref, at)
  const leased = yield* leases.only(ref, at)
  const merged = { ...held, closedAt: null, from: [record(2).causeId] }
  yield* store.replace(leased, { computedAt: at + 1, againAt: at + 2 }, () => round([merged]))
  const log = yield* EventStore.use((events) => events.after(ref, 0, 10))
  yield* Law.equal(
    log.map(({ actor, at: when, type }) => [type, actor, when]),
    [
      ["cause.changed", "ada", at - 100 * Instant.day + 3],
      ["cause.changed", "ada", at - 100 * Instant.day + 3],
      ["cause.changed", "ada", at],
      ["cause.reopened", "auto", at + 1],
      ["cause.merged", "auto", at + 1]
    ],
    "the events of decisions and rounds"
  )
})

const withDecisions = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const store = yield* CauseStore
  const now = Sample.noon - 100 * Instant.day
  const decision = { causeId: record(1).causeId, change: { ticket: "NET-1 \u{1f600}" }, at: now + 3, by: "ada" }
  yield* Law.equal(yield* store.decide(ref, decision), Option.none(), "an unknown cause")
  yield* store.request(ref, now)
  const leased = yield* leases.only(ref, now)
  yield* store.replace(leased, { computedAt: now, againAt: now }, () => round([record(1)]))
  const decided = CauseRecord.decided(record(1), decision.change, decision)
  yield* Law.equal(yield* store.decide(ref, decision), Option.some(decided))
  yield* Law.equal(yield* store.list(ref), [decided])
  yield* Law.equal((yield* store.progress(ref)).changes, 2)
  yield* store.request(ref, now)
  const second = yield* leases.only(ref, now)
  const silenced = { ...decision, change: { silencedUntil: now + 9, owner: "@acme/net" } }
  yield* store.decide(ref, silenced)
  const times = { computedAt: now + 4, againAt: now + 5 }
  yield* store.replace(second, times, (before) => round(before.map((each) => ({ ...each, known: known("renamed") }))))
  yield* Law.equal(yield* store.list(ref), [
    { ...decided, owner: "@acme/net", silencedUntil: now + 9, known: known("renamed") }
  ])
  yield* Law.equal(yield* store.list(yield* Case.repository), [], "another repository")
  yield* withEvents(ref)
  yield* RepositoryStore.use(({ remove }) => remove(ref))
  yield* Law.equal(yield* store.list(ref), [], "after the removal of the repository")
  yield* Law.equal(yield* factsOf(ref), { runs: [], exceptions: new Map() })
})
