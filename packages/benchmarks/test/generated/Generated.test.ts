import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { generate } from "../../src/generated/Generate.ts"
import { judged } from "../../src/generated/Judged.ts"
import * as Regime from "../../src/generated/Regime.ts"
import * as Rules from "../../src/generated/Rules.ts"
import * as Table from "../../src/generated/Table.ts"
import * as Tally from "../../src/generated/Tally.ts"
import * as Truth from "../../src/generated/Truth.ts"

const judgedShort = (await Promise.all(Regime.seeds.short.map((seed) => judged(Regime.short(seed), 0)))).flat()
const first = judgedShort.filter(({ stage }) => stage === "first")

describe("generated repositories", () => {
  it("the ranges and the seeds of the regimes are those that the model was tuned and measured on", () => {
    const { short: _, ...published } = Regime.seeds
    const text = JSON.stringify(Object.values(published).flat().map(Regime.of))
    assert.strictEqual(createHash("sha256").update(text).digest("hex").slice(0, 16), "a809e7237b27f0fc")
  })

  it("the same regime generates the same runs, and another replica of it others", () => {
    const runsOf = (replica: number) =>
      generate(Regime.short(501), replica).map(({ failed, finishedAt, job, run }) => [
        run.commit,
        job,
        finishedAt,
        [...failed].map(([name, { cause, message }]) => [name, cause.kind, message])
      ])
    assert.deepStrictEqual(runsOf(0), runsOf(0))
    assert.notDeepEqual(runsOf(0), runsOf(1))
  })

  it("a break fails in every attempt of its run, unless the change made the test unstable", () => {
    for (const seed of Regime.seeds.short) {
      const runs = Map.groupBy(generate(Regime.short(seed), 0), ({ job, run }) => `${run.id} ${job}`)
      for (const attempts of runs.values()) {
        for (const { failed } of attempts) {
          for (const [name, { cause, passesAgain }] of failed) {
            if (cause.kind !== "break" || cause.strength < 1) continue
            assert.isFalse(passesAgain)
            assert.isTrue(attempts.every((other) => other.failed.has(name)))
          }
        }
      }
    }
  })

  it("every cause is generated", () => {
    const rows = new Set(first.map(({ row }) => row))
    const wanted = Truth.rows.filter((row) => row !== "passed" && row !== "persistent")
    assert.deepStrictEqual(
      wanted.filter((row) => !rows.has(row)),
      []
    )
  })
})

describe("the figures of generated failures", () => {
  it("the sums of two lists are those of both", () => {
    const answers = first.map(Rules.verdict.answer)
    const both = Tally.plus([Tally.of(answers.slice(0, 100)), Tally.of(answers.slice(100))])
    const all = Tally.of(answers)
    for (const { of } of Object.values(Table.figures)) assert.closeTo(of(both) ?? -1, of(all) ?? -1, 1e-9)
  })

  it("a rule that calls everything new excuses no break and finds no flake", () => {
    const [always] = Rules.oneLine
    assert(always !== undefined)
    const tally = Tally.of(first.map(always.answer))
    assert.strictEqual(Table.figures.realRight.of(tally), 1)
    assert.strictEqual(Table.figures.realExcused.of(tally), 0)
    assert.strictEqual(Table.figures.flakeRight.of(tally), 0)
    assert.strictEqual(Table.figures.outageBlamed.of(tally), 1)
  })
})

/** The figures of the verdict on the short list, which is the same each time: a bound is a little worse than today's. */
const bounds: { readonly [F in keyof typeof Table.figures]?: readonly [least: number, most: number] } = {
  realRight: [0.91, 1],
  realExcused: [0, 0.04],
  flakeRight: [0.81, 1],
  mainWrong: [0, 0.07],
  outageRight: [0.98, 1],
  victimRight: [0.92, 1],
  outageBlamed: [0, 0.01],
  calibration: [0, 0.06],
  macroF1: [0.83, 1]
}

describe("the verdict on generated failures", () => {
  const tally = Tally.of(first.map(Rules.verdict.answer))

  for (const [name, [least, most]] of Object.entries(bounds)) {
    const { name: title, of } = Table.figures[name as keyof typeof Table.figures]
    it(`the figure "${title}" is from ${least} to ${most}`, () => {
      const value = of(tally) ?? -1
      assert.isAtLeast(value, least)
      assert.isAtMost(value, most)
    })
  }
})
