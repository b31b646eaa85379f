/** The parts of the exhaustive model: each is one disturbance in every small world. */
import { assert, it } from "@effect/vitest"
import { batchOf, choices } from "./Bisect.ts"
import { isWhole, partOf } from "./Budget.ts"
import { type Disturbance, search } from "./Model.ts"
import type { World } from "./World.ts"

const shapes = [1, 2, 3].flatMap((batchSize) =>
  [1, 2].flatMap((parallel) => [true, false].map((fastForward) => ({ batchSize, parallel, fastForward })))
)

/** The judge: right about real failures and flakes, or without any knowledge, so that single ones run again. */
const judges = [
  { realIs: "real", flakeIs: "flaky" },
  { realIs: "unknown", flakeIs: "unknown" }
] as const

/**
 * The worlds of a number of pull requests: every choice of bad ones, batch size, parallel checks, way of landing and judge.
 * Where nobody is bad, one check fails by chance.
 */
export const worldsOf = (pulls: number): ReadonlyArray<World> =>
  choices(pulls, pulls).flatMap((bad) =>
    shapes
      .filter(({ batchSize }) => batchSize <= pulls)
      .flatMap((shape) =>
        judges.map((judge) => ({
          ...batchOf(pulls, bad, "judged_real"),
          ...shape,
          ...judge,
          flakes: bad.length === 0 ? 1 : 0
        }))
      )
  )

/** The short form: the worlds in which batches meet, and one in which those behind a batch that runs again are built twice. */
const isShort = ({ bad, batchSize, fastForward, parallel, realIs }: World): boolean =>
  batchSize + parallel === 3 && (batchSize === 2 || (fastForward && (realIs === "real" || bad.join() === "2")))

const small = worldsOf(2).filter((world) => isWhole || isShort(world))

const large = partOf(worldsOf(3))

/** Tests every law in every state of the worlds with a disturbance. The search in full prints how many states there are. */
export const part = (disturbance: Disturbance): void => {
  it(`every law holds in every state of small worlds, disturbed by ${disturbance}`, { timeout: 3_600_000 }, () => {
    const started = process.cpuUsage()
    let states = 0
    const worlds = [...small, ...large]
    for (const world of worlds) {
      const searched = search(world, disturbance)
      assert.deepStrictEqual(searched.faults, [], JSON.stringify(world))
      assert.isAbove(searched.ends.size, 0)
      states += searched.states
    }
    const seconds = Math.round(process.cpuUsage(started).user / 1_000_000)
    const line = `${worlds.length} worlds, ${states} states disturbed by ${disturbance}, ${seconds} s of one core\n`
    if (isWhole) process.stderr.write(line)
  })
}
