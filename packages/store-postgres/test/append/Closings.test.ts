import { assert, describe, it } from "@effect/vitest"
import { HealthPolicy, Instant } from "@lazaret/domain"
import * as fc from "fast-check"
import * as Closings from "../../src/blocks/Closings.ts"
import * as Replay from "../../src/blocks/Replay.ts"
import * as BlockCounts from "../../src/codec/BlockCounts.ts"
import * as ResultChunk from "../../src/codec/ResultChunk.ts"

const drawn = fc.record({
  slot: fc.nat(3),
  hour: fc.nat(240),
  commit: fc.nat(3),
  outcome: fc.constantFrom("passed" as const, "failed" as const, "skipped" as const)
})

/** Uploads in the order of arrival, which is not that of their executions. */
const arrivals = fc.array(fc.array(drawn, { minLength: 1, maxLength: 4 }), { maxLength: 12 })

const executionsOf = (uploads: ReadonlyArray<ReadonlyArray<typeof drawn extends fc.Arbitrary<infer A> ? A : never>>) =>
  uploads.map((upload, index) =>
    upload.map(({ commit, hour, outcome, slot }, ordinal): Replay.FoldExecution => {
      const packed: ResultChunk.PackedExecution = {
        slot,
        ordinal,
        at: hour * Instant.hour,
        durationMs: 1 + ordinal,
        conclusion: outcome,
        flaky: false,
        reruns: 0,
        exceptionType: null,
        source: 0,
        filepath: null,
        functionName: null
      }
      return Replay.executionOf(packed, Replay.chunk(index, commit, 0))
    })
  )

const order = Replay.order((upload) => String(upload).padStart(4, "0"))

const replay = (block: Replay.Block, executions: ReadonlyArray<Replay.FoldExecution>) =>
  Replay.replay(block, executions, order, HealthPolicy.defaults)

interface Kept {
  readonly block: Replay.Block
  readonly before: Closings.Before | null
  readonly closings: ReadonlyMap<number, BlockCounts.BlockCounts>
}

/** Takes an upload as the store does: folds it on, or all of it again when it comes late. */
const arrive = (
  kept: Kept,
  upload: ReadonlyArray<Replay.FoldExecution>,
  all: ReadonlyArray<Replay.FoldExecution>
): Kept => {
  const isLate = upload.some(({ at, slot }) => at <= (kept.block.slots[slot]?.last.at ?? -Infinity))
  const after = isLate ? replay(Replay.empty, all) : replay(kept.block, upload)
  const from = Closings.firstDay(kept.before, after.steps)
  const days = [...kept.closings.keys()].sort((a, b) => a - b)
  const oneBefore = days.findLast((day) => from !== null && day < from) ?? Infinity
  const known = days.filter((day) => from !== null && (day >= from || day === oneBefore))
  const changed = Closings.after(
    kept.before,
    new Map(known.map((day) => [day, kept.closings.get(day) ?? BlockCounts.make()])),
    after.steps
  )
  return {
    block: after,
    before: { lastDay: changed.lastDay, counts: after.counts },
    closings: new Map([...kept.closings, ...changed.closings])
  }
}

const totals = (counts: BlockCounts.BlockCounts) =>
  [0, 1, 2, 3].map((slot) => ({ ...BlockCounts.get(counts, slot), rerunsSince: 0, status: 0 }))

describe("Closings", () => {
  it("closings are the totals up to the end of each day, in any order of arrival", () => {
    fc.assert(
      fc.property(arrivals, (draws) => {
        const uploads = executionsOf(draws)
        let kept: Kept = { block: Replay.empty, before: null, closings: new Map() }
        uploads.forEach((upload, index) => {
          kept = arrive(kept, upload, uploads.slice(0, index + 1).flat())
        })
        const all = uploads.flat()
        const days = new Set(all.map(({ at }) => Instant.utcDay(at)))
        const lastDay = Math.max(...days)
        assert.deepStrictEqual(
          [...kept.closings.keys()].sort((a, b) => a - b),
          [...days].filter((day) => day < lastDay).sort((a, b) => a - b)
        )
        for (const [day, counts] of kept.closings) {
          const until = all.filter(({ at }) => Instant.utcDay(at) <= day)
          assert.deepStrictEqual(totals(counts), totals(replay(Replay.empty, until).counts))
        }
        assert.deepStrictEqual(totals(kept.block.counts), totals(replay(Replay.empty, all).counts))
      })
    )
  })

  it("a closing is written when a later day begins, and not before", () => {
    const [first = [], second = [], third = []] = executionsOf([
      [{ slot: 0, hour: 1, commit: 0, outcome: "passed" }],
      [{ slot: 1, hour: 2, commit: 0, outcome: "failed" }],
      [{ slot: 0, hour: 30, commit: 1, outcome: "passed" }]
    ])
    const empty: Kept = { block: Replay.empty, before: null, closings: new Map() }
    const sameDay = arrive(arrive(empty, first, first), second, [...first, ...second])
    assert.strictEqual(sameDay.closings.size, 0)
    const nextDay = arrive(sameDay, third, [...first, ...second, ...third])
    assert.deepStrictEqual([...nextDay.closings.keys()], [0])
    assert.strictEqual(BlockCounts.get(nextDay.closings.get(0) ?? BlockCounts.make(), 1).failed, 1)
  })
})
