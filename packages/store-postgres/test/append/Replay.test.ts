import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Health, HealthPolicy } from "@lazaret/domain"
import { describe } from "vitest"
import * as Replay from "../../src/blocks/Replay.ts"

/** Numbers that look random and are the same everywhere. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

/** A long history of 64 tests in which every rule of the fold takes part. */
const history = (): ReadonlyArray<Replay.FoldItem> => {
  const draw = numbers(7)
  return Array.from({ length: 20_000 }, (_, index): Replay.FoldItem => {
    const slot = draw(64)
    const place = {
      id: `${index}.0` as const,
      at: index * 600_000,
      commit: Math.floor(index / 150),
      slot,
      upload: index,
      ordinal: 0
    }
    if (draw(50) === 0) return { ...place, conclusion: "contradicted", branch: `change-${draw(6)}` }
    const unlucky = draw(100) < (Math.floor(index / 2500) % 2 === 0 ? 4 : 40)
    return {
      ...place,
      conclusion: unlucky ? "failed" : draw(50) === 0 ? "skipped" : "passed",
      flaky: !unlucky && draw(60) === 0,
      reruns: draw(3),
      excused: unlucky && draw(20) === 0,
      outage: unlucky && draw(10) === 0,
      many: unlucky && draw(5) === 0,
      durationUs: draw(1_000_000)
    }
  })
}

describe("the rules of the fold", () => {
  const order = Replay.order((upload) => String(upload))
  const folded = Replay.replay(Replay.empty, history(), order, HealthPolicy.defaults)

  it("the rules of the fold have the number 4 as long as they fold this history to this result: raise `Health.rules` with every other one", () => {
    const digest = createHash("sha256").update(JSON.stringify(folded.slots)).update(folded.counts.bytes).digest("hex")
    assert.deepStrictEqual(
      [Replay.rules, digest],
      [4, "9385dfb29c8b489a12afa67c946f7664e6376b9bf51cf3570cd016baea7600e6"]
    )
  })

  it("all take part in that history", () => {
    const used = new Set(
      history().flatMap((_, index, all) =>
        index % 500 === 0
          ? Replay.replay(Replay.empty, all.slice(0, index), order, HealthPolicy.defaults).slots.map(
              (slot) => slot?.state.rule
            )
          : []
      )
    )
    for (const rule of Health.Rule.literals) assert.isTrue(used.has(rule), rule)
  })
})
