import { assert, describe, it } from "@effect/vitest"
import { batchOf, choices } from "./support/Bisect.ts"
import { isFull } from "./support/Budget.ts"
import { disturbances, search } from "./support/Model.ts"
import { mutants } from "./support/Mutant.ts"
import type { World } from "./support/World.ts"

const pulls = isFull ? 3 : 2

const shapes = [1, 2, 3].flatMap((batchSize) =>
  [1, 2].flatMap((parallel) => [true, false].map((fastForward) => ({ batchSize, parallel, fastForward })))
)

const worlds: ReadonlyArray<World> = choices(pulls, pulls).flatMap((bad) =>
  shapes
    .filter(({ batchSize, parallel }) => batchSize <= pulls && (isFull || batchSize + parallel === 3))
    .map((shape) => ({ ...batchOf(pulls, bad, "judged_real"), ...shape, flakes: bad.length === 0 ? 1 : 0 }))
)

describe("exhaustive model of the engine", () => {
  for (const disturbance of disturbances) {
    it(
      `every law holds in every state of up to ${pulls} pull requests, disturbed by ${disturbance}`,
      { timeout: 1_200_000 },
      () => {
        let states = 0
        // A base branch that others push to has ten times the states: the short form takes every fourth world.
        const chosen = isFull || disturbance !== "base" ? worlds : worlds.filter((_, index) => index % 4 === 0)
        for (const world of chosen) {
          const searched = search(world, disturbance)
          assert.deepStrictEqual(searched.faults, [], JSON.stringify(world))
          assert.isAbove(searched.ends.size, 0)
          states += searched.states
        }
        if (isFull) process.stderr.write(`${states} states disturbed by ${disturbance}\n`)
      }
    )
  }

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
