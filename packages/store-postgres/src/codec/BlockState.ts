/**
 * The health of the 64 tests of a block after every execution, packed.
 *
 * Tests of the same shape (`SlotShape`) are packed together: their shape once, their instants as columns (`NumberColumn`).
 *
 * Layout (integers as `ByteWriter` writes them):
 * ```
 * header (`Header`)
 * integer used                         number of slots up to the last test with executions; nothing follows 0
 * integer n; n x integer               the slots among them without executions
 * integer epoch                        the latest instant at which a test was executed
 * integer n; n x memory                the distinct lists of remembered commits
 * integer n                            number of groups, the largest first
 * (n - 1) x (integer k, k x integer)   the slots of each group but the first one, which has all others
 * n x (shape, columns)                 the shape of each group, and the instants of its tests by `SlotInstants.field`
 * memory: integer k, k x signed difference to the commit before, their outcomes, four to a byte
 * ```
 * An instant is packed as 0 for null, else as twice its distance back from the epoch or, for some fields, from another
 * instant of the test ({@link origins}), plus 1. A column is left out where a shape has no such mark.
 */
import { Result } from "effect"
import * as BlockGroups from "./BlockGroups.ts"
import { slots as mostSlots } from "./BlockCounts.ts"
import type { BlockState, Slot } from "./BlockSlot.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Header from "./Header.ts"
import type { LayoutError } from "./LayoutError.ts"
import * as NumberColumn from "./NumberColumn.ts"
import * as SlotInstants from "./SlotInstants.ts"
import * as SlotShape from "./SlotShape.ts"

export type { BlockState, Slot } from "./BlockSlot.ts"

/** The version of the layout. */
export const version = 1

/** Packs the tests of a block: equal tests yield equal bytes. */
export const encode = (state: BlockState): Uint8Array => encodeGroups(BlockGroups.of(state))

/** Packs the tests of a block like {@link encode}. */
export const encodeGroups = (block: BlockGroups.BlockGroups): Uint8Array => {
  const writer = new ByteWriter(version, 1024)
  const groups = BlockGroups.merged(block)
  const used = groups.reduce((most, { slots }) => Math.max(most, (slots.at(-1) ?? -1) + 1), 0)
  writer.integer(used)
  if (used === 0) return writer.finish()
  writeSlots(writer, unusedIn(groups, used))
  const epoch = epochOf(block, groups)
  writer.integer(epoch)
  const memories = memoriesOf(groups)
  writer.integer(memories.length)
  for (const memory of memories) writeMemory(writer, memory)
  writer.integer(groups.length)
  for (const { slots } of groups.slice(1)) writeSlots(writer, slots)
  for (const { shape, slots } of groups) {
    const memory = memories.findIndex((other) => SlotShape.isSameMemory(other, shape.state))
    SlotShape.write(writer, shape, memory)
    writeInstants(writer, { instants: block.instants, shape, slots, epoch })
  }
  return writer.finish()
}

/** Unpacks the tests of a block. */
export const decode = (bytes: Uint8Array): Result.Result<BlockState, LayoutError> =>
  Result.map(decodeGroups(bytes), BlockGroups.stateOf)

/** Unpacks the tests of a block in groups. The instants of another block may be given, which are replaced. */
export const decodeGroups = (
  bytes: Uint8Array,
  instants = SlotInstants.make()
): Result.Result<BlockGroups.BlockGroups, LayoutError> =>
  Header.decoding(() => read(new ByteReader("BlockState", bytes, version), instants))

const read = (reader: ByteReader, instants: SlotInstants.SlotInstants): BlockGroups.BlockGroups => {
  const block: BlockGroups.BlockGroups = { instants, groups: [] }
  const used = reader.integer()
  if (used > mostSlots) reader.refuse("more tests than a block has")
  if (used > 0) {
    const unused = readSlots(reader, used)
    const epoch = reader.integer()
    const memories: Array<SlotShape.Memory> = []
    for (let left = reader.count(); left > 0; left--) memories.push(readMemory(reader))
    const count = reader.count()
    if (count === 0 || count > used) reader.refuse(`${count} groups of ${used} tests`)
    const lists = readGroups(reader, used, { unused, count })
    block.groups = lists.map((slots) => {
      const shape = SlotShape.read(reader, memories)
      readInstants(reader, { instants: block.instants, shape, slots, epoch })
      return { shape, slots }
    })
  }
  reader.end()
  return block
}

/** The field that an instant is usually equal to; the epoch for others. */
const origins: ReadonlyArray<number | undefined> = (() => {
  const { episode, episodeAt, failed, failure, first, last, lastSuccess, trigger, onset } = SlotInstants.field
  const found: Array<number | undefined> = []
  found[first] = trigger
  found[lastSuccess] = last
  found[episodeAt] = episode
  found[onset] = episode
  found[failed] = failure
  return found
})()

interface Packed {
  readonly instants: SlotInstants.SlotInstants
  readonly shape: Slot
  readonly slots: ReadonlyArray<number>
  readonly epoch: number
}

const { at, none, place } = SlotInstants

const writeInstants = (writer: ByteWriter, { epoch, instants, shape, slots }: Packed): void => {
  const numbers = new Float64Array(slots.length)
  for (let field = 0; field < SlotInstants.fields; field++) {
    if (isLeftOut(shape, field)) continue
    const [start, from] = [place(field, 0), originOf(field)]
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] ?? 0
      const instant = at(instants, start + slot)
      const origin = from === null ? none : at(instants, from + slot)
      numbers[index] = instant === none ? 0 : 2 * ((origin === none ? epoch : origin) - instant) + 1
    }
    NumberColumn.write(writer, numbers)
  }
}

const readInstants = (reader: ByteReader, { epoch, instants, shape, slots }: Packed): void => {
  const numbers = new Float64Array(slots.length)
  for (let field = 0; field < SlotInstants.fields; field++) {
    const [start, from] = [place(field, 0), originOf(field)]
    const isMissing = isLeftOut(shape, field) || (NumberColumn.read(reader, numbers) && numbers[0] === 0)
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] ?? 0
      const number = isMissing ? 0 : (numbers[index] ?? 0)
      const origin = from === null ? none : at(instants, from + slot)
      instants[start + slot] = number === 0 ? none : (origin === none ? epoch : origin) - (number - 1) / 2
    }
  }
}

/** The start of the column that a field is packed relative to; null for the epoch. */
const originOf = (field: number): number | null => {
  const origin = origins[field]
  return origin === undefined ? null : place(origin, 0)
}

/** Whether a shape has no mark for a field. */
const isLeftOut = ({ state: { episode, onset, opening } }: Slot, field: number): boolean =>
  (field === SlotInstants.field.episode && episode === null) ||
  (field === SlotInstants.field.onset && onset === null) ||
  (field === SlotInstants.field.opening && opening === null)

const epochOf = ({ instants }: BlockGroups.BlockGroups, groups: ReadonlyArray<BlockGroups.Group>): number => {
  let epoch = 0
  for (const { slots } of groups) {
    for (const slot of slots) epoch = Math.max(epoch, at(instants, place(SlotInstants.field.last, slot)))
  }
  return epoch
}

const unusedIn = (groups: ReadonlyArray<BlockGroups.Group>, used: number): ReadonlyArray<number> => {
  if (groups.reduce((sum, { slots }) => sum + slots.length, 0) === used) return []
  const shapes = BlockGroups.shapesIn({ groups })
  return Array.from({ length: used }, (_, slot) => slot).filter((slot) => shapes[slot] === undefined)
}

const memoriesOf = (groups: ReadonlyArray<BlockGroups.Group>): ReadonlyArray<SlotShape.Memory> => {
  const distinct: Array<SlotShape.Memory> = []
  for (const { shape } of groups) {
    if (!distinct.some((memory) => SlotShape.isSameMemory(memory, shape.state))) distinct.push(shape.state)
  }
  return distinct
}

const writeSlots = (writer: ByteWriter, slots: ReadonlyArray<number>): void => {
  writer.integer(slots.length)
  for (const slot of slots) writer.integer(slot)
}

const readSlots = (reader: ByteReader, used: number): ReadonlyArray<number> => {
  const slots: Array<number> = []
  for (let left = reader.count(); left > 0; left--) {
    const slot = reader.integer()
    if (slot >= used) reader.refuse(`slot ${slot} of ${used}`)
    slots.push(slot)
  }
  return slots
}

/** The slots of each group; refuses a slot in two groups, and a group without slots. */
const readGroups = (
  reader: ByteReader,
  used: number,
  { count, unused }: { readonly unused: ReadonlyArray<number>; readonly count: number }
): ReadonlyArray<ReadonlyArray<number>> => {
  const isTaken = new Uint8Array(used)
  for (const slot of unused) isTaken[slot] = 1
  const lists: Array<ReadonlyArray<number>> = []
  let listed = unused.length
  for (let left = count - 1; left > 0; left--) {
    const list = readSlots(reader, used)
    for (const slot of list) isTaken[slot] = 1
    lists.push(list)
    listed += list.length
  }
  const first: Array<number> = []
  for (let slot = 0; slot < used; slot++) if (isTaken[slot] === 0) first.push(slot)
  const all = [first, ...lists]
  if (listed + first.length !== used || all.some((list) => list.length === 0)) {
    reader.refuse("a slot is not in one group")
  }
  return all
}

const writeMemory = (writer: ByteWriter, { commits, outcomes }: SlotShape.Memory): void => {
  writer.integer(commits.length)
  let before = 0
  for (const commit of commits) {
    writer.signed(commit - before)
    before = commit
  }
  for (let index = 0; index < outcomes.length; index += 4) {
    let byte = 0
    for (let part = 0; part < 4; part++) byte |= (outcomes[index + part] ?? 0) << (2 * part)
    writer.byte(byte)
  }
}

const readMemory = (reader: ByteReader): SlotShape.Memory => {
  const commits: Array<number> = []
  let commit = 0
  for (let left = reader.count(); left > 0; left--) {
    commit += reader.signed()
    commits.push(commit)
  }
  const outcomes: Array<number> = []
  let byte = 0
  for (let index = 0; index < commits.length; index++) {
    byte = index % 4 === 0 ? reader.byte() : byte >> 2
    outcomes.push(byte & 3)
  }
  return { commits, outcomes }
}
