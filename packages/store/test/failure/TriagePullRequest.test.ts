import { FailureGate, FailurePolicy, FailureVerdict, Instant, Report } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ExecutionStore, MemoryStores, type Stores, TriageStore } from "../../src/index.ts"

const ref = { owner: "acme", repository: "shop" }
const jobs = ["unit-20", "unit-22", "unit-24"]
const tests = Array.from({ length: 8 }, (_, index) => `test ${index}`)
const start = Date.UTC(2026, 0, 1)

/** The failure of a test in a job: its message, or null for a pass. */
type Fails = (test: string, job: string) => string | null

const passes: Fails = () => null

interface Named {
  readonly commit: string
  readonly branch: string
  readonly baseBranch: string | null
  readonly at: number
  readonly runAttempt?: number
}

const upload = (name: Named, fails: Fails, names: ReadonlyArray<string> = tests) =>
  ExecutionStore.use((store) =>
    Effect.forEach(jobs, (jobName) => {
      const { at, ...run } = name
      const key = `${JSON.stringify(name)} ${jobName}`
      const context = Report.contextOf({ pipelineName: "CI", jobName, runId: `run of ${name.commit}`, ...run })
      const cases = names.map((testName) => {
        const message = fails(testName, jobName)
        return message === null
          ? Report.caseOf({ testName, conclusion: "passed" })
          : Report.caseOf({ testName, conclusion: "failed", exception: { type: null, message, stacktrace: null } })
      })
      const report = Report.make({ key, digest: key, receivedAt: at, finishedAt: at, run: context, cases })
      return store.append(ref, report)
    })
  )

/** A main branch of 30 commits, each run twice; test 0 is a flake in one job at a time, all others pass. */
const mainBranch = (seed: number) => {
  let state = seed
  return Effect.forEach(Array.from({ length: 60 }), (_, run) => {
    state = (state * 7919 + 1) % 9973
    const flake = state % 5 === 0 && run < 58 ? jobs[state % 3] : undefined
    const at = start + run * Instant.hour
    const name = { commit: `m${Math.floor(run / 2)}`, branch: "main", baseBranch: null, at, runAttempt: 1 + (run % 2) }
    return upload(name, (test, job) => (test === "test 0" && job === flake ? "timeout" : null))
  })
}

const after = start + 61 * Instant.hour

const pull = (number: number, at = after): Named => ({
  commit: `p${number}`,
  branch: `topic-${number}`,
  baseBranch: "main",
  at
})

const verdictsOn = ({ commit }: Named) =>
  Effect.map(
    TriageStore.use((store) => store.failures(ref, { _tag: "Commit", commit, heads: [] }, FailurePolicy.defaults)),
    (found) => FailureVerdict.judgeAll(Option.getOrThrow(found).failures, FailurePolicy.defaults, FailureGate.defaults)
  )

const kindsOn = (name: Named) =>
  Effect.map(verdictsOn(name), (list) => [...new Set(list.map(({ verdict }) => verdict))])

/** One story, each time on the main branch of another seed. */
const story = (title: string, program: Effect.Effect<void, unknown, Stores.Stores>) =>
  it.effect(title, () =>
    Effect.forEach([1, 42, 4711], (seed) =>
      Effect.provide(Effect.andThen(mainBranch(seed), program), Layer.fresh(MemoryStores.layer))
    )
  )

describe("verdicts on pull requests of a generated repository", () => {
  story(
    "tests that the change breaks in every job are new failures, or undecided where many have one message",
    Effect.gen(function* () {
      const fails = (count: number, message: (test: string) => string) =>
        Effect.gen(function* () {
          const broken = new Set(tests.slice(-count))
          const name = pull(count, after + count * Instant.day)
          yield* upload(name, (test) => (broken.has(test) ? message(test) : null))
          assert.strictEqual((yield* verdictsOn(name)).length, 3 * count)
          return yield* kindsOn(name)
        })
      assert.deepStrictEqual(yield* fails(1, () => "wrong x"), ["new_failure"])
      assert.deepStrictEqual(yield* fails(3, () => "wrong xxx"), ["new_failure"])
      assert.deepStrictEqual(yield* fails(7, (test) => `wrong in ${"x".repeat(1 + tests.indexOf(test))}`), [
        "new_failure"
      ])
      // Eight with one message may be an outage as well: some are undecided, and none is excused (decision 103).
      assert.includeMembers(["new_failure", "undecided"], yield* fails(8, () => "wrong xxxxxxxx"))
    })
  )

  story(
    "a test that fails in one job of three is a flake, and surer after a pass in the same run",
    Effect.gen(function* () {
      yield* upload(pull(1), (test, job) => (test === "test 0" && job === "unit-22" ? "timeout" : null))
      const [before] = yield* verdictsOn(pull(1))
      assert.strictEqual(before?.verdict, "flaky")
      yield* upload({ ...pull(1, after + 1), runAttempt: 2 }, passes)
      const [proven] = yield* verdictsOn(pull(1))
      assert.strictEqual(proven?.verdict, "flaky")
      assert.isAbove(proven?.probabilityFlaky ?? 0, before?.probabilityFlaky ?? 1)
    })
  )

  story(
    "what main already fails is broken on base, until main is mended",
    Effect.gen(function* () {
      const fails: Fails = (test) => (test === "test 5" ? "wrong" : null)
      yield* upload({ commit: "m30", branch: "main", baseBranch: null, at: after }, fails)
      yield* upload(pull(1, after + 2), fails)
      assert.deepStrictEqual(yield* kindsOn(pull(1)), ["broken_on_base"])
      yield* upload({ commit: "m31", branch: "main", baseBranch: null, at: after + 3 }, passes)
      yield* upload(pull(2, after + Instant.day), fails)
      assert.deepStrictEqual(yield* kindsOn(pull(2)), ["new_failure"])
    })
  )

  story(
    "a test that is not on main is new",
    Effect.gen(function* () {
      yield* upload(pull(1), (test) => (test === "added" ? "wrong" : null), [...tests, "added"])
      assert.deepStrictEqual(yield* kindsOn(pull(1)), ["new_test"])
    })
  )

  story(
    "tests that fail on two unrelated pull requests at once are an outage, on one alone they are not",
    Effect.gen(function* () {
      const fails: Fails = (test) => (["test 1", "test 2", "test 3"].includes(test) ? "refused" : null)
      const [first, second] = [pull(1), pull(2, after + Instant.minute)]
      yield* upload(first, fails)
      assert.deepStrictEqual(yield* kindsOn(first), ["new_failure"])
      yield* upload(second, fails)
      assert.deepStrictEqual(yield* kindsOn(second), ["outage"])
      assert.deepStrictEqual(yield* kindsOn(first), ["outage"])
    })
  )

  story(
    "what a fork uploads changes no verdict on another branch",
    Effect.gen(function* () {
      const fails: Fails = (test) => (test === "test 4" ? "wrong" : null)
      yield* upload(pull(2, after + 1), fails)
      const before = yield* verdictsOn(pull(2))
      yield* upload({ ...pull(1), branch: "mallory:topic" }, fails)
      assert.deepStrictEqual(yield* verdictsOn(pull(2)), before)
    })
  )
})
