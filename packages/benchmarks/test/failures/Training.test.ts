import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FailurePolicy } from "@lazaret/domain"
import * as History from "../../src/failures/History.ts"
import { replay } from "../../src/failures/Replay.ts"
import * as Report from "../../src/failures/Report.ts"
import * as Rules from "../../src/failures/Rules.ts"
import { learn, settings } from "../../src/failures/Training.ts"
import * as WeightsFile from "../../src/failures/WeightsFile.ts"

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

const real = History.read(History.folderOf([]))

if (real === null) {
  console.warn(
    `\n!!! SKIPPED: the folder ${History.folderOf([])} has no file *.jsonl.gz, so this run does not check that the committed numbers of the ` +
      "verdict are those that the training writes. Set LAZARET_FAILURE_HISTORY to a folder with *.jsonl.gz. !!!\n"
  )
}

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
    const all = Report.predictions(await replay(made), FailurePolicy.defaults)
    for (const length of [1, 40, 100]) {
      const some = Report.predictions(await replay(made.slice(0, length)), FailurePolicy.defaults)
      assert.deepStrictEqual(some, all.slice(0, some.length))
    }
  })
})

describe("learn", async () => {
  const failures = await replay(made)

  it("the same history gives the same text, whatever was learned before", async () => {
    const again = await replay(made)
    assert.strictEqual(WeightsFile.textOf(made, failures, settings), WeightsFile.textOf(made, again, settings))
  })

  it("learn finds out what tells the flaky test from the broken one", () => {
    const learned = learn(failures, settings)
    const range = { from: "2023-01-15", until: "2024" }
    const figures = Report.figuresOn(failures, Rules.verdictRule(WeightsFile.policyOf(learned)), range)
    assert.isAbove(figures.macroF1, 0.95)
    assert.isAbove(learned.weights.sibling_jobs, 0)
    for (const weight of Object.values(learned.weights)) assert.isAtLeast(weight, 0)
  })

  it("learn learns from nothing that comes after the date", () => {
    const until = "2023-05-01"
    const before = failures.filter(({ at }) => at < until)
    assert.deepStrictEqual(learn(failures, { ...settings, until }), learn(before, { ...settings, until }))
  })

  it("the points of the calibration rise", () => {
    const probabilities = learn(failures, settings).calibration.map(({ probability }) => probability)
    assert.deepStrictEqual(
      probabilities,
      probabilities.toSorted((a, b) => a - b)
    )
  })
})

describe.skipIf(real === null)("the real history", async () => {
  const runs = real ?? []
  const failures = await replay(runs)

  it("the committed numbers are those that the training writes", () => {
    assert.strictEqual(WeightsFile.textOf(runs, failures, settings), readFileSync(WeightsFile.path, "utf8"))
  }, 300_000)

  it("the one-line rules have their published figures on the first half of 2024", () => {
    const range = { from: "2024-01-01", until: "2024-07-01" }
    const figures = Rules.oneLine.map((rule) => Report.figuresOn(failures, rule, range).macroF1.toFixed(3))
    assert.deepStrictEqual(figures, ["0.385", "0.385", "0.836", "0.803", "0.842"])
  })
})
