import { Health, HealthPolicy } from "@lazaret/domain"
import { histories, type HistoryExecution } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import * as BlockState from "../../src/codec/BlockState.ts"
import * as Surrogate from "../../src/codec/Surrogate.ts"
import { withVersion } from "../support/packed.ts"

const policies = [
  HealthPolicy.defaults,
  { ...HealthPolicy.defaults, rememberedCommits: 3, brokenCommits: 2, cleanDays: 0 }
]

/** The names that the store uses. */
const renamed = (execution: HistoryExecution, index: number): HistoryExecution => ({
  ...execution,
  id: Surrogate.execution(index * 3, index % 5 === 0 ? 7 : 0),
  commit: Surrogate.commit(Number(execution.commit.slice(1)))
})

const slotOf = (
  history: ReadonlyArray<HistoryExecution>,
  policy: HealthPolicy.HealthPolicy
): BlockState.Slot | undefined => {
  const executions = history.map(renamed)
  const last = executions.at(-1)
  const first = executions[0]
  if (first === undefined || last === undefined) return undefined
  const latest = (conclusion: string) => executions.findLast((each) => each.conclusion === conclusion)?.at ?? null
  return {
    state: Health.fold(Health.initial, executions, policy),
    last: { id: last.id, at: last.at, commit: last.commit },
    lastConclusion: last.conclusion,
    firstAt: first.at,
    lastFailureAt: latest("failed"),
    lastSuccessAt: latest("passed")
  }
}

/** Blocks in which some tests have the same history, as the tests of a job do. */
const blocks = Arbitrary.map(
  Arbitrary.array(histories({ length: 40 }), { maxLength: 12 }),
  (all): BlockState.BlockState =>
    all.flatMap((history, index) => {
      const slot = slotOf(history, policies[index % 2] ?? HealthPolicy.defaults)
      return index % 3 === 0 ? [slot, slot, undefined] : [slot]
    })
)

const withoutTrailing = (slots: BlockState.BlockState): BlockState.BlockState =>
  slots.slice(0, slots.findLastIndex((slot) => slot !== undefined) + 1)

describe("BlockState", () => {
  it.prop("unpacks every test of a block as it was packed", { slots: blocks }, ({ slots }) => {
    const unpacked = Result.getOrThrow(BlockState.decode(BlockState.encode(slots)))
    assert.deepStrictEqual(unpacked, withoutTrailing(slots))
  })

  it("needs less than 20 bytes for a test that ran like the one before it", () => {
    const history = Array.from({ length: 40 }, (_, index): HistoryExecution => ({
      id: "",
      at: 1_779_278_400_000 + index * 3_600_000,
      commit: `c${index}`,
      conclusion: "passed",
      flaky: false,
      reruns: 0,
      excused: false,
      durationMs: 1
    }))
    const slot = slotOf(history, HealthPolicy.defaults)
    const [one, all] = [[slot], Array.from({ length: 64 }, () => slot)].map((slots) => BlockState.encode(slots).length)
    assert.isBelow(((all ?? Infinity) - (one ?? 0)) / 63, 20)
  })

  it("refuses a version that it does not know", () => {
    const refused = Result.getOrThrow(Result.flip(BlockState.decode(withVersion(BlockState.encode([]), 2))))
    assert.deepInclude(refused, { codec: "BlockState", version: 2 })
  })
})
