import { assert, describe, it } from "@effect/vitest"
import { HealthPolicy, Instant } from "@lazaret/domain"
import { Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as BlockGroups from "../../src/codec/BlockGroups.ts"
import * as BlockState from "../../src/codec/BlockState.ts"
import * as ResultChunk from "../../src/codec/ResultChunk.ts"
import type { PackedExecution } from "../../src/codec/ResultChunk.ts"
import * as Closings from "../../src/blocks/Closings.ts"
import * as Extension from "../../src/blocks/Extension.ts"
import * as Replay from "../../src/blocks/Replay.ts"

const policy = HealthPolicy.defaults
const compare = Replay.order((upload) => String(upload).padStart(4, "0"))

const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** An upload: how long after the one before, on which commit, and the tests that do not pass once like all others. */
const Upload = Schema.Struct({
  hours: whole(30),
  commit: whole(2),
  odd: Schema.Array(Schema.Struct({ slot: whole(7), kind: whole(7) })).check(Schema.isMaxLength(4))
})

type Odd = (typeof Upload.Type)["odd"][number]

const kinds: ReadonlyArray<Partial<PackedExecution> | "absent" | "twice" | "later"> = [
  "absent",
  "twice",
  "later",
  { conclusion: "failed" },
  { conclusion: "failed", reruns: 1 },
  { conclusion: "skipped" },
  { flaky: true, reruns: 1 },
  { reruns: 2 }
]

const executionsOf = (at: Instant.Instant, odd: ReadonlyArray<Odd>): ReadonlyArray<PackedExecution> => {
  const execution = (slot: number, ordinal: number): PackedExecution => ({
    slot,
    ordinal,
    at: at + slot,
    durationMs: 1 + slot,
    conclusion: "passed",
    flaky: false,
    reruns: 0,
    exceptionType: null,
    source: 0,
    filepath: null,
    functionName: null
  })
  return Array.from({ length: 8 }, (_, slot) => slot).flatMap((slot) => {
    const kind = kinds[odd.find((each) => each.slot === slot)?.kind ?? kinds.length]
    if (kind === "absent") return []
    if (kind === "twice") return [execution(slot, 0), execution(slot, 1)]
    if (kind === "later") return [execution(slot, 0), { ...execution(slot, 1), at: at + slot + 1, reruns: 1 }]
    return [{ ...execution(slot, 0), ...kind }]
  })
}

/** Failures of every third upload with many of them are excused, or belong to an outage. */
const flagsOf = (upload: number, odd: ReadonlyArray<Odd>): number =>
  odd.length < 3 ? 0 : ([ResultChunk.flags.excused, ResultChunk.flags.outage, ResultChunk.flags.many][upload % 3] ?? 0)

/** The uploads of a history; the tests in them are about eight, and most pass. */
const partsOf = (uploads: ReadonlyArray<typeof Upload.Type>): ReadonlyArray<Extension.Part> => {
  let at = Date.UTC(2026, 0, 1, 20)
  let commit = 1
  return uploads.map(({ commit: step, hours, odd }, index) => {
    at += hours * Instant.hour + 1000
    commit += step
    return { chunk: Replay.chunk(index + 1, commit, flagsOf(index, odd)), executions: executionsOf(at, odd) }
  })
}

const uploads = Arbitrary.array(Arbitrary.schema(Upload), { maxLength: 30 })

describe("Extension", () => {
  it.prop(
    "a block that is extended upload by upload equals the fold of all its executions",
    { uploads, together: whole(3) },
    ({ together, uploads: drawn }) => {
      const parts = partsOf(drawn)
      let block: Extension.Block | null = null
      for (let start = 0; start < parts.length; start += together + 1) {
        const some = parts.slice(start, start + together + 1)
        const before: Replay.Block =
          block === null ? Replay.empty : { counts: block.counts, slots: BlockGroups.stateOf(block.tests) }
        const { steps } = Replay.replay(before, some.flatMap(Extension.executionsOf), compare, policy)
        const closed = Closings.after(block, new Map(), steps)
        const extended: Extension.Extended = Extension.extend(block, some, { compare, policy })
        if (extended.day === null) assert.sameDeepMembers([...extended.steps], [...steps])
        else assert.deepStrictEqual(Closings.afterDay(block, extended.day), closed)
        // As it is stored between two uploads.
        const packed = BlockState.encodeGroups(extended.tests)
        const tests = Result.getOrThrow(BlockState.decodeGroups(packed))
        assert.deepStrictEqual(BlockState.encode(BlockGroups.stateOf(extended.tests)), packed)
        block = { counts: extended.counts, tests, lastDay: closed.lastDay }
      }
      const folded = Replay.replay(Replay.empty, parts.flatMap(Extension.executionsOf), compare, policy)
      assert.deepStrictEqual(block === null ? [] : BlockGroups.stateOf(block.tests), folded.slots)
      assert.deepStrictEqual(block?.counts.bytes ?? folded.counts.bytes, folded.counts.bytes)
    }
  )

  it("tests that pass in every upload stay in one group, whatever others do", () => {
    const parts = partsOf(
      Array.from({ length: 20 }, (_, index) => ({
        hours: 5,
        commit: 1,
        odd: index % 3 === 0 ? [{ slot: 3, kind: 3 }] : []
      }))
    )
    const { tests } = Extension.extend(null, parts.slice(0, 1), { compare, policy })
    const rest = parts
      .slice(1)
      .reduce<Extension.Extended>(
        (before, part) => Extension.extend({ ...before, lastDay: 0 }, [part], { compare, policy }),
        Extension.extend(null, parts.slice(0, 1), { compare, policy })
      )
    assert.strictEqual(BlockGroups.merged(tests).length, 2)
    assert.deepStrictEqual(
      BlockGroups.merged(rest.tests).map(({ slots }) => slots),
      [[0, 1, 2, 4, 5, 6, 7], [3]]
    )
  })

  it("executions of one day on the latest day of a block need no steps", () => {
    const [first, second] = partsOf([
      { hours: 5, commit: 1, odd: [] },
      { hours: 1, commit: 1, odd: [] }
    ])
    assert(first !== undefined && second !== undefined)
    const rules = { compare, policy }
    const { day, steps } = Extension.extend(null, [first], rules)
    assert.deepStrictEqual([day, steps], [Instant.utcDay(first.executions[0]?.at ?? 0), []])
    const onLaterDay = { ...Extension.extend(null, [first], rules), lastDay: (day ?? 0) + 1 }
    assert.strictEqual(Extension.extend(onLaterDay, [second], rules).day, null)
  })
})
