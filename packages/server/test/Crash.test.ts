import { assert, describe, it } from "@effect/vitest"
import * as Crash from "./crash/Crash.ts"

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
