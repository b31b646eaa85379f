/**
 * The numbers of the model: what it says of some failures, by whose facts each number of the policy is asked.
 *
 * `FailurePolicy.json` has the answers. A change of the model or of the policy changes them: then judge the new ones, and
 * write them down with `support/writeModel.ts`.
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { FailureCalibration, FailureGate, FailurePolicy, FailureVerdict } from "@lazaret/domain"
import { stories } from "./support/modelStories.ts"
import { of as failureOf, shownOf } from "./support/ModelStory.ts"

const file = new URL("FailurePolicy.json", import.meta.url)

// People write the file; one of another shape fails every test.
const expected = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>

describe("FailureVerdict.judgeAll, numbers", () => {
  it.each(Object.entries(stories))("the model says of a failure what it said before: %s", (name, story) => {
    assert.deepStrictEqual(shownOf(story), expected[name])
  })

  it("the offset of a repository weighs the causes that pass when they run again", () => {
    const of = (all: number) => {
      const offsets = { ...FailureCalibration.none, all }
      const { causes, evidence } = FailureVerdict.judge(
        failureOf(),
        FailurePolicy.defaults,
        FailureGate.defaults,
        offsets
      )
      return { causes, bits: evidence.find(({ kind }) => kind === "calibration")?.causes }
    }
    const [plain, more] = [of(0), of(2)]
    assert.isUndefined(plain.bits)
    assert.deepStrictEqual(more.bits, { flake: 2, change: 0, base: 0, environment: 2, dependency: 0 })
    const ratio = (cause: FailurePolicy.Cause) =>
      more.causes[cause] / more.causes.change / (plain.causes[cause] / plain.causes.change)
    const ratios = FailurePolicy.Cause.literals.map((cause) => Number(ratio(cause).toFixed(9)))
    assert.deepStrictEqual(ratios, [4, 1, 1, 4, 1])
    assert.closeTo(
      FailurePolicy.Cause.literals.reduce((sum, cause) => sum + more.causes[cause], 0),
      1,
      1e-12
    )
  })

  it("no failure is surer to pass again than one that a rerun has shown to be a flake", () => {
    const passes = { flake: 1, change: 1, base: 1, environment: 1, dependency: 1 }
    const answer = FailureVerdict.judge(failureOf(), { ...FailurePolicy.defaults, passes }, FailureGate.defaults)
    assert.closeTo(answer.probabilityFlaky, 0.99, 1e-9)
  })

  it("every answer that is written down is asked for", () => {
    assert.deepStrictEqual(Object.keys(expected), Object.keys(stories))
  })
})
