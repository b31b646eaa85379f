/** Stories of ordinary repositories: the answer to a developer about a failure, after every step. */
import { assert, describe, it } from "@effect/vitest"
import { RepositoryStore } from "@lazaret/store"
import { Effect, Layer } from "effect"
import { memory, ref } from "../builders.ts"
import * as Story from "./story.ts"
import { run } from "./story.ts"

const [stable = "", other = ""] = Story.suite

/** One story over a new memory. */
const story = <E>(title: string, program: Effect.Effect<void, E, Layer.Success<typeof memory>>) =>
  it.effect(title, () => Effect.andThen(Story.begin, program).pipe(Effect.provide(Layer.fresh(memory))))

const kinds = (answers: ReadonlyArray<Story.Answer>) => [...new Set(answers.map(({ verdict }) => verdict))]

const only = (answers: ReadonlyArray<Story.Answer>): Story.Answer => {
  const [answer, ...rest] = answers
  assert(answer !== undefined && rest.length === 0, `${answers.length} failures instead of one`)
  return answer
}

const wrong = "expected 'total' to equal 'sum'"
const late = "no answer of the cart after 5000 ms"
const matrix = ["linux", "macos", "windows"]

/** The message of `stable` in five of the thirty runs of main. */
const flakes = (index: number) => (index % 6 === 3 ? { [stable]: late } : undefined)

describe("the story of a failure, with one job and 30 green runs of main", () => {
  story(
    "a pull request that breaks one test learns that it is new, and why",
    Effect.gen(function* () {
      yield* Story.green()
      const answer = only(yield* run({ commit: "p1", branch: "topic", fails: { [stable]: wrong } }))
      assert.strictEqual(answer.verdict, "new_failure")
      assert.isBelow(answer.probabilityFlaky, 0.2)
      assert.isTrue(answer.isBlocking)
      assert.include(answer.reason, "30 runs")
    })
  )

  story(
    "a test that flaked five times is flaky when it says the same again, and less surely so when something new fails twice",
    Effect.gen(function* () {
      yield* Story.green({}, flakes)
      assert.strictEqual(
        only(yield* run({ commit: "p1", branch: "topic", fails: { [stable]: late } })).verdict,
        "flaky"
      )
      const broken = { commit: "p2", branch: "other", fails: { [stable]: wrong } }
      const first = only(yield* run(broken))
      const second = only(yield* run({ ...broken, attempt: 2 }))
      assert.isBelow(second.probabilityFlaky, first.probabilityFlaky)
    })
  )

  story(
    "a break on main is not excused, then broken on the base, also for a pull request, until its fix",
    Effect.gen(function* () {
      yield* Story.green()
      const fails = { [stable]: wrong }
      const first = only(yield* run({ commit: "bad", fails }))
      assert.include(["new_failure", "undecided"], first.verdict)
      assert.strictEqual(only(yield* run({ commit: "after", fails })).verdict, "broken_on_base")
      assert.strictEqual(only(yield* run({ commit: "p1", branch: "topic", fails })).verdict, "broken_on_base")
      assert.deepStrictEqual(yield* run({ commit: "fix" }), [])
    })
  )

  story(
    "a test that flakes is flaky also when the last run of main had flaked, too",
    Effect.gen(function* () {
      yield* Story.green({}, flakes)
      yield* run({ commit: "main-30", fails: { [stable]: late } })
      assert.strictEqual(
        only(yield* run({ commit: "p1", branch: "topic", fails: { [stable]: late } })).verdict,
        "flaky"
      )
    })
  )

  story(
    "nobody is blamed for an outage on one pull request, and after the second one both learn so",
    Effect.gen(function* () {
      yield* Story.green()
      const fails = Object.fromEntries(
        Story.suite.slice(10).map((name) => [name, "connect ECONNREFUSED 10.0.0.7:5432"])
      )
      const first = kinds(yield* run({ commit: "p1", branch: "topic", fails }))
      assert.isTrue(
        first.every((kind) => kind === "outage" || kind === "undecided"),
        first.join()
      )
      const second = yield* run({ commit: "p2", branch: "other", fails, hours: 0.5 })
      assert.deepStrictEqual(kinds(second), ["outage"])
      assert.deepStrictEqual(kinds(yield* Story.verdictsOn("p1")), ["outage"])
      yield* run({ commit: "p1", branch: "topic", attempt: 2 })
      const rerun = yield* Story.verdictsOn("p1")
      assert.deepStrictEqual(kinds(rerun), ["outage"])
      assert.include(rerun[0]?.line, "passed")
    })
  )

  story(
    "a renamed test that fails is a new test, and once main has run it a failure of it is new",
    Effect.gen(function* () {
      yield* Story.green()
      const name = "cart.test.ts › sums"
      const tests = [...Story.suite.slice(1), name]
      const first = only(yield* run({ commit: "p1", branch: "topic", tests, fails: { [name]: wrong } }))
      assert.strictEqual(first.verdict, "new_test")
      assert.deepStrictEqual(yield* run({ commit: "p2", branch: "topic", tests }), [])
      for (let index = 0; index < 5; index++) yield* run({ commit: `merged-${index}`, tests })
      const later = only(yield* run({ commit: "p3", branch: "other", tests, fails: { [name]: wrong } }))
      assert.strictEqual(later.verdict, "new_failure")
    })
  )

  story(
    "a file that does not load is one failure, and new",
    Effect.gen(function* () {
      yield* Story.green()
      const tests = Story.suite.filter((name) => !name.startsWith("session"))
      const fails = { "session.test.ts": "Cannot find module './session'" }
      const answer = only(yield* run({ commit: "p1", branch: "topic", tests, fails }))
      assert.include(["new_failure", "new_test"], answer.verdict)
    })
  )

  story(
    "what a fork breaks is new for the fork, and says nothing about another pull request",
    Effect.gen(function* () {
      yield* Story.green()
      const fails = { [stable]: wrong }
      yield* (yield* RepositoryStore).recordHeads(ref, [{ number: 7, commit: "f1", owner: "ada", isFork: true }])
      assert.strictEqual(only(yield* run({ commit: "f1", branch: "ada:topic", fails })).verdict, "new_failure")
      const before = only(yield* run({ commit: "p1", branch: "topic", fails: { [other]: wrong } }))
      yield* run({ commit: "f2", branch: "ada:topic", fails: { [other]: wrong } })
      assert.deepStrictEqual(only(yield* Story.verdictsOn("p1")), before)
    })
  )

  story(
    "a second attempt that fails again makes a failure less flaky, one that passes proves that the change is not the cause",
    Effect.gen(function* () {
      yield* Story.green()
      const broken = { commit: "p1", branch: "topic", fails: { [stable]: late } }
      const first = only(yield* run(broken))
      const again = only(yield* run({ ...broken, attempt: 2 }))
      assert.isBelow(again.probabilityFlaky, first.probabilityFlaky)
      assert.strictEqual(again.verdict, "new_failure")
      yield* run({ commit: "p2", branch: "other", fails: { [other]: late } })
      const proven = only(yield* run({ commit: "p2", branch: "other", attempt: 2 }))
      assert.strictEqual(proven.verdict, "flaky")
      assert.isAbove(proven.probabilityFlaky, 0.9)
    })
  )
})

describe("the story of a failure in a matrix of three jobs", () => {
  story(
    "a flaky test that fails in one of three jobs is flaky, a stable one is new at the latest when it fails there again",
    Effect.gen(function* () {
      yield* Story.green({ jobs: matrix }, flakes)
      const one = { jobs: matrix, failsIn: ["windows"] }
      assert.strictEqual(
        only(yield* run({ ...one, commit: "p1", branch: "topic", fails: { [stable]: late } })).verdict,
        "flaky"
      )
      const broken = { ...one, commit: "p2", branch: "other", fails: { [other]: wrong } }
      const first = only(yield* run(broken))
      assert.include(["undecided", "new_failure"], first.verdict)
      const again = only(yield* run({ ...broken, attempt: 2 }))
      assert.strictEqual(again.verdict, "new_failure")
      assert.isBelow(again.probabilityFlaky, first.probabilityFlaky)
    })
  )

  story(
    "a test that breaks in all three jobs is new in each of them",
    Effect.gen(function* () {
      yield* Story.green({ jobs: matrix })
      const answers = yield* run({ jobs: matrix, commit: "p1", branch: "topic", fails: { [stable]: wrong } })
      assert.strictEqual(answers.length, 3)
      assert.deepStrictEqual(kinds(answers), ["new_failure"])
    })
  )
})

describe("the story of a failure in a job that is always red", () => {
  story(
    "what always fails there is broken on the base, and another test that a pull request breaks is new",
    Effect.gen(function* () {
      const red = { [stable]: wrong }
      for (let index = 0; index < 30; index++) yield* run({ commit: `main-${index}`, fails: red })
      const answers = yield* run({ commit: "p1", branch: "topic", fails: { ...red, [other]: "expected 1 to equal 2" } })
      const verdicts = Object.fromEntries(answers.map(({ testName, verdict }) => [testName, verdict]))
      assert.deepStrictEqual(verdicts, { [stable]: "broken_on_base", [other]: "new_failure" })
    })
  )
})
