import { assert, describe, it } from "@effect/vitest"
import * as Crash from "./crash/Crash.ts"

/** `npm run crash` is the same for as long as one likes. */
const size = { seed: 20, uploads: 90, kills: 4, stops: 1 }

describe("processes that are killed while reporters upload", () => {
  it("leave every acknowledged upload counted exactly once, none half, and everything as a fold from scratch has it", async () => {
    const { faults, ...figures } = await Crash.run(size, 0.05)
    const again = `npm run crash -- --seed ${size.seed} --uploads ${size.uploads}`
    assert.deepStrictEqual(faults, [], `${again} may show it again; ${JSON.stringify(figures)}`)
    assert.isAtLeast(figures.acknowledged, size.uploads)
    assert.strictEqual(figures.seen["blow to server"], size.kills)
    for (const blow of ["postmaster", "immediate", "backend"]) assert.strictEqual(figures.seen[`blow to ${blow}`], 1)
  }, 240_000)
})
