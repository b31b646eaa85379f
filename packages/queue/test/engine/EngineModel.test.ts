import { assert, describe, it } from "@effect/vitest"
import { batchOf } from "./support/Bisect.ts"
import { isWhole } from "./support/Budget.ts"
import { part, worldsOf } from "./support/Exhaustive.ts"
import { type Disturbance, search } from "./support/Model.ts"
import { mutants } from "./support/Mutant.ts"

const disturbances: ReadonlyArray<Disturbance> = ["none", "crash", "push", "close", "base", "empty", "pause"]

/** Worlds of two pull requests with batches of two, or two rounds at once; without any order left out, others take hours. */
const small = worldsOf(2).filter(
  ({ bad, batchSize, fastForward, parallel, realIs }) =>
    batchSize + parallel === 3 && realIs === "real" && (isWhole || (bad.join() === "2" && fastForward))
)

/** The worlds of the comparison of broken engines: each is searched twice for every engine. */
const few = isWhole ? small.filter(({ bad, fastForward }) => bad.length === 1 && fastForward) : small.slice(-1)

describe("exhaustive model of the engine", () => {
  for (const disturbance of disturbances) part(disturbance)

  it("a part of a batch is not taken for red when a part before it has left without being tested", () => {
    const world = { ...batchOf(3, [1], "judged_real"), parallel: 2, fastForward: false }
    assert.deepStrictEqual(search(world, "push").faults, [])
    assert.deepStrictEqual(search(world, "close").faults, [])
  })

  it("the orders that the search leaves out lead to the same ends", { timeout: 600_000 }, () => {
    for (const disturbance of disturbances) {
      for (const world of small) {
        const [reduced, whole] = [search(world, disturbance), search(world, disturbance, { isWhole: true })]
        const name = `${disturbance} in ${JSON.stringify(world)}`
        assert.deepStrictEqual([...reduced.ends].toSorted(), [...whole.ends].toSorted(), name)
        assert.isAtMost(reduced.states, whole.states)
      }
    }
  })

  it("the orders that the search leaves out hide no broken engine", { timeout: 600_000 }, () => {
    // An engine that draws its ids, or that asks for everything again, has no end of states.
    const ending = Object.entries(mutants).filter(([name]) => !/^1[45] /u.test(name))
    for (const [name, [, decide]] of ending) {
      for (const disturbance of isWhole ? disturbances : (["base"] as const)) {
        const isFound = (isUnreduced: boolean) =>
          few.some((world) => search(world, disturbance, { decide, isWhole: isUnreduced }).faults.length > 0)
        assert.strictEqual(isFound(false), isFound(true), `${name}, disturbed by ${disturbance}`)
      }
    }
  })

  it("an engine that does not know of pauses is found", () => {
    const broken = mutants["10 pause"]?.[1]
    assert.isTrue(small.some((world) => search(world, "pause", { decide: broken }).faults.length > 0))
  })
})
