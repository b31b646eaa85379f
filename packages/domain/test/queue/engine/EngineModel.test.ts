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
          assert.isAbove(searched.ends, 0)
          states += searched.states
        }
        if (isFull) process.stderr.write(`${states} states disturbed by ${disturbance}\n`)
      }
    )
  }

  it("an engine that does not know of pauses is found", () => {
    const broken = mutants["10 pause"]?.[1]
    assert.isTrue(worlds.some((world) => search(world, "pause", broken).faults.length > 0))
  })
})
