/** The parts of the exhaustive model: each is one disturbance in every small world. */
import { assert, it } from "@effect/vitest"
import { batchOf, choices } from "./Bisect.ts"
import { isFull } from "./Budget.ts"
import { type Disturbance, search } from "./Model.ts"
import type { World } from "./World.ts"

const pulls = isFull ? 3 : 2

const shapes = [1, 2, 3].flatMap((batchSize) =>
  [1, 2].flatMap((parallel) => [true, false].map((fastForward) => ({ batchSize, parallel, fastForward })))
)

/** The worlds: every choice of bad pull requests, batch size, parallel checks and way of landing. */
export const worlds: ReadonlyArray<World> = choices(pulls, pulls).flatMap((bad) =>
  shapes
    .filter(({ batchSize, parallel }) => batchSize <= pulls && (isFull || batchSize + parallel === 3))
    .map((shape) => ({ ...batchOf(pulls, bad, "judged_real"), ...shape, flakes: bad.length === 0 ? 1 : 0 }))
)

/** Tests every law in every state of the worlds with a disturbance, and prints how many there are in full. */
export const part = (disturbance: Disturbance): void => {
  it(
    `every law holds in every state of up to ${pulls} pull requests, disturbed by ${disturbance}`,
    { timeout: 3_600_000 },
    () => {
      const started = process.cpuUsage()
      let states = 0
      // A base branch that others push to has ten times the states: the short form takes every fourth world.
      const chosen = isFull || disturbance !== "base" ? worlds : worlds.filter((_, index) => index % 4 === 0)
      for (const world of chosen) {
        const searched = search(world, disturbance)
        assert.deepStrictEqual(searched.faults, [], JSON.stringify(world))
        assert.isAbove(searched.ends.size, 0)
        states += searched.states
      }
      const seconds = Math.round(process.cpuUsage(started).user / 1_000_000)
      if (isFull) process.stderr.write(`${states} states disturbed by ${disturbance}, ${seconds} s of one core\n`)
    }
  )
}
