/**
 * The tests of a block by shape.
 *
 * Most tests of a job pass in the same uploads, so that their states differ in instants only. What such tests share is
 * folded and packed once for all of them.
 */
import type { Instant } from "@lazaret/domain"
import { slots } from "./BlockCounts.ts"
import type { BlockState, Slot } from "./BlockSlot.ts"
import * as SlotInstants from "./SlotInstants.ts"
import * as SlotShape from "./SlotShape.ts"

/** Tests of one shape. Their instants are those of the block, not those in `shape`. */
export interface Group {
  readonly shape: Slot
  readonly slots: ReadonlyArray<number>
}

/** The tests of a block: each test with executions is in one group, and `instants` holds the instants of all. */
export interface BlockGroups {
  readonly instants: SlotInstants.SlotInstants
  groups: ReadonlyArray<Group>
}

/** A block without tests. */
const make = (): BlockGroups => ({ instants: SlotInstants.make(), groups: [] })

/** The tests of a block in groups, which need not be of distinct shapes yet ({@link merged}). */
export const of = (state: BlockState): BlockGroups => {
  const block = make()
  block.groups = state.flatMap((shape, slot) => {
    if (shape === undefined) return []
    SlotInstants.set(block.instants, slot, shape)
    return [{ shape, slots: [slot] }]
  })
  return block
}

/** The shape of each test by slot; undefined for a test without executions. */
export const shapesIn = ({ groups }: Pick<BlockGroups, "groups">): Array<Slot | undefined> => {
  const shapes: Array<Slot | undefined> = []
  for (let slot = 0; slot < slots; slot++) shapes.push(undefined)
  for (const { shape, slots: members } of groups) for (const slot of members) shapes[slot] = shape
  return shapes
}

/** The groups of tests with the same shape object. */
export const groupsOf = (shapes: ReadonlyArray<Slot | undefined>): ReadonlyArray<Group> => {
  const groups: Array<{ readonly shape: Slot; readonly slots: Array<number> }> = []
  let latest: (typeof groups)[number] | undefined
  for (let slot = 0; slot < shapes.length; slot++) {
    const shape = shapes[slot]
    if (shape === undefined) continue
    // Most neighbours are of one group.
    if (latest?.shape !== shape) latest = groups.find((group) => group.shape === shape)
    if (latest === undefined) {
      latest = { shape, slots: [slot] }
      groups.push(latest)
    } else latest.slots.push(slot)
  }
  return groups
}

/** The test at a slot; undefined without executions. */
export const at = ({ groups, instants }: BlockGroups, slot: number): Slot | undefined => {
  const group = groups.find(({ slots: members }) => members.includes(slot))
  return group === undefined ? undefined : SlotInstants.applied(instants, slot, group.shape)
}

/** The instant of the latest item that was folded into a test of a shape. */
export const foldedUntil = ({ instants }: Pick<BlockGroups, "instants">, shape: Slot, slot: number): Instant.Instant =>
  Math.max(
    SlotInstants.at(instants, SlotInstants.place(SlotInstants.field.last, slot)),
    shape.state.elsewhere[0]?.at ?? 0
  )

/** Every test of a block by slot, up to the last one with executions. */
export const stateOf = (block: BlockGroups): BlockState => {
  const shapes = shapesIn(block)
  const used = shapes.findLastIndex((shape) => shape !== undefined) + 1
  return shapes
    .slice(0, used)
    .map((shape, slot) => (shape === undefined ? undefined : SlotInstants.applied(block.instants, slot, shape)))
}

/** Groups of distinct shapes, the largest first. Of groups of one size, that with the lowest slot comes first. */
export const merged = ({ groups }: Pick<BlockGroups, "groups">): ReadonlyArray<Group> => {
  const found: Array<{ readonly shape: Slot; slots: ReadonlyArray<number> }> = []
  for (const group of groups) {
    const same = found.find(({ shape }) => SlotShape.isSame(shape, group.shape))
    if (same === undefined) found.push({ ...group })
    else same.slots = [...same.slots, ...group.slots].sort((a, b) => a - b)
  }
  return found.sort((a, b) => b.slots.length - a.slots.length || (a.slots[0] ?? 0) - (b.slots[0] ?? 0))
}
