import { assert, describe, it } from "@effect/vitest"
import { FailurePolicy } from "@lazaret/domain"
import * as Online from "../../src/failures/Online.ts"
import * as History from "../../src/failures/History.ts"
import { replay } from "../../src/failures/Replay.ts"
import * as Report from "../../src/failures/Report.ts"
import * as Rules from "../../src/failures/Rules.ts"
import { type Example, lossOf, paths, scaled, train } from "../../src/failures/Training.ts"

type Outcome = "p" | "f"

const day = (index: number): string => new Date(Date.UTC(2023, 0, 1 + index)).toISOString()

const run = (index: number, commit: number, outcomes: Readonly<Record<string, Outcome>>): History.HistoryRun => ({
  at: day(index),
  commit: `c${commit}`,
  jobs: Object.fromEntries(
    ["linux", "windows", "macos"].map((job) => [
      job,
      Object.entries(outcomes).map(([test, outcome]) => {
        const isHere = test !== "flaky" || job === "linux"
        return [test, isHere ? outcome : "p", isHere && outcome === "f" ? `${test} at ${index}` : null] as const
      })
    ])
  )
})

/** Every commit runs twice. The flaky test fails now and then, once and in one job; the broken one from a commit to another. */
const made: ReadonlyArray<History.HistoryRun> = Array.from({ length: 120 }, (_, commit) => {
  const broken: Outcome = commit % 20 >= 14 ? "f" : "p"
  const flaky: Outcome = commit % 3 === 0 ? "f" : "p"
  return [run(2 * commit, commit, { broken, flaky }), run(2 * commit + 1, commit, { broken, flaky: "p" })]
}).flat()

describe("replay", () => {
  it("a failure is flaky when its commit passed as well, persistent when it was run twice, else unknown", async () => {
    const runs = [
      run(0, 0, { flaky: "f", broken: "f" }),
      run(1, 0, { flaky: "p", broken: "f" }),
      run(2, 1, { flaky: "f", broken: "p" })
    ]
    const seen = (await replay(runs)).map(
      ({ isFirstSight, job, test, truth }) => `${test} ${job} ${truth} ${isFirstSight}`
    )
    assert.deepStrictEqual(seen.sort(), [
      "broken linux persistent false",
      "broken linux persistent true",
      "broken macos persistent false",
      "broken macos persistent true",
      "broken windows persistent false",
      "broken windows persistent true",
      "flaky linux flaky true",
      "flaky linux null true"
    ])
  })

  it("later runs change no earlier prediction", async () => {
    const all = Report.predictions(Online.judge(await replay(made)))
    for (const length of [1, 40, 100]) {
      const some = Report.predictions(Online.judge(await replay(made.slice(0, length))))
      assert.deepStrictEqual(some, all.slice(0, some.length))
    }
  })
})

describe("train", async () => {
  const failures = await replay(made)
  const examples = failures.flatMap(({ facts, isFirstSight, truth }): ReadonlyArray<Example> =>
    truth === null || !isFirstSight
      ? []
      : [{ facts, weight: 1, causes: truth === "flaky" ? ["flake", "environment"] : ["change", "base", "dependency"] }]
  )

  it("every step makes the true causes more probable, from the same examples in the same way", () => {
    const worse = { ...FailurePolicy.defaults, jobs: { ...FailurePolicy.defaults.jobs, together: 0.9 } }
    const steps = [...train(examples, worse, { least: 0.001, factors: [0.5] })]
    const losses = [lossOf(examples, worse), ...steps.map(({ loss }) => loss)]
    assert.isAbove(steps.length, 0)
    assert.deepStrictEqual(
      losses,
      losses.toSorted((a, b) => b - a)
    )
    assert.deepStrictEqual([...train(examples, worse, { least: 0.001, factors: [0.5] })], steps)
  })

  it("a scaled policy differs in one number, and a share stays below 1", () => {
    const { defaults } = FailurePolicy
    const next = scaled(defaults, ["message", "same", "base"], 2)
    assert.deepStrictEqual(next, {
      ...defaults,
      message: { ...defaults.message, same: { ...defaults.message.same, base: 0.99 } }
    })
    assert.isTrue(paths.every((path) => path.length > 1))
  })

  it("the verdict tells the flaky test from the broken one", () => {
    const judged = Online.judge(failures)
    const figures = Report.figuresOn(judged, Rules.verdictRule, { from: "2023-01-15", until: "2024" })
    assert.isAbove(figures.macroF1, 0.9)
  })
})
