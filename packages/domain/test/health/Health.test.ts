import { Execution, Health, HealthPolicy, Instant } from "@lazaret/domain"
import { histories, items } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const policy = HealthPolicy.defaults

interface Step {
  readonly commit: string
  readonly conclusion?: Execution.Conclusion
  readonly flaky?: boolean
  readonly excused?: boolean
  readonly outage?: boolean
  readonly many?: boolean
  readonly day?: number
}

const run = (step: Step, index: number): Execution.Observation => ({
  id: `e${String(index).padStart(4, "0")}`,
  at: (step.day ?? 0) * Instant.day + index,
  commit: step.commit,
  conclusion: step.conclusion ?? "passed",
  flaky: step.flaky ?? false,
  reruns: step.flaky === true ? 1 : 0,
  excused: step.excused ?? false,
  outage: step.outage ?? step.excused ?? false,
  many: step.many ?? false
})

const after = (...steps: ReadonlyArray<Step>): Health.State => Health.fold(Health.initial, steps.map(run), policy)

const pass = (commit: string, day = 0): Step => ({ commit, day })
const fail = (commit: string, day = 0): Step => ({ commit, conclusion: "failed", day })

describe("Health, healthy", () => {
  it("Health starts healthy at the first execution", () => {
    const state = after(pass("a"))
    assert.deepStrictEqual([state.status, state.rule, state.trigger?.id], ["healthy", "start", "e0000"])
  })

  it("nothing is counted before the first execution", () => {
    const counts = Object.values(Health.initial).filter((value) => typeof value === "number")
    assert.isAbove(counts.length, 5)
    assert.deepStrictEqual([...new Set(counts)], [0])
  })

  it("a commit is known as passed by a pass on it alone", () => {
    const state = after(pass("a"), fail("b"), pass("c"))
    assert.deepStrictEqual(
      state.commits.map((commit, index) => [commit, Health.passed(state, index)]),
      [
        ["a", true],
        ["b", false],
        ["c", true]
      ]
    )
    assert.isFalse(Health.passed(state, 3))
  })

  it("a failure without evidence of flakiness breaks it", () => {
    const state = after(pass("a"), fail("b"))
    assert.deepStrictEqual([state.status, state.rule], ["broken", "failure"])
  })

  it("a failure on a commit that has passed makes it flaky", () => {
    const state = after(pass("a"), fail("a"))
    assert.deepStrictEqual([state.status, state.rule], ["flaky", "contradiction"])
  })

  it("failing and passing inside one job makes it flaky", () => {
    const state = after(pass("a"), { commit: "b", flaky: true })
    assert.deepStrictEqual([state.status, state.rule], ["flaky", "in_job_rerun"])
  })

  it("a second failure episode within 14 days makes it flaky", () => {
    const recovered = [fail("a"), pass("b"), pass("c"), pass("d")]
    assert.strictEqual(after(...recovered).status, "healthy")
    const state = after(...recovered, fail("e", 13))
    assert.deepStrictEqual([state.status, state.rule], ["flaky", "repeated_episode"])
    assert.strictEqual(after(...recovered, fail("e", 15)).status, "broken")
  })

  it("skipped executions and excused failures never matter", () => {
    const state = after(pass("a"), { commit: "a", conclusion: "skipped" }, { ...fail("a"), excused: true })
    assert.deepStrictEqual([state.status, state.commits], ["healthy", ["a"]])
  })

  it("a commit is forgotten after 16 others", () => {
    const others = (count: number) => Array.from({ length: count }, (_, index) => pass(`other ${index}`))
    assert.strictEqual(after(pass("a"), ...others(15), fail("a")).status, "flaky")
    assert.strictEqual(after(pass("a"), ...others(16), fail("a")).status, "broken")
  })
})

describe("Health, broken", () => {
  it("3 passes in a row on 2 commits heal it", () => {
    const state = after(fail("a"), pass("b"), pass("b"), pass("c"))
    assert.deepStrictEqual([state.status, state.rule], ["healthy", "passes_in_a_row"])
  })

  it("3 passes on one commit do not", () => {
    assert.strictEqual(after(fail("a"), pass("b"), pass("b"), pass("b")).status, "broken")
  })

  it("a pass on the failed commit makes it flaky", () => {
    assert.strictEqual(after(fail("a"), pass("a")).status, "flaky")
  })

  it("a failure between the passes starts the count again, as evidence of flakiness", () => {
    assert.strictEqual(after(fail("a"), pass("b"), pass("c"), fail("d")).rule, "repeated_episode")
  })
})

describe("Health, flaky", () => {
  const flaky = [fail("a"), pass("a")]
  const passes = (count: number, day: number) => Array.from({ length: count }, (_, index) => pass(`p${index}`, day))

  it("more commits failed in a row than its failure rate explains break it", () => {
    const failures = (count: number) => Array.from({ length: count }, (_, index) => fail(`f${index}`))
    const mostlyPassing = [...flaky, ...passes(9, 0)]
    assert.strictEqual(after(...mostlyPassing, ...failures(4), fail("f3")).status, "flaky")
    const state = after(...mostlyPassing, ...failures(5))
    assert.deepStrictEqual([state.status, state.rule], ["broken", "persistent_failure"])
    // One of two executions failed: the estimate is 43 %, and 0.43 to the power of 7 is the first below 0.5 %.
    assert.strictEqual(after(...flaky, ...failures(6)).status, "flaky")
    assert.strictEqual(after(...flaky, ...failures(7)).status, "broken")
  })

  it("20 commits failed in a row break it, however often it fails", () => {
    const often = Array.from({ length: 10 }, (_, index) => [fail(`${index}`), fail(`${index}`), fail(`${index}`)])
    const history = [...often.flat(), pass("9")]
    const failures = (count: number) => Array.from({ length: count }, (_, index) => fail(`f${index}`))
    assert.strictEqual(after(...history, ...failures(19)).status, "flaky")
    assert.strictEqual(after(...history, ...failures(20)).status, "broken")
  })

  it("clean passes that its failure rate does not explain heal it, 7 days after the last failure at the earliest", () => {
    const often = [fail("1"), pass("1"), fail("2"), pass("2"), ...flaky]
    const [few, enough] = [20, 60].map((count) => after(...often, ...passes(count, 8)))
    assert.deepStrictEqual([few?.status, enough?.rule], ["flaky", "clean_passes"])
    assert.strictEqual(after(...flaky, ...passes(200, 6)).status, "flaky")
  })

  it("10 clean passes heal it after 14 days, however seldom it fails", () => {
    assert.strictEqual(after(...flaky, ...passes(8, 13), pass("x", 14)).rule, "clean_passes")
    assert.strictEqual(after(...flaky, ...passes(7, 13), pass("x", 14)).status, "flaky")
  })

  it("an in-job failure starts the clean passes again", () => {
    const again: Step = { commit: "x", flaky: true, day: 8 }
    assert.strictEqual(after(...flaky, ...passes(8, 8), again, ...passes(9, 30)).status, "flaky")
    assert.strictEqual(after(...flaky, ...passes(8, 8), again, ...passes(10, 30)).status, "healthy")
  })

  it("after one single failure 10 clean passes within 7 days heal it", () => {
    const single = [pass("a"), fail("b"), pass("c")]
    assert.strictEqual(after(...single).rule, "single_failure")
    assert.strictEqual(after(...single, ...passes(8, 6), pass("x", 7)).rule, "clean_passes")
    assert.strictEqual(after(...single, fail("d"), ...passes(10, 8)).status, "flaky")
  })
})

describe("Health, single failures", () => {
  const isFlaky = (...steps: ReadonlyArray<Step>) => after(...steps).status === "flaky"

  it("a failure on one commit alone is evidence as soon as the next commit passes", () => {
    assert.isTrue(isFlaky(pass("a"), fail("b"), pass("c")))
    assert.isTrue(isFlaky(pass("a"), { commit: "b", conclusion: "skipped" }, fail("b"), pass("c")))
  })

  it("two executions of the commit, many failed tests, or a commit before that did not pass make it no evidence", () => {
    assert.isFalse(isFlaky(pass("a"), fail("b"), fail("b"), pass("c")))
    assert.isFalse(isFlaky(pass("a"), { ...fail("b"), many: true }, pass("c")))
    assert.isFalse(isFlaky(pass("a"), { ...fail("b"), outage: true }, pass("c")))
    assert.isFalse(isFlaky(pass("a"), { ...fail("0"), excused: true }, fail("b"), pass("c")))
    assert.isFalse(isFlaky(fail("b"), pass("c")))
  })
})

describe("Health, outages", () => {
  const counted: Step = { commit: "d", conclusion: "failed", outage: true }
  const excused = (commit: string): Step => ({ commit, conclusion: "failed", excused: true })

  it("a failure in an outage that counts breaks a test and contradicts nothing", () => {
    assert.strictEqual(after(pass("a"), pass("d"), counted).rule, "failure")
    assert.strictEqual(after(pass("a"), counted, pass("d")).status, "broken")
    assert.strictEqual(after(pass("a"), counted, pass("d"), pass("e"), pass("f"), fail("g")).rule, "failure")
  })

  it("the first excused failure of a row opens its episode", () => {
    const state = after(pass("a"), excused("b"), excused("c"), counted)
    assert.deepStrictEqual([state.episode?.commit, state.onset?.commit, state.trigger?.commit], ["b", "b", "d"])
    assert.strictEqual(after(pass("a"), excused("b"), pass("c"), fail("d")).onset?.commit, "d")
  })
})

describe("Health, other branches", () => {
  const on = (branch: string, day: number): Health.Item => ({
    id: `${branch} ${day}`,
    at: day * Instant.day,
    commit: branch,
    conclusion: "contradicted",
    branch
  })
  const statusAfter = (...history: ReadonlyArray<Health.Item>) => Health.fold(Health.initial, history, policy).status
  const ran = run(pass("a"), 0)

  it("a contradiction on another branch within 30 days of a failure on the default branch makes it flaky", () => {
    const mended = [fail("b"), fail("b"), pass("c"), pass("d"), pass("e")].map((step, index) => run(step, index + 1))
    assert.strictEqual(statusAfter(ran, ...mended), "healthy")
    const state = Health.fold(Health.initial, [ran, ...mended, on("topic", 29)], policy)
    assert.deepStrictEqual([state.status, state.rule, state.onset], ["flaky", "other_branch", null])
    assert.strictEqual(statusAfter(ran, ...mended, on("topic", 31)), "healthy")
  })

  it("without a failure it takes contradictions on two branches within 14 days", () => {
    assert.strictEqual(statusAfter(ran, on("x", 1), on("x", 2)), "healthy")
    assert.strictEqual(statusAfter(ran, on("x", 1), on("x", 2), on("y", 15)), "flaky")
    assert.strictEqual(statusAfter(ran, on("x", 1), on("y", 16)), "healthy")
  })

  it("before the first execution on the default branch nothing counts", () => {
    assert.strictEqual(statusAfter(on("x", -2), on("y", -1), ran, on("z", 3)), "healthy")
  })

  it("a contradiction starts the clean passes again, and touches neither commits, nor failure rate, nor reruns", () => {
    const before = after(pass("a"), fail("a"), pass("b"), pass("b"))
    const state = Health.step(before, on("x", 3), policy)
    assert.deepStrictEqual(state, {
      ...before,
      cleanPasses: 0,
      failureAt: 3 * Instant.day,
      elsewhere: [{ branch: "x", at: 3 * Instant.day }]
    })
  })

  it("the first failure on the default branch afterwards is its onset", () => {
    const flaky = Health.fold(Health.initial, [ran, on("x", 1), on("y", 2)], policy)
    assert.strictEqual(Health.step(flaky, run(fail("b", 3), 4), policy).onset?.commit, "b")
  })
})

describe("Health, laws", () => {
  it.prop("folding any split is folding the whole", [items(), histories()], ([history, cut]) => {
    const at = Math.min(cut.length, history.length)
    const whole = Health.fold(Health.initial, history, policy)
    const head = Health.fold(Health.initial, history.slice(0, at), policy)
    assert.deepStrictEqual(Health.fold(head, history.slice(at), policy), whole)
    assert.deepStrictEqual(
      history.reduce((state, e) => Health.step(state, e, policy), Health.initial),
      whole
    )
  })

  it.prop("any order of arrival gives the same state", [histories(), histories()], ([history, salt]) => {
    const shuffled = history.toSorted((a, b) => weight(a, salt.length) - weight(b, salt.length))
    const sorted = shuffled.toSorted(Execution.order)
    assert.deepStrictEqual(
      Health.fold(Health.initial, sorted, policy),
      Health.fold(Health.initial, history.toSorted(Execution.order), policy)
    )
  })

  it.prop("a step never changes the state that it starts from", [items()], ([history]) => {
    const state = Health.fold(Health.initial, history, policy)
    const copy = structuredClone(state)
    for (const execution of history) Health.step(state, execution, policy)
    assert.deepStrictEqual(state, copy)
  })

  it.prop(
    "a steady pass gives states that differ in instants only, when the states before differ in instants only",
    [Arbitrary.all([items({ failures: 4, inJob: 1 }), items()]), whole(1), whole(40), whole(90)],
    ([drawn, part, place, days]) => {
      const history = drawn[part] ?? []
      const state = Health.fold(Health.initial, history, policy)
      const at = (history.at(-1)?.at ?? 0) + days * Instant.day
      for (const commit of [history[place]?.commit ?? "other", "new"]) {
        if (!Health.isSteady(state, commit)) continue
        const execution = { ...run({ commit }, 0), id: "pass", at }
        const passed = Health.step(state, execution, policy)
        const { episodeAt, failedAt, failureAt, trigger, episode, onset, rule, status } = state
        assert.deepInclude(passed, { episodeAt, failedAt, failureAt, trigger, episode, onset, rule, status })
        const endOfDay = (Instant.utcDay(at) + 1) * Instant.day - 1
        const other = Health.step(withoutInstants(state), { ...execution, at: endOfDay }, policy)
        assert.deepStrictEqual(other, withoutInstants(passed))
      }
    }
  )

  it("a pass on a new commit is steady for a healthy test, and not for one that just failed or is flaky", () => {
    assert.isTrue(Health.isSteady(after(pass("a"), pass("b")), "c"))
    assert.isTrue(Health.isSteady(after(pass("a")), "a"))
    const recovered = after(fail("a"), pass("b"), pass("b"), pass("c"))
    assert.deepStrictEqual([recovered.status, Health.isSteady(recovered, "a")], ["healthy", false])
    assert.isFalse(Health.isSteady(after(), "a"))
    assert.isFalse(Health.isSteady(after(pass("a"), fail("b")), "c"))
    assert.isFalse(Health.isSteady(after(pass("a"), fail("a"), pass("b")), "c"))
  })

  it.prop("the state stays bounded", [histories({ failures: 60 })], ([history]) => {
    const state = Health.fold(Health.initial, history, policy)
    assert.isAtMost(state.commits.length, policy.rememberedCommits)
    assert.isAtMost(state.failedCommits.length, policy.brokenCommitsMost)
    assert.strictEqual(new Set(state.commits).size, state.commits.length)
  })

  it.prop("without a failed attempt a test is healthy", [histories({ failures: 0, inJob: 0 })], ([history]) => {
    assert.strictEqual(Health.fold(Health.initial, history, policy).status, "healthy")
  })

  it.prop("reruns are executions of remembered commits and those inside the job", [histories()], ([history]) => {
    const commits: Array<string> = []
    Health.walk(Health.initial, history, policy, (execution, reruns) => {
      const expected = Health.counts(execution)
        ? execution.reruns + (commits.slice(0, policy.rememberedCommits).includes(execution.commit) ? 1 : 0)
        : 0
      assert.strictEqual(reruns, expected)
      if (!Health.counts(execution)) return
      const known = commits.indexOf(execution.commit)
      if (known !== -1) commits.splice(known, 1)
      commits.unshift(execution.commit)
    })
  })
})

const whole = (maximum: number) => Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })))

/** A state whose instants are all the same. */
const withoutInstants = (state: Health.State): Health.State => {
  const moved = (mark: Health.Mark | null) => (mark === null ? null : { ...mark, at: 0 })
  return {
    ...state,
    trigger: moved(state.trigger),
    episode: moved(state.episode),
    onset: moved(state.onset),
    opening: moved(state.opening),
    episodeAt: state.episodeAt === null ? null : 0,
    failureAt: state.failureAt === null ? null : 0,
    failedAt: state.failedAt === null ? null : 0
  }
}

const weight = (execution: Execution.Observation, salt: number): number =>
  [...execution.id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0) + salt) % 1009, 7)

describe("the counts behind the estimated failure rate", () => {
  const counted = (...steps: ReadonlyArray<Step>) => {
    const { failures, row, runs } = after(...steps)
    return { failures, row, runs }
  }

  it("a pass counts itself and the row of failures before it", () => {
    assert.deepStrictEqual(counted(), { failures: 0, row: 0, runs: 0 })
    assert.deepStrictEqual(counted(pass("a")), { failures: 0, row: 0, runs: 1 })
    assert.deepStrictEqual(counted(fail("a"), fail("b")), { failures: 0, row: 2, runs: 0 })
    assert.deepStrictEqual(counted(fail("a"), fail("b"), pass("c")), { failures: 2, row: 0, runs: 3 })
  })

  it("a pass after a failed attempt counts as a failure, too", () => {
    assert.deepStrictEqual(counted({ commit: "a", flaky: true }), { failures: 1, row: 0, runs: 1 })
    assert.deepStrictEqual(counted(fail("a"), { commit: "b", flaky: true }), { failures: 2, row: 0, runs: 2 })
  })
})
