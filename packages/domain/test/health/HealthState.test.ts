import { Contradiction, Execution, Explanation, Health, HealthPolicy, Instant } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const policy = HealthPolicy.defaults

type Parts = Partial<Omit<Execution.Observation, "commit" | "conclusion">>

/** An execution; its id is its commit and its instant. */
const run = (conclusion: "passed" | "failed", commit: string, at: number, parts: Parts = {}): Execution.Observation =>
  Execution.observed({ id: `${commit}@${at}`, at, commit, conclusion, ...parts })

const pass = (commit: string, at: number, parts: Parts = {}) => run("passed", commit, at, parts)
const fail = (commit: string, at: number, parts: Parts = {}) => run("failed", commit, at, parts)

const on = (branch: string, at: number): Contradiction.Contradiction =>
  ({ id: `${branch}@${at}`, at, commit: branch, conclusion: "contradicted", branch }) as const

const after = (...items: ReadonlyArray<Health.Item>): Health.State => Health.fold(Health.initial, items, policy)

const { day } = Instant

describe("Health.State, commits", () => {
  const known = (...items: ReadonlyArray<Health.Item>) => {
    const { commits, outcomes } = after(...items)
    return commits.map((commit, index) => `${commit}${outcomes[index]}`)
  }

  it("a commit is remembered at its latest execution, with all of its outcomes", () => {
    assert.deepStrictEqual(known(pass("a", 1), pass("b", 2), fail("a", 3)), ["b1", "a3"])
    assert.deepStrictEqual(known(pass("a", 1), fail("b", 2), pass("c", 3), pass("b", 4)), ["a1", "c1", "b3"])
    assert.deepStrictEqual(known(fail("a", 1), fail("a", 2), pass("b", 3), pass("b", 4)), ["a2", "b1"])
    assert.deepStrictEqual(known(fail("a", 1, { outage: true }), pass("b", 2)), ["a0", "b1"])
  })

  it("the oldest commit is dropped with its outcome", () => {
    const passes = Array.from({ length: policy.rememberedCommits - 1 }, (_, index) => pass(`p${index}`, index + 1))
    const full = known(fail("a", 0), ...passes)
    assert.deepStrictEqual([full.length, full[0]], [policy.rememberedCommits, "a2"])
    const more = known(fail("a", 0), ...passes, fail("z", 99))
    assert.deepStrictEqual([more.length, more[0], more.at(-1)], [policy.rememberedCommits, "p01", "z2"])
  })

  it("the latest commit is troubled when it failed, and single when the one before it was clean", () => {
    const latest = (...items: ReadonlyArray<Health.Item>) => {
      const { latest: commit, single, troubled } = after(...items)
      return [commit, troubled, single]
    }
    assert.deepStrictEqual(latest(pass("a", 1)), ["a", false, false])
    assert.deepStrictEqual(latest(pass("a", 1), fail("a", 2)), ["a", true, false])
    assert.deepStrictEqual(latest(pass("a", 1), fail("b", 2)), ["b", true, true])
    assert.deepStrictEqual(latest(pass("a", 1), fail("b", 2), fail("b", 3)), ["b", true, false])
    assert.deepStrictEqual(latest(pass("a", 1), fail("b", 2), pass("b", 3)), ["b", true, false])
    assert.deepStrictEqual(latest(pass("a", 1), fail("a", 2), fail("b", 3)), ["b", true, false])
  })
})

describe("Health.State, rows", () => {
  it("a failure ends the row of passes, and a pass the row of failures", () => {
    const failing = after(pass("a", 1), pass("b", 2), fail("c", 3), fail("d", 4), fail("d", 5))
    assert.deepInclude(failing, {
      failing: true,
      passes: 0,
      passCommit: null,
      passCommits: 0,
      cleanPasses: 0,
      row: 3,
      failures: 0,
      runs: 2,
      failureAt: 5,
      failedCommits: ["c", "d"],
      episode: { id: "c@3", at: 3, commit: "c" }
    })
    const passing = Health.fold(failing, [pass("e", 6)], policy)
    assert.deepInclude(passing, {
      failing: false,
      passes: 1,
      passCommit: "e",
      passCommits: 1,
      cleanPasses: 1,
      row: 0,
      failures: 3,
      runs: 6,
      failedCommits: []
    })
  })

  it("passes count their commits up to two", () => {
    const counts = (...commits: ReadonlyArray<string>) => {
      const { passCommit, passCommits, passes } = after(...commits.map((commit, index) => pass(commit, index)))
      return [passes, passCommit, passCommits]
    }
    assert.deepStrictEqual(counts("a", "a"), [2, "a", 1])
    assert.deepStrictEqual(counts("a", "b"), [2, "a", 2])
    assert.deepStrictEqual(counts("a", "b", "a", "c"), [4, "a", 2])
  })

  it("an excused failure opens the episode of the next failure, and a pass ends that", () => {
    const excused = fail("x", 1, { excused: true, outage: true })
    assert.deepStrictEqual(after(excused).opening?.id, "x@1")
    const failed = after(excused, fail("y", 2))
    assert.deepStrictEqual([failed.episode?.id, failed.opening, failed.episodeAt], ["x@1", null, 2])
    assert.deepStrictEqual(after(excused, pass("y", 2)).opening, null)
    assert.strictEqual(after(excused, pass("y", 2), fail("z", 3)).episode?.id, "z@3")
  })

  it("a failed attempt of a pass is an episode of its own, unless a failure is still open", () => {
    const flaky = { flaky: true, reruns: 1 }
    const alone = after(pass("a", 1), pass("b", 2, flaky))
    assert.deepInclude(alone, {
      status: "flaky",
      rule: "in_job_rerun",
      cleanPasses: 0,
      failureAt: 2,
      failures: 1,
      runs: 2
    })
    assert.deepStrictEqual([alone.episode?.id, alone.onset?.id], ["b@2", "b@2"])
    const open = after(pass("a", 1), fail("b", 2), pass("c", 3, flaky))
    assert.deepStrictEqual([open.episode?.id, open.failureAt, open.failures], ["b@2", 3, 2])
  })

  it("weights halve within the days of the policy, in steps of 1/1024", () => {
    const of = (...days: ReadonlyArray<number>) => {
      const {
        day: last,
        failures,
        runs
      } = after(fail("a", 0), ...days.map((each, index) => pass(`p${index}`, each * day + 1)))
      return [last, failures, runs]
    }
    const half = policy.halfLifeDays
    assert.deepStrictEqual(of(0), [0, 1, 2])
    assert.deepStrictEqual(of(0, half), [half, 0.5, 2])
    assert.deepStrictEqual(of(0, half, 2 * half), [2 * half, 0.25, 2])
    const step = Math.round(0.5 ** (1 / half) * 1024) / 1024
    assert.deepStrictEqual(of(0, 1), [1, step, 1 + Math.round(2 * 0.5 ** (1 / half) * 1024) / 1024])
  })
})

describe("Health.State, the ends of periods", () => {
  it("a second episode is evidence up to the days of the policy, that instant included", () => {
    const rule = (late: number) =>
      after(pass("a", 0), fail("b", 1), fail("b", 2), pass("c", 3), fail("d", 1 + late)).rule
    const most = policy.episodeDays * day
    assert.strictEqual(rule(most), "repeated_episode")
    assert.notStrictEqual(rule(most + 1), "repeated_episode")
  })

  const clean = (count: number, last: number) =>
    Array.from({ length: count }, (_, index) => pass(`p${index}`, index === count - 1 ? last : 10 + index))

  it("after a single failure clean passes heal from the least days on, that instant included", () => {
    const status = (late: number) =>
      after(pass("a", 0), fail("b", 1), pass("c", 2), ...clean(policy.cleanPasses, 1 + late)).status
    const least = policy.cleanDays * day
    assert.deepStrictEqual([status(least - 1), status(least)], ["flaky", "healthy"])
  })

  it("the least clean passes heal from the most days on, that instant included", () => {
    const status = (late: number) => after(pass("a", 0), fail("a", 1), ...clean(policy.cleanPasses, 1 + late)).status
    const most = Math.max(policy.cleanDays, policy.cleanDaysMost) * day
    assert.deepStrictEqual([status(most - 1), status(most)], ["flaky", "healthy"])
    const fewer = after(pass("a", 0), fail("a", 1), ...clean(policy.cleanPasses - 1, 1 + most))
    assert.strictEqual(fewer.status, "flaky")
  })

  it("a contradiction on another branch is evidence within days of a failure, or of one on a second branch, both inclusive", () => {
    const afterFailure = (late: number) =>
      after(pass("a", 0), fail("b", 1), pass("c", 2), pass("d", 3), on("x", 1 + late)).rule
    const failureDays = policy.otherBranchFailureDays * day
    assert.strictEqual(after(pass("a", 0), fail("b", 1, { many: true }), on("x", 1 + failureDays)).rule, "other_branch")
    assert.strictEqual(after(pass("a", 0), fail("b", 1, { many: true }), on("x", 2 + failureDays)).rule, "failure")
    assert.notStrictEqual(afterFailure(failureDays + 1), "other_branch")
    const afterOther = (late: number, branch = "y") => after(pass("a", 0), on("x", 1), on(branch, 1 + late)).rule
    const otherDays = policy.otherBranchDays * day
    assert.deepStrictEqual(
      [afterOther(otherDays), afterOther(otherDays + 1), afterOther(1, "x")],
      ["other_branch", "start", "start"]
    )
  })
})

describe("Health.State, other branches", () => {
  it("two other branches are remembered, each with its latest contradiction, the latest first", () => {
    const { elsewhere } = after(pass("a", 0), on("x", 1), on("y", 2), on("z", 3), on("y", 4))
    assert.deepStrictEqual(elsewhere, [
      { branch: "y", at: 4 },
      { branch: "z", at: 3 }
    ])
  })

  it("a contradiction counts as a failed attempt for recovery, and ends a single failure", () => {
    const single = after(pass("a", 0), fail("b", 1), pass("c", 2))
    assert.deepInclude(single, { status: "flaky", rule: "single_failure", isSingle: true })
    const contradicted = Health.fold(single, [on("x", 5)], policy)
    assert.deepInclude(contradicted, { rule: "single_failure", isSingle: false, cleanPasses: 0, failureAt: 5 })
    const flaky = Health.fold(single, [pass("d", 5, { flaky: true, reruns: 1 })], policy)
    assert.deepInclude(flaky, { isSingle: false, failureAt: 5 })
  })

  it("each contradiction of a flaky test is one rerun of evidence", () => {
    const seen: Array<number> = []
    const history = [pass("a", 0), on("x", 1), on("y", 2), on("z", 3)]
    Health.walk(Health.initial, history, policy, (_, reruns) => void seen.push(reruns))
    assert.deepStrictEqual(seen, [0, 0, 1, 1])
  })

  it("a test that other branches made flaky has its onset at its first failed attempt afterwards", () => {
    const made = after(pass("a", 0), on("x", 1), on("y", 2))
    assert.deepStrictEqual([made.status, made.onset], ["flaky", null])
    assert.strictEqual(Health.fold(made, [pass("b", 3, { flaky: true, reruns: 1 })], policy).onset?.id, "b@3")
    assert.strictEqual(Health.fold(made, [fail("b", 3)], policy).onset?.id, "b@3")
  })
})

describe("Explanation.recoveryOf", () => {
  it("a broken test needs the passes and commits that are missing", () => {
    const needs = (...items: ReadonlyArray<Health.Item>) => {
      const recovery = Explanation.recoveryOf(after(pass("a", 0), fail("b", 1, { many: true }), ...items), policy)
      return [recovery?.passes, recovery?.commits, recovery?.notBefore]
    }
    const { recoveryCommits: commits, recoveryPasses: passes } = policy
    assert.deepStrictEqual(needs(), [passes, commits, null])
    assert.deepStrictEqual(needs(pass("c", 2)), [passes - 1, commits - 1, null])
    assert.deepStrictEqual(needs(pass("c", 2), pass("c", 3)), [passes - 2, commits - 1, null])
    assert.deepStrictEqual(needs(pass("c", 2), pass("c", 3), pass("c", 4), pass("c", 5)), [0, commits - 1, null])
    assert.isNull(Explanation.recoveryOf(after(pass("a", 0)), policy))
  })

  it("a flaky test needs clean passes until its last days, or sooner more of them", () => {
    const flaky = after(pass("a", 0), fail("a", 1), pass("b", 2), pass("c", 3))
    const recovery = Explanation.recoveryOf(flaky, policy)
    assert.deepInclude(recovery, { passes: policy.cleanPasses - 2, commits: 0 })
    const without = { ...policy, cleanDaysMost: policy.cleanDays }
    assert.deepStrictEqual(Explanation.recoveryOf(flaky, without), {
      passes: policy.cleanPasses - 2,
      commits: 0,
      notBefore: 1 + policy.cleanDays * day,
      sooner: null
    })
  })

  it("a test that flakes often may recover sooner by passes that its failure rate makes unlikely, a hundred at most", () => {
    const often = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? pass(`c${index}`, index) : fail(`c${index - 1}`, index)
    )
    const flaky = after(...often, pass("x", 20), pass("y", 21))
    const longer = { ...policy, cleanDaysMost: policy.cleanDays + 30, cleanPasses: 3 }
    const recovery = Explanation.recoveryOf(flaky, longer)
    assert.deepInclude(recovery, { passes: 1, commits: 0, notBefore: 11 + longer.cleanDaysMost * day })
    assert.strictEqual(recovery?.sooner?.notBefore, 11 + policy.cleanDays * day)
    const enough = recovery?.sooner?.passes ?? 0
    const isUnlikely = (passes: number) => {
      const counts = { failures: flaky.failures + flaky.row, runs: flaky.runs + flaky.row + passes }
      return (1 - Health.failureRate(counts, policy)) ** (flaky.cleanPasses + passes) <= policy.cleanChance
    }
    assert.isAbove(enough, 1)
    assert.deepStrictEqual([isUnlikely(enough - 1), isUnlikely(enough)], [false, true])
    assert.isNull(Explanation.recoveryOf(flaky, { ...longer, cleanChance: 1e-9 })?.sooner)
  })

  it("the sentence says how many passes, on which commits and when", () => {
    const at = Date.UTC(2027, 0, 1)
    const sentence = (parts: Partial<Explanation.Recovery>) =>
      Explanation.sentenceOf({ passes: 1, commits: 0, notBefore: null, sooner: null, ...parts })
    assert.match(sentence({}), /^Needs 1 more pass\. /u)
    assert.match(sentence({ commits: 1 }), /^Needs 1 more pass on another commit\. /u)
    assert.match(sentence({ passes: 3, commits: 2 }), /^Needs 3 more passes in a row, on 2 commits\. /u)
    assert.match(sentence({ notBefore: at }), /^Needs 1 more clean pass, at 2027-01-01T\S+ or later\. /u)
    assert.match(
      sentence({ passes: 2, notBefore: at }),
      /^Needs 2 more clean passes in a row, the last one at 2027-01-01T\S+ or later\. /u
    )
  })
})
