import { assert, describe, it } from "@effect/vitest"
import { Instant } from "@lazaret/domain"
import * as Driven from "../../src/queue/Driven.ts"
import * as Judges from "../../src/queue/Judges.ts"
import * as Measured from "../../src/queue/Measured.ts"
import * as Native from "../../src/queue/Native.ts"
import * as World from "../../src/queue/World.ts"

const world: World.World = {
  days: 1,
  perDay: 40,
  clumped: 0.1,
  bad: 0.05,
  conflicting: 0.003,
  breaking: 0.002,
  flakes: 0.1,
  round: 30 * Instant.minute,
  spread: 0.3,
  seed: 1000
}

const drawn = World.drawn(world)

const judge = Judges.named["measured"] ?? (() => [])

describe("the simulated merge queues", () => {
  it("draws the same pull requests for the same seed", () => {
    assert.deepStrictEqual(World.drawn(world), drawn)
    assert.notDeepEqual(World.drawn({ ...world, seed: 2000 }), drawn)
  })

  it("batches of four need far fewer runs than one by one, and evict few innocents", () => {
    const of = (batchSize: number) =>
      Measured.figures([Driven.simulate({ batchSize, parallel: 2, judge }, world, drawn)])
    const [one, four] = [of(1), of(4)]
    assert.isBelow(four.runs, 0.6 * one.runs)
    assert.isBelow(four.p90, one.p90)
    assert.isBelow(four.innocent, 3)
  })

  it("the gate keeps innocents that the queue of the platform evicts by itself", () => {
    const of = (gate: boolean) =>
      Native.simulate({ building: 5, eviction: "in turn", judge: gate ? judge : null }, world, drawn)
    const [alone, gated] = [of(false), of(true)]
    assert.isBelow(gated.evicted, alone.evicted / 2)
    assert.isAtMost(gated.runs / gated.merged, alone.runs / alone.merged)
  })

  it("nothing bad lands where every break fails in each run", () => {
    const always = {
      ...drawn,
      pulls: drawn.pulls.map((pull) => (pull.kind === "intermittent" ? { ...pull, kind: "bad" as const } : pull))
    }
    const measured = [
      Driven.simulate({ batchSize: 4, parallel: 4, judge }, world, always),
      Native.simulate({ building: 5, eviction: "in turn", judge }, world, always)
    ]
    assert.deepStrictEqual(
      measured.map(({ badLanded }) => badLanded),
      [0, 0]
    )
    assert.isAbove(always.pulls.filter(({ kind }) => kind === "bad").length, 0)
  })
})
