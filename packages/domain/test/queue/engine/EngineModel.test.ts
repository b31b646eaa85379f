import { assert, describe, it } from "@effect/vitest"
import { batchOf } from "./support/Bisect.ts"
import { part, worlds } from "./support/Exhaustive.ts"
import { search } from "./support/Model.ts"
import { mutants } from "./support/Mutant.ts"

describe("exhaustive model of the engine", () => {
  for (const disturbance of ["none", "crash", "push", "close", "empty", "pause"] as const) part(disturbance)

  it("a part of a batch is not taken for red when a part before it has left without being tested", () => {
    const world = { ...batchOf(3, [1], "judged_real"), parallel: 2, fastForward: false }
    assert.deepStrictEqual(search(world, "push").faults, [])
    assert.deepStrictEqual(search(world, "close").faults, [])
  })

  it("what the search leaves out leads to the same ends", () => {
    for (const disturbance of ["none", "close", "empty"] as const) {
      for (const world of worlds.filter((_, index) => index % 6 === 0)) {
        const [reduced, whole] = [search(world, disturbance), search(world, disturbance, { isWhole: true })]
        assert.deepStrictEqual([...reduced.ends].toSorted(), [...whole.ends].toSorted(), JSON.stringify(world))
        assert.isAtMost(reduced.states, whole.states)
      }
    }
  })

  it("an engine that does not know of pauses is found", () => {
    const broken = mutants["10 pause"]?.[1]
    assert.isTrue(worlds.some((world) => search(world, "pause", { decide: broken }).faults.length > 0))
  })
})
