/**
 * Extends the fold of a block by executions that follow all folded ones.
 *
 * Nearly all executions of an upload are steady passes (`Health.isSteady`) of tests of the same shape. These are computed
 * once for each shape.
 */
import { Health, type HealthPolicy, Instant } from "@lazaret/domain"
import * as BlockCounts from "../codec/BlockCounts.ts"
import * as BlockGroups from "../codec/BlockGroups.ts"
import type { Slot } from "../codec/BlockState.ts"
import type { PackedExecution } from "../codec/ResultChunk.ts"
import * as SlotInstants from "../codec/SlotInstants.ts"
import * as Replay from "./Replay.ts"

/** A block and the day of its latest execution. */
export interface Block {
  readonly lastDay: number
  readonly counts: BlockCounts.BlockCounts
  readonly tests: BlockGroups.BlockGroups
}

/** The executions of one upload. */
export interface Part {
  readonly chunk: Replay.Chunk
  readonly executions: ReadonlyArray<PackedExecution>
}

/** The executions of a part as the fold reads them. */
export const executionsOf = ({ chunk, executions }: Part): ReadonlyArray<Replay.FoldExecution> =>
  executions.map((packed) => Replay.executionOf(packed, chunk))

/** The order of executions and the policy of a fold. */
export interface Rules {
  readonly compare: ReturnType<typeof Replay.order>
  readonly policy: HealthPolicy.HealthPolicy
}

/**
 * A block after more executions.
 *
 * **Details**
 *
 * `day` is the day of all new executions, when the block has none of a later day; then there are no `steps`. Otherwise `day`
 * is null, and `steps` are the totals of each test on each of their days, in the order of days.
 */
export interface Extended {
  readonly counts: BlockCounts.BlockCounts
  readonly tests: BlockGroups.BlockGroups
  readonly day: number | null
  readonly steps: ReadonlyArray<Replay.Step>
}

/** A block after more executions; null stands for an empty block. The instants of another block are changed in place. */
export const extend = (before: Block | null, parts: ReadonlyArray<Part>, rules: Rules): Extended => {
  const day = dayOf(parts)
  const isLatest = day !== null && day >= (before?.lastDay ?? day)
  const ordered = parts.toSorted((a, b) => (a.executions[0]?.at ?? 0) - (b.executions[0]?.at ?? 0))
  const work: Work = {
    ...rules,
    counts: BlockCounts.copy(before?.counts ?? Replay.empty.counts),
    instants: before?.tests.instants ?? SlotInstants.make(),
    shapes: BlockGroups.shapesIn(before?.tests ?? noTests),
    steps: []
  }
  if (isLatest && isAscending(ordered)) for (const part of ordered) addPart(work, part)
  else
    for (const [slot, list] of Replay.bySlot(parts.flatMap(executionsOf))) add(work, slot, list.toSorted(rules.compare))
  const { counts, instants, shapes, steps } = work
  const tests = { instants, groups: BlockGroups.groupsOf(shapes) }
  return isLatest ? { counts, tests, day, steps: [] } : { counts, tests, day: null, steps }
}

const noTests = { groups: [] }

/** A block while it is extended: its totals, and the shape and instants of its tests by slot. */
interface Work extends Rules {
  readonly counts: BlockCounts.BlockCounts
  readonly instants: SlotInstants.SlotInstants
  readonly shapes: Array<Slot | undefined>
  readonly steps: Array<Replay.Step>
}

/** The UTC day of all executions, null when they are of several days. */
const dayOf = (parts: ReadonlyArray<Part>): number | null => {
  let [least, most] = [Infinity, -Infinity]
  for (const { executions } of parts) {
    for (const { at } of executions) {
      if (at < least) least = at
      if (at > most) most = at
    }
  }
  const day = Instant.utcDay(least)
  return day === Instant.utcDay(most) ? day : null
}

/** Whether no upload has two executions of a test, and each execution of a test is later than those in the uploads before. */
const isAscending = (parts: ReadonlyArray<Part>): boolean => {
  const latest = new Float64Array(BlockCounts.slots).fill(-Infinity)
  const seenIn = new Int32Array(BlockCounts.slots).fill(-1)
  for (const [index, { executions }] of parts.entries()) {
    for (const { at, slot } of executions) {
      if (at <= (latest[slot] ?? 0) || seenIn[slot] === index) return false
      latest[slot] = at
      seenIn[slot] = index
    }
  }
  return true
}

/** Adds the executions of an upload, at most one of each test. */
const addPart = (work: Work, part: Part): void => {
  const passes = new Map<Slot, Array<PackedExecution>>()
  for (const packed of part.executions) {
    const shape = work.shapes[packed.slot]
    if (shape === undefined || !isPlainPass(packed)) addOne(work, part, packed)
    else {
      const list = passes.get(shape)
      if (list === undefined) passes.set(shape, [packed])
      else list.push(packed)
    }
  }
  for (const [shape, list] of passes) addPasses(work, shape, { ...part, executions: list })
}

/** Whether an execution is a pass that differs from others of its upload in its test, instant and duration only. */
const isPlainPass = ({ conclusion, flaky, ordinal, reruns }: PackedExecution): boolean =>
  conclusion === "passed" && !flaky && reruns === 0 && ordinal === 0

/** Adds passes of tests of one shape. */
const addPasses = (work: Work, shape: Slot, part: Part): void => {
  const { counts, instants, policy, shapes } = work
  const [first, ...others] = part.executions
  if (first === undefined) return
  const ledger = { counts, steps: work.steps, slot: first.slot }
  const after = Health.isSteady(shape.state, part.chunk.commit)
    ? Replay.replaySlot(shape, ledger, [Replay.executionOf(first, part.chunk)], policy)
    : undefined
  if (after === undefined) {
    for (const packed of part.executions) addOne(work, part, packed)
    return
  }
  const reruns = after.state.reruns - shape.state.reruns
  for (const packed of others) {
    BlockCounts.add(counts, packed.slot, { conclusion: "passed", reruns, durationUs: Replay.durationUsOf(packed) })
    BlockCounts.setVerdict(counts, packed.slot, after.state.status, after.state.reruns)
  }
  for (const { at, slot } of part.executions) {
    shapes[slot] = after
    instants[SlotInstants.place(SlotInstants.field.last, slot)] = at
    instants[SlotInstants.place(SlotInstants.field.lastSuccess, slot)] = at
  }
}

const addOne = (work: Work, { chunk }: Part, packed: PackedExecution): void =>
  add(work, packed.slot, [Replay.executionOf(packed, chunk)])

/** Adds executions of one test, in their order. */
const add = (
  { counts, instants, policy, shapes, steps }: Work,
  slot: number,
  sorted: ReadonlyArray<Replay.FoldExecution>
): void => {
  const shape = shapes[slot]
  const before = shape === undefined ? undefined : SlotInstants.applied(instants, slot, shape)
  const after = Replay.replaySlot(before, { counts, steps, slot }, sorted, policy)
  if (after === undefined) return
  shapes[slot] = after
  SlotInstants.set(instants, slot, after)
}
