import { Contradiction, Health, HealthPolicy } from "@lazaret/domain"
import { type HistoryExecution, items } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as BlockState from "../../src/codec/BlockState.ts"
import * as Surrogate from "../../src/codec/Surrogate.ts"
import { ByteWriter } from "../../src/codec/ByteWriter.ts"
import * as Header from "../../src/codec/Header.ts"
import { undetected, withVersion } from "../support/packed.ts"

const policies = [
  HealthPolicy.defaults,
  { ...HealthPolicy.defaults, rememberedCommits: 3, brokenCommits: 2, cleanDays: 0 }
]

type Item = HistoryExecution | Contradiction.Contradiction

/** The names that the store uses. */
const renamed = <A extends Item>(item: A, index: number) => ({
  ...item,
  id: Surrogate.id(index * 3, index % 5 === 0 ? 7 : 0),
  commit: Number(item.commit.replace(/\D/gu, ""))
})

const slotOf = (history: ReadonlyArray<Item>, policy: HealthPolicy.HealthPolicy): BlockState.Slot | undefined => {
  const all = history.map(renamed<Item>)
  const executions = Contradiction.executionsIn(history).map(renamed)
  const last = executions.at(-1)
  const first = executions[0]
  if (first === undefined || last === undefined) return undefined
  const latest = (conclusion: string) => executions.findLast((each) => each.conclusion === conclusion)?.at ?? null
  return {
    state: Health.fold(Health.initialOf(), all, policy),
    last: { id: last.id, at: last.at, commit: last.commit },
    lastConclusion: last.conclusion,
    firstAt: first.at,
    lastSuccessAt: latest("passed")
  }
}

/** Blocks in which some tests have the same history, as the tests of a job do. */
const blocks = Arbitrary.map(Arbitrary.array(items({ length: 40 }), { maxLength: 12 }), (all): BlockState.BlockState =>
  all.flatMap((history, index) => {
    const slot = slotOf(history, policies[index % 2] ?? HealthPolicy.defaults)
    return index % 3 === 0 ? [slot, slot, undefined] : [slot]
  })
)

/** Whole numbers from 0 to a maximum. */
const whole = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const passed: HistoryExecution = {
  id: "",
  at: 1_779_278_400_000,
  commit: "c0",
  conclusion: "passed",
  flaky: false,
  reruns: 0,
  excused: false,
  durationMs: 1
}

const withoutTrailing = (slots: BlockState.BlockState): BlockState.BlockState =>
  slots.slice(0, slots.findLastIndex((slot) => slot !== undefined) + 1)

describe("BlockState", () => {
  it.prop("BlockState unpacks every test of a block as it was packed", { slots: blocks }, ({ slots }) => {
    const unpacked = Result.getOrThrow(BlockState.decode(BlockState.encode(slots)))
    assert.deepStrictEqual(unpacked, withoutTrailing(slots))
  })

  it("BlockState packs 64 tests that ran alike, less than 4 bytes for each", () => {
    const history = Array.from({ length: 40 }, (_, index): HistoryExecution => ({
      ...passed,
      at: passed.at + index * 3_600_000,
      commit: `c${index}`
    }))
    const slot = slotOf(history, HealthPolicy.defaults)
    const block = Array.from({ length: 64 }, () => slot)
    const [one, all] = [[slot], block].map((slots) => BlockState.encode(slots))
    assert.isBelow(((all?.length ?? Infinity) - (one?.length ?? 0)) / 63, 4)
    assert.deepStrictEqual(Result.getOrThrow(BlockState.decode(all ?? new Uint8Array())), block)
  })

  it("a block state of an unknown version is refused", () => {
    const refused = Result.getOrThrow(Result.flip(BlockState.decode(withVersion(BlockState.encode([]), 9))))
    assert.deepInclude(refused, { codec: "BlockState", fault: "unknown version 9" })
  })

  it.prop(
    "BlockState refuses every proper prefix and every flipped bit",
    { slots: blocks },
    ({ slots }) => assert.deepStrictEqual(undetected(BlockState.encode(slots.slice(0, 6)), BlockState.decode), []),
    { arbitrary: { runs: 20 } }
  )

  it.prop(
    "BlockState refuses or unpacks whatever stands behind a valid checksum, and never throws",
    { slots: blocks, byte: whole(4096), value: whole(255), end: whole(4096) },
    ({ byte, end, slots, value }) => {
      const bytes = BlockState.encode(slots)
      const changed = bytes.slice(0, Header.width + (end % (bytes.length - Header.width + 1)))
      changed[Header.width + (byte % (bytes.length - Header.width))] = value
      const decoded = BlockState.decode(Header.seal(changed, BlockState.version))
      if (Result.isSuccess(decoded)) assert.isAtMost(decoded.success.length, 64)
    }
  )

  it("a block state with an unknown rule is refused, behind a valid checksum", () => {
    const bytes = BlockState.encode([slotOf([passed], HealthPolicy.defaults)])
    // The slots, six bytes of the epoch, a list of one commit with its outcome, the number of groups, two bytes of the shape.
    const rule = Header.width + 2 + 6 + 4 + 1 + 2
    assert.deepStrictEqual([bytes[rule - 3], bytes[rule]], [1, 0])
    bytes[rule] = 200
    const refused = Result.getOrThrow(Result.flip(BlockState.decode(Header.seal(bytes, BlockState.version))))
    assert.match(refused.fault, /^unknown code 200/)
  })

  it("a block state with a slot that it does not have is refused, behind a valid checksum", () => {
    const [one, other] = [slotOf([passed], HealthPolicy.defaults), slotOf([passed, passed], HealthPolicy.defaults)]
    const bytes = BlockState.encode([one, one, other])
    // The slots, the epoch, a list of one commit, the number of groups, the length of the list of slots of the second group.
    const slot = Header.width + 2 + 6 + 4 + 1 + 1
    assert.deepStrictEqual([bytes[slot - 1], bytes[slot]], [1, 2])
    const again = (to: number) => {
      const changed = bytes.slice()
      changed[slot] = to
      return BlockState.decode(Header.seal(changed, BlockState.version))
    }
    assert.isTrue(Result.isSuccess(again(2)))
    assert.match(Result.getOrThrow(Result.flip(again(3))).fault, /^slot 3 of 3/)
  })

  it("a list that announces more values than there are bytes is refused before they are read", () => {
    const writer = new ByteWriter(BlockState.version)
    writer.integer(1)
    writer.integer(2 ** 40)
    const refused = Result.getOrThrow(Result.flip(BlockState.decode(writer.finish())))
    assert.match(refused.fault, /^ends too early/)
  })
})
