import { Automation, Events, Ingestion, Quarantines, Repositories as Changes, Tests } from "@lazaret/services"
import { AutoQuarantine, Instant, type Repository, Repository as Repositories, TestId } from "@lazaret/domain"
import { EventStore, ExecutionStore, QuarantineStore, RepositoryStore, StressStore, TestStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, record, ref, testsWith } from "../builders.ts"

type Services =
  | Automation
  | Ingestion
  | Quarantines
  | Changes
  | Tests
  | Events
  | RepositoryStore
  | QuarantineStore
  | EventStore
  | ExecutionStore
  | StressStore
  | TestStore

const scenario = <A, E>(body: Effect.Effect<A, E, Services>) =>
  TestClock.setTime(noon).pipe(Effect.andThen(body), Effect.provide(memory))

const test = testsWith(memory)

/** Changes settings after the evaluations that uploads have caused, which run next to the test. */
const configure = (settings: Partial<Repository.RepositorySettings>) =>
  Effect.andThen(
    Effect.repeat(Effect.yieldNow, { times: 100 }),
    RepositoryStore.use((store) => store.set(ref, { ...Repositories.defaultSettings, ...settings }, noon))
  )

const evaluate = Effect.flatMap(Automation, (automation) => automation.evaluate(ref))

/** Fifteen commits on ten days that end now; on the first `flaky` ones of the last five the test failed, then passed. */
const flakes = (name: string, flaky = 2) =>
  record(
    ...Array.from({ length: 15 }, (_, index) => {
      const facts = { test: name, job: name, commit: `c${index}`, hoursAgo: 16 * (15 - index) }
      const isFlaky = index >= 10 && index < 10 + flaky
      return isFlaky
        ? [{ ...facts, conclusion: "failed" } as const, { ...facts, hoursAgo: facts.hoursAgo - 1 }]
        : [facts, { ...facts, hoursAgo: facts.hoursAgo - 1 }]
    }).flat()
  )

const active = Effect.map(
  QuarantineStore.use((store) =>
    store.page(ref, { branch: null, testId: null, source: null, from: { _tag: "Start" }, limit: null, now: noon })
  ),
  ({ rows }) => rows
)

const names = Effect.map(active, (rows) => rows.map(({ testName }) => testName))

describe("Automation", () => {
  test("a flaky test is quarantined on every branch, and the event holds the facts that decided it", function* () {
    yield* flakes("adds")
    yield* configure({ autoQuarantine: "flaky" })
    const { quarantined, released } = yield* evaluate
    assert.deepStrictEqual([quarantined.length, released.length], [1, 0])
    const [row] = yield* active
    assert.deepInclude(row, { testName: "adds", branch: null, source: "auto", createdBy: "auto", createdAt: noon })
    assert.strictEqual(row?.reason, "Flaky: failed and passed on 2 of 15 commits (30 executions) in the last 14 days.")
    const events = yield* (yield* Events).list(ref, {
      type: "quarantine.created",
      caller: "admin",
      cursor: null,
      perPage: 10
    })
    assert.deepInclude(events.rows[0], { actor: "auto", testName: "adds" })
    assert.deepStrictEqual(events.rows[0]?.detail["evidence"], {
      healthStatus: "flaky",
      executions: 30,
      commits: 15,
      flakyCommits: 2,
      firstSeenAt: Instant.toIso(noon - 240 * Instant.hour)
    })
  })

  test("a second evaluation changes nothing", function* () {
    yield* flakes("adds")
    yield* configure({ autoQuarantine: "flaky" })
    yield* evaluate
    const events = yield* EventStore.use((store) => store.head(ref))
    assert.deepStrictEqual(yield* evaluate, { quarantined: [], released: [] })
    assert.deepStrictEqual([yield* names, yield* EventStore.use((store) => store.head(ref))], [["adds"], events])
  })

  test("nothing happens unless the setting says so, nor in a repository that nobody knows", function* () {
    assert.deepStrictEqual(yield* evaluate, { quarantined: [], released: [] })
    yield* flakes("adds")
    yield* evaluate
    assert.deepStrictEqual(yield* names, [])
  })

  const guards: ReadonlyArray<readonly [guard: string, given: Effect.Effect<unknown, unknown, Services>]> = [
    ["one flaky commit is too few", flakes("adds", 1)],
    [
      "what was flaky more than 14 days ago counts no more",
      Effect.andThen(flakes("adds"), TestClock.adjust("14 days"))
    ],
    [
      "a test that was first seen less than 24 hours ago is left alone",
      record(
        ...Array.from({ length: 20 }, (_, index) => [
          { test: "adds", commit: `c${index}`, hoursAgo: 23 - index, conclusion: "failed" } as const,
          { test: "adds", commit: `c${index}`, hoursAgo: 22.5 - index }
        ]).flat()
      )
    ],
    [
      "a test that runs seldom is left alone",
      record(
        ...["a", "b", "c", "d", "e"].flatMap((commit, index) => [
          { test: "adds", commit, hoursAgo: 200 - 10 * index, conclusion: "failed" } as const,
          { test: "adds", commit, hoursAgo: 199 - 10 * index }
        ])
      )
    ],
    [
      "a broken test is left alone",
      record(
        ...Array.from({ length: 30 }, (_, index) => ({
          test: "adds",
          commit: `c${index}`,
          hoursAgo: 200 - index,
          conclusion: index < 10 ? ("passed" as const) : ("failed" as const)
        }))
      )
    ],
    [
      "a test that is quarantined already is left alone",
      Effect.andThen(
        flakes("adds"),
        Effect.flatMap(Quarantines, ({ create }) =>
          create(ref, { testName: "adds", reason: "known", branch: null, source: "manual", by: "key 1" })
        )
      )
    ]
  ]

  for (const [guard, facts] of guards) {
    it.effect(guard, () =>
      scenario(
        Effect.gen(function* () {
          yield* facts
          yield* configure({ autoQuarantine: "flaky" })
          assert.deepStrictEqual((yield* evaluate).quarantined, [])
        })
      )
    )
  }

  test("broken tests are quarantined where the setting names them", function* () {
    yield* record(
      ...Array.from({ length: 30 }, (_, index) => ({
        test: "adds",
        commit: `c${index}`,
        hoursAgo: 200 - 2 * index,
        conclusion: index < 10 ? ("passed" as const) : ("failed" as const)
      }))
    )
    yield* configure({ autoQuarantine: "flaky_and_broken" })
    yield* evaluate
    assert.deepStrictEqual(yield* names, ["adds"])
  })

  test("a test that a person released is left alone for 14 days, also when it was quarantined by hand", function* () {
    yield* flakes("adds", 5)
    yield* configure({ autoQuarantine: "flaky", autoQuarantinePolicy: { days: 60 } })
    yield* evaluate
    const [row] = yield* active
    yield* (yield* Quarantines).remove(ref, row?.id ?? "", "key 1")
    yield* evaluate
    yield* TestClock.adjust(14 * Instant.day - 1)
    yield* evaluate
    assert.deepStrictEqual(yield* names, [])
    yield* TestClock.adjust(1)
    yield* evaluate
    assert.deepStrictEqual(yield* names, ["adds"])
  })

  test("concurrent evaluations stay within the budget of 24 hours, the flakiest tests first", function* () {
    yield* Effect.forEach(["a", "b", "c", "d"], (name) => flakes(name, 2))
    yield* flakes("flakiest", 4)
    yield* configure({ autoQuarantine: "flaky", autoQuarantinePolicy: { budget: 2, budgetShare: 0 } })
    yield* Effect.all([evaluate, evaluate, evaluate], { concurrency: 3 })
    assert.deepStrictEqual((yield* names).toSorted(), ["a", "flakiest"])
    yield* TestClock.adjust(Instant.day - 1)
    yield* evaluate
    assert.lengthOf(yield* names, 2)
    yield* TestClock.adjust(1)
    yield* evaluate
    assert.lengthOf(yield* names, 4)
  })

  test("a quarantine of the automation ends when the test has been recovered for 7 days, and not a moment before", function* () {
    yield* flakes("adds")
    yield* configure({ autoQuarantine: "flaky" })
    yield* evaluate
    // The last failure was 64 hours ago: the daily pass after twelve days is the first one two weeks after it.
    for (let day = 1; day < 19; day++) {
      yield* TestClock.setTime(noon + day * Instant.day)
      yield* record({ test: "adds", job: "adds", commit: `d${day}`, hoursAgo: -24 * day })
      assert.deepStrictEqual((yield* evaluate).released, [], `after ${day} days`)
    }
    const why = yield* (yield* Tests).explain(ref, TestId.of("adds"))
    const since = why.identities[0]?.since ?? 0
    assert.deepStrictEqual([why.status, since], ["healthy", noon + 12 * Instant.day])
    yield* TestClock.setTime(since + 7 * Instant.day - 1)
    assert.deepStrictEqual((yield* evaluate).released, [])
    yield* TestClock.setTime(since + 7 * Instant.day)
    assert.lengthOf((yield* evaluate).released, 1)
    assert.deepStrictEqual(yield* names, [])
    const past = yield* QuarantineStore.use((store) => store.past(ref, TestId.of("adds")))
    assert.deepInclude(past[0], { removedBy: "auto", removedAt: since + 7 * Instant.day })
    const { rows } = yield* (yield* Events).list(ref, {
      type: "quarantine.removed",
      caller: "admin",
      cursor: null,
      perPage: 10
    })
    assert.deepInclude(rows[0], { actor: "auto" })
  })

  test("a clean stress run on a commit of the default branch ends a quarantine where a setting says so, until the test fails again", function* () {
    yield* flakes("adds")
    const policy = { autoQuarantinePolicy: { stressRuns: 29 } }
    yield* configure({ autoQuarantine: "flaky", ...policy })
    yield* evaluate
    yield* TestClock.adjust("2 hours")
    const stress = (runId: string, commit: string, passed: number, failed = 0) =>
      StressStore.use((store) => {
        const [at, claim] = [noon + 2 * Instant.hour + Number(runId), { confidence: 0.95, below: 0.1 }]
        const run = { runId, testId: TestId.of("adds"), testName: "adds", commit, claim, passed, failed, at }
        return store.record(ref, [run], at)
      })
    yield* stress("1", "fixed", 30)
    assert.deepStrictEqual((yield* evaluate).released, [], "not on the default branch")
    yield* record({ test: "adds", job: "adds", commit: "fixed", hoursAgo: -1 })
    yield* stress("2", "fixed", 28)
    assert.deepStrictEqual((yield* evaluate).released, [], "too few runs")
    yield* stress("3", "fixed", 30, 1)
    assert.deepStrictEqual((yield* evaluate).released, [], "a failure")
    yield* stress("4", "fixed", 30)
    yield* configure({ autoQuarantine: "flaky" })
    assert.deepStrictEqual((yield* evaluate).released, [], "no setting")
    yield* configure({ autoQuarantine: "flaky", ...policy })
    assert.lengthOf((yield* evaluate).released, 1)
    assert.deepStrictEqual(
      [yield* evaluate, yield* names],
      [{ quarantined: [], released: [] }, []],
      "it stays released"
    )
    const events = yield* Events
    const { rows } = yield* events.list(ref, { type: "quarantine.removed", caller: "admin", cursor: null, perPage: 10 })
    assert.deepStrictEqual(rows[0]?.detail["evidence"], {
      stressRuns: 30,
      stressCommit: "fixed",
      stressedAt: Instant.toIso(noon + 2 * Instant.hour + 4)
    })
    yield* record({ test: "adds", job: "adds", commit: "next", hoursAgo: -1.5, conclusion: "failed" })
    assert.lengthOf((yield* evaluate).quarantined, 1)
  })

  test("a quarantine by hand never ends by itself", function* () {
    yield* (yield* Quarantines).create(ref, {
      testName: "adds",
      reason: "by hand",
      branch: null,
      source: "manual",
      by: "key 1"
    })
    yield* configure({ autoQuarantine: "off", autoRemoval: true })
    for (let day = 1; day < 12; day++) {
      yield* TestClock.setTime(noon + day * Instant.day)
      yield* record({ commit: `d${day}`, hoursAgo: -24 * day })
      assert.deepStrictEqual((yield* evaluate).released, [])
    }
    yield* TestClock.adjust("5 days")
    assert.deepStrictEqual((yield* evaluate).released, [])
    assert.deepStrictEqual(yield* names, ["adds"])
  })

  test("removal can be off while quarantine is on", function* () {
    yield* flakes("adds")
    yield* configure({ autoQuarantine: "flaky", autoRemoval: false })
    yield* evaluate
    for (let day = 1; day < 21; day++) {
      yield* TestClock.setTime(noon + day * Instant.day)
      yield* record({ test: "adds", job: "adds", commit: `d${day}`, hoursAgo: -24 * day })
    }
    assert.deepStrictEqual((yield* evaluate).released, [])
    yield* configure({ autoQuarantine: "off", autoRemoval: true })
    assert.lengthOf((yield* evaluate).released, 1)
  })

  test("an upload causes an evaluation of its repository", function* () {
    yield* configure({ autoQuarantine: "flaky" })
    yield* flakes("adds")
    while ((yield* names).length === 0) yield* Effect.yieldNow
    assert.deepStrictEqual(yield* names, ["adds"])
  })

  test("an evaluation of some tests does not change the others", function* () {
    yield* Effect.forEach(["a", "b"], (name) => flakes(name))
    yield* configure({ autoQuarantine: "flaky" })
    const { evaluate: look } = yield* Automation
    assert.deepStrictEqual(yield* look(ref, ["c"]), { quarantined: [], released: [] })
    yield* look(ref, ["b", "c"])
    assert.deepStrictEqual(yield* names, ["b"])
    yield* look(ref)
    assert.deepStrictEqual((yield* names).toSorted(), ["a", "b"])
  })

  test("a change of the settings evaluates all tests at once, without an upload", function* () {
    yield* Effect.forEach(["a", "b"], (name) => flakes(name))
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
    assert.deepStrictEqual(yield* names, [])
    const settings = yield* Changes
    yield* settings.change(ref, { autoQuarantine: "flaky", quarantine: { expiryDays: 30 } })
    for (let turn = 0; turn < 1000 && (yield* names).length < 2; turn++) yield* Effect.yieldNow
    assert.deepStrictEqual((yield* names).toSorted(), ["a", "b"])
    assert.deepStrictEqual(
      (yield* active).map(({ expiresAt }) => expiresAt),
      [noon + 30 * Instant.day, noon + 30 * Instant.day]
    )
  })

  test("uploads during an evaluation are evaluated after it", function* () {
    yield* Effect.forEach(["a", "b", "c"], (name) => flakes(name))
    yield* configure({ autoQuarantine: "flaky" })
    const { notice } = yield* Automation
    yield* Effect.forEach([["a"], ["b"], ["c", "a"]], (each) => notice(ref, each))
    while ((yield* names).length < 3) yield* Effect.yieldNow
    assert.deepStrictEqual((yield* names).toSorted(), ["a", "b", "c"])
  })

  test("executions are read only while there is room in the budget, whole histories only for what fits in it", function* () {
    yield* Effect.forEach(["a", "b", "c", "d"], (name) => flakes(name))
    yield* configure({ autoQuarantine: "flaky", autoQuarantinePolicy: { budget: 2, budgetShare: 0 } })
    const store = yield* ExecutionStore
    const read: Array<string> = []
    const counted = Layer.succeed(ExecutionStore, {
      ...store,
      within: (...args) => Effect.suspend(() => (read.push("within"), store.within(...args))),
      history: (...args) => Effect.suspend(() => (read.push("history"), store.history(...args)))
    })
    const ports = Layer.mergeAll(
      counted,
      Layer.effect(RepositoryStore, RepositoryStore),
      Layer.effect(QuarantineStore, QuarantineStore),
      Layer.effect(TestStore, TestStore)
    )
    const look = Effect.flatMap(Automation, (automation) => automation.evaluate(ref)).pipe(
      Effect.provide(Layer.fresh(Automation.layer).pipe(Layer.provide(ports)))
    )
    assert.lengthOf((yield* look).quarantined, 2)
    assert.deepStrictEqual(read, ["within", "history", "history"])
    yield* look
    assert.lengthOf(read, 3)
  })

  it.effect("an upload is recorded when the automation dies", () => {
    const failing = Layer.succeed(Automation, {
      evaluate: () => Effect.die("the automation is broken"),
      evaluateAll: Effect.void,
      notice: () => Effect.die("the automation is broken")
    })
    return Effect.gen(function* () {
      const receipt = yield* (yield* Ingestion).record(ref, given({ commit: "a", hoursAgo: 1 }))
      assert.strictEqual(receipt.recorded, 1)
    }).pipe(Effect.provide(Layer.fresh(Ingestion.layer).pipe(Layer.provide(failing), Layer.provide(memory))))
  })

  test("every hour all repositories are evaluated", function* () {
    yield* flakes("adds")
    yield* configure({ autoQuarantine: "flaky" })
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* names, [])
      yield* TestClock.adjust("1 hour")
      while ((yield* names).length === 0) yield* Effect.yieldNow
    }).pipe(Effect.provide(Automation.layerRounds))
  })
})

describe("AutoQuarantine.numbersOf", () => {
  it("skipped executions and outages say nothing", () => {
    const run = (commit: string, conclusion: "passed" | "failed" | "skipped", excused = false) => ({
      id: commit,
      at: 0,
      commit,
      conclusion,
      flaky: false,
      reruns: 0,
      excused
    })
    assert.deepStrictEqual(
      AutoQuarantine.numbersOf([
        [run("a", "failed", true), run("a", "passed"), run("b", "skipped")],
        [run("a", "failed")]
      ]),
      { executions: 2, commits: 1, flakyCommits: 0, failedCommits: 1, failedMs: 0 }
    )
  })
})
