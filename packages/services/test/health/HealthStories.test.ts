/** Stories of a suite on the default branch: the verdicts after each run, as a user reads them. */
import { Ingestion, Tests, type Upload } from "@lazaret/services"
import { Instant, Page, type Report, TestId } from "@lazaret/domain"
import { EventStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"
import { given, memory, noon, ref } from "../builders.ts"

const size = 100

const range = (from: number, until: number): ReadonlyArray<number> =>
  Array.from({ length: until - from }, (_, index) => from + index)

/**
 * A job run of the suite: its commit, and the tests that fail in it, with an error of a service or their `own`. Runs are two hours apart
 * unless it says otherwise.
 */
interface Run {
  readonly commit: string
  readonly failed?: ReadonlyArray<number>
  readonly own?: boolean
  readonly tests?: ReadonlyArray<number>
  readonly hours?: number
  readonly context?: Partial<Report.RunContext>
}

const uploadOf = (run: Run, index: number, at: number): Upload => {
  const one = given({ commit: run.commit, hoursAgo: (noon - at) / Instant.hour })
  const failed = new Set(run.failed ?? [])
  const [passes] = one.cases
  const [fails] = given({
    commit: run.commit,
    hoursAgo: 0,
    conclusion: "failed",
    exception: run.own === true ? "AssertionError" : "ServiceError"
  }).cases
  assert(passes !== undefined && fails !== undefined)
  return {
    ...one,
    digest: `run ${index}`,
    run: { ...one.run, runId: `run ${index}`, ...run.context },
    cases: (run.tests ?? range(0, size)).map((test) => ({
      ...(failed.has(test) ? fails : passes),
      testName: `test ${test}`
    }))
  }
}

/** Records runs one after another, and yields the verdict on a test after each of them. */
const verdictsOf = (test: number, runs: ReadonlyArray<Run>) =>
  Effect.gen(function* () {
    const found: Array<string> = []
    const ingestion = yield* Ingestion
    let at = noon - 40 * Instant.day
    for (const [index, run] of runs.entries()) {
      at += (run.hours ?? 2) * Instant.hour
      yield* TestClock.setTime(at)
      yield* ingestion.record(ref, uploadOf(run, index, at))
      const { status } = yield* (yield* Tests).explain(ref, TestId.of(`test ${test}`))
      found.push(status ?? "none")
    }
    return found
  })

const verdicts = (test: number, runs: ReadonlyArray<Run>) => Effect.provide(verdictsOf(test, runs), memory)

const good = (...commits: ReadonlyArray<string>): ReadonlyArray<Run> => commits.map((commit) => ({ commit }))
const bad = (failed: ReadonlyArray<number>, ...commits: ReadonlyArray<string>): ReadonlyArray<Run> =>
  commits.map((commit) => ({ commit, failed }))

const thirty = range(0, 30)

const holds = (
  story: string,
  runs: ReadonlyArray<Run>,
  expected: ReadonlyArray<"healthy" | "flaky" | "broken">,
  test = 0
) =>
  it.effect(story, () =>
    Effect.map(verdicts(test, runs), (found) => assert.deepStrictEqual(found.slice(-expected.length), [...expected]))
  )

describe("the verdict after each commit", () => {
  holds(
    "a new test that always fails is broken from its first run on",
    [...bad([0], "a", "b", "c", "d", "e", "f")],
    ["broken", "broken", "broken", "broken", "broken", "broken"]
  )

  holds(
    "a test that is broken by one commit and mended by the next, without a rerun, looks like a flake and is called one",
    [...good("a"), ...bad([0], "b"), ...good("c", "d")],
    ["healthy", "broken", "flaky", "flaky"]
  )

  holds(
    "a test that is broken by one commit, fails again in its rerun and is mended by the next is broken until it has passed",
    [...good("a"), ...bad([0], "b", "b"), ...good("c", "d", "e")],
    ["healthy", "broken", "broken", "broken", "broken", "healthy"]
  )

  holds(
    "a test that passes when its commit runs again is flaky at once",
    [...good("a"), ...bad([0], "b"), ...good("b", "c")],
    ["healthy", "broken", "flaky", "flaky"]
  )

  holds(
    "a test that is broken on two commits is broken until it has passed three times on two commits",
    [...good("a"), ...bad([0], "b", "c"), ...good("d", "e", "f")],
    ["healthy", "broken", "broken", "broken", "broken", "healthy"]
  )

  holds(
    "a mass break of 30 % that is mended at the second commit moves nothing",
    [...good("a"), ...bad(thirty, "b"), ...good("c", "d")],
    ["healthy", "healthy", "healthy", "healthy"]
  )

  holds(
    "a mass break of 30 % whose failures are assertions is broken from its first commit on",
    [...good("a"), ...bad(thirty, "b", "c").map((run) => ({ ...run, own: true })), ...good("d", "e", "f")],
    ["healthy", "broken", "broken", "broken", "broken", "healthy"]
  )

  holds(
    "a mass break of 30 % that is mended at the third commit moves nothing",
    [...good("a"), ...bad(thirty, "b", "c"), ...good("d", "e")],
    ["healthy", "healthy", "healthy", "healthy", "healthy"]
  )

  holds(
    "a mass break of 30 % that is mended at the fourth commit is broken at the third, and healthy after three passes",
    [...good("a"), ...bad(thirty, "b", "c", "d"), ...good("e", "f", "g")],
    ["healthy", "healthy", "healthy", "broken", "broken", "broken", "healthy"]
  )

  holds(
    "a mass break of 30 % that is never mended is broken from its third commit on",
    [...good("a"), ...bad(thirty, "b", "c", "d", "e", "f", "g", "h")],
    ["healthy", "healthy", "healthy", "broken", "broken", "broken", "broken", "broken"]
  )

  holds(
    "a test next to a mass break stays healthy",
    [...good("a"), ...bad(thirty, "b", "c", "d", "e")],
    ["healthy", "healthy", "healthy", "healthy", "healthy"],
    99
  )

  holds(
    "two mass breaks within 14 days are two breaks, and make no test flaky",
    [
      ...good("a"),
      ...bad(thirty, "b", "c", "d"),
      ...good("e", "f", "g"),
      { commit: "h", hours: 7 * 24 },
      ...bad(thirty, "i", "j", "k"),
      ...good("l", "m", "n")
    ],
    ["healthy", "healthy", "healthy", "broken", "broken", "broken", "healthy"]
  )

  const often = Array.from({ length: 20 }, (_, index): Run => ({
    commit: `often ${index}`,
    failed: index % 10 === 9 ? [] : [0]
  }))

  holds(
    "a test that fails in nine of ten runs and then breaks for good is broken after 20 commits without a pass",
    [...good("a"), ...bad([0], "a"), ...often, ...bad([0], ...range(0, 20).map((index) => `gone ${index}`))],
    [...range(0, 19).map(() => "flaky" as const), "broken"]
  )

  holds(
    "a test that fails seldom and then breaks for good is broken after five commits",
    [
      ...good("a"),
      ...bad([0], "a"),
      ...good(...range(0, 15).map((index) => `good ${index}`)),
      ...bad([0], "v", "w", "x", "y", "z")
    ],
    ["flaky", "flaky", "flaky", "flaky", "flaky", "broken"]
  )
})

describe("runs of other branches", () => {
  const pull = { branch: "topic", baseBranch: "main" }

  holds(
    "a pull request whose run fails, and passes when it runs again after main was mended, makes no test flaky",
    [
      ...good("a"),
      ...bad([0], "b", "b"),
      { commit: "p", failed: [0], context: { ...pull, runId: "first" } },
      ...good("c", "d", "e"),
      { commit: "p", context: { ...pull, runId: "second" } }
    ],
    ["healthy", "broken", "broken", "broken", "broken", "broken", "healthy", "healthy"]
  )

  const attempts = (pullRequest: number): ReadonlyArray<Run> =>
    [1, 2].map((runAttempt) => ({
      commit: `head ${pullRequest}`,
      failed: runAttempt === 1 ? [0] : [],
      context: { branch: `topic ${pullRequest}`, baseBranch: "main", runId: `pull ${pullRequest}`, runAttempt }
    }))

  holds(
    "six pull requests, each red and then green when its run is repeated, make a test flaky at the second, while main is green",
    [...good("a"), ...range(1, 7).flatMap((number) => [...attempts(number), ...good(`after ${number}`)])],
    [
      "healthy",
      ...(["healthy", "healthy", "healthy"] as const),
      ...(["healthy", "flaky", "flaky"] as const),
      ...range(0, 12).map(() => "flaky" as const)
    ]
  )

  it.effect("a test that pull requests made flaky is explained by their branches, and the log has the move", () =>
    Effect.gen(function* () {
      yield* verdictsOf(0, [...good("a"), ...attempts(1), ...attempts(2)])
      const { identities } = yield* (yield* Tests).explain(ref, TestId.of("test 0"))
      assert.deepStrictEqual(
        identities.map(({ notes, rule }) => [rule, notes]),
        [
          [
            "other_branch",
            [
              "Failed and passed in run pull 1 of branch topic 1, on commit head 1.",
              "Failed and passed in run pull 2 of branch topic 2, on commit head 2."
            ]
          ]
        ]
      )
      const { rows } = yield* (yield* EventStore).page(ref, { types: null, from: Page.start, limit: 10 })
      assert.deepStrictEqual(
        rows.map(({ detail, testName, type }) => [type, testName, detail["rule"], detail["commit"]]),
        [["test.health_changed", "test 0", "other_branch", "head 2"]]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("a test that failed once says so, until it has run again", () =>
    Effect.gen(function* () {
      const notesAfter = (...runs: ReadonlyArray<Run>) =>
        Effect.gen(function* () {
          yield* verdictsOf(0, runs)
          const { identities } = yield* (yield* Tests).explain(ref, TestId.of("test 0"))
          return identities.map(({ notes, status }) => [status, notes])
        }).pipe(Effect.provide(memory))
      assert.deepStrictEqual(yield* notesAfter(...good("a"), ...bad([0], "b")), [
        ["broken", ["Failed once, not run again yet."]]
      ])
      assert.deepStrictEqual(yield* notesAfter(...good("a"), ...bad([0], "b", "c")), [["broken", []]])
    })
  )

  it.effect("an outage is named with its size in the explanation of a test that it hid", () =>
    Effect.gen(function* () {
      yield* verdictsOf(0, [...good("a"), ...bad(thirty, "b"), ...good("c")])
      const { identities } = yield* (yield* Tests).explain(ref, TestId.of("test 0"))
      assert.deepStrictEqual(
        identities.map(({ notes, status }) => [status, notes]),
        [
          [
            "healthy",
            [
              "1 failure was part of an outage, not counted. CI / unit, run run 1: 30 of 100 tests failed that passed before."
            ]
          ]
        ]
      )
    }).pipe(Effect.provide(memory))
  )

  holds(
    "a fork whose run is red and then green makes no test flaky, also after a failure on main",
    [
      ...good("a"),
      ...bad([0], "b", "b"),
      ...good("c", "d", "e"),
      ...attempts(1).map((run) => ({ ...run, context: { ...run.context, branch: "ada:topic" } }))
    ],
    ["healthy", "healthy", "healthy"]
  )

  holds(
    "runs of a fork move nothing, whatever its branch is called",
    [
      ...good("a"),
      { commit: "f", failed: [0], context: { branch: "main", baseBranch: "main" } },
      { commit: "f", context: { branch: "main", baseBranch: "main" } }
    ],
    ["healthy", "healthy", "healthy"]
  )
})
