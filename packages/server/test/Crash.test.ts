import { assert, describe, it } from "@effect/vitest"
import * as Crash from "./crash/Crash.ts"
import * as Gate from "./crash/Gate.ts"

/** `npm run crash` runs the same test for a chosen time. */
const size = { seed: 20, uploads: 90, kills: 4, stops: 1 }

describe("processes that are killed while reporters upload", () => {
  it("every acknowledged upload counts exactly once and completely after processes were killed, as in a fold from scratch", async () => {
    const { faults, ...figures } = await Crash.run(size, 0.05)
    const again = `npm run crash -- --seed ${size.seed} --uploads ${size.uploads}`
    assert.deepStrictEqual(faults, [], `${again} may show it again; ${JSON.stringify(figures)}`)
    assert.isAtLeast(figures.acknowledged, size.uploads)
    assert.strictEqual(figures.seen["blow to server"], size.kills)
    for (const blow of ["postmaster", "immediate", "backend"]) assert.strictEqual(figures.seen[`blow to ${blow}`], 1)
  }, 240_000)
})

describe("a gate whose server is killed in the middle of its rounds", () => {
  it("the next server on its data folder takes over at once, decides nothing twice, and evicts nobody innocent", async () => {
    const { attempts, merged, removals, sentences, takeovers } = await Gate.run([
      { operation: "graphql", when: "before" },
      { operation: "actions/re-run-workflow-failed-jobs", when: "after" },
      { operation: "checks/update", when: "after" }
    ])
    assert.deepStrictEqual(
      [merged, removals],
      [
        [1, 2, 3],
        ["merged", "merged", "merged"]
      ]
    )
    assert.deepStrictEqual(attempts, [1, 2, 1])
    const said = (words: RegExp) => sentences.map((lines) => lines.filter((line) => words.test(line)).length)
    assert.deepStrictEqual(said(/passed the gate/u), [1, 1, 1])
    assert.deepStrictEqual(said(/the failed jobs run again/u), [0, 1, 0])
    // A write that a pause forbids may have been under way for 20 seconds; the lease of the server that died would last for 40 and more.
    assert.isAtLeast(takeovers.length, 2)
    for (const takeover of takeovers) assert.isBelow(takeover, 20_000)
  }, 240_000)
})
