/**
 * What the executions of the 64 tests of a block add up to, since the beginning, with the status of each.
 *
 * Figures of a span of days are the difference of two such totals: the latest one, and the one at the close of the last
 * day before the span.
 *
 * Layout of the latest totals, fixed, so that SQL can read it (view `test_health`). 28 bytes per test, little-endian:
 * ```
 * 0  u32 executions      8  u32 skipped    16  u32 duration, low part     24  u8 status rank   25  3 x 0
 * 4  u32 failed         12  u32 reruns     20  u32 duration, high part
 * ```
 * Layout at the close of a day, short, since there is one per day: `u8 version`, then for each test up to the last one
 * that has executions five integers (see `ByteWriter`): executions, failed, skipped, reruns, duration. A test without
 * executions is one 0.
 *
 * Durations are whole microseconds.
 */
import { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { LayoutError } from "./LayoutError.ts"

/** The number of tests in a block. */
export const slots = 64

/** The version of the layout at the close of a day. */
export const version = 1

/** The totals of a block, in the layout of the latest totals. */
export interface BlockCounts {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** The totals of one test. `status` is the rank of its health status. */
export interface Test {
  readonly executions: number
  readonly failed: number
  readonly skipped: number
  readonly reruns: number
  readonly durationUs: number
  readonly status: number
}

/** The totals of no executions. */
export const make = (): BlockCounts => of(new Uint8Array(slots * width))

/** The totals in these bytes. */
export const of = (bytes: Uint8Array): BlockCounts => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
})

/** Totals of their own that start as these. */
export const copy = (counts: BlockCounts): BlockCounts => of(Uint8Array.from(counts.bytes))

/** The number of executions of one test. */
export const executionsOf = ({ view }: BlockCounts, slot: number): number => view.getUint32(slot * width, true)

/** The status of one test. */
export const statusOf = ({ view }: BlockCounts, slot: number): number => view.getUint8(slot * width + 24)

/** The totals of one test. */
export const get = ({ view }: BlockCounts, slot: number): Test => {
  const offset = slot * width
  return {
    executions: view.getUint32(offset, true),
    failed: view.getUint32(offset + 4, true),
    skipped: view.getUint32(offset + 8, true),
    reruns: view.getUint32(offset + 12, true),
    durationUs: view.getUint32(offset + 16, true) + view.getUint32(offset + 20, true) * word,
    status: view.getUint8(offset + 24)
  }
}

/** Replaces the totals of one test. What is larger than its place is kept as the largest that has one. */
export const set = ({ view }: BlockCounts, slot: number, test: Test): void => {
  const offset = slot * width
  const duration = Math.min(test.durationUs, Number.MAX_SAFE_INTEGER)
  view.setUint32(offset, Math.min(test.executions, largest), true)
  view.setUint32(offset + 4, Math.min(test.failed, largest), true)
  view.setUint32(offset + 8, Math.min(test.skipped, largest), true)
  view.setUint32(offset + 12, Math.min(test.reruns, largest), true)
  view.setUint32(offset + 16, duration % word, true)
  view.setUint32(offset + 20, Math.floor(duration / word), true)
  view.setUint8(offset + 24, test.status)
}

/** Replaces the status of one test. */
export const setStatus = ({ view }: BlockCounts, slot: number, status: number): void =>
  view.setUint8(slot * width + 24, status)

/** The totals of one test between two moments; the status is that of the later one. */
export const difference = (later: BlockCounts, earlier: BlockCounts, slot: number): Test => {
  const end = get(later, slot)
  const start = get(earlier, slot)
  return {
    executions: end.executions - start.executions,
    failed: end.failed - start.failed,
    skipped: end.skipped - start.skipped,
    reruns: end.reruns - start.reruns,
    durationUs: end.durationUs - start.durationUs,
    status: end.status
  }
}

/** Packs the totals at the close of a day; the status is left out. */
export const encodeClosing = (counts: BlockCounts): Uint8Array => {
  let used = slots
  while (used > 0 && executionsOf(counts, used - 1) === 0) used -= 1
  writer.byte(version)
  for (let slot = 0; slot < used; slot++) {
    const test = get(counts, slot)
    writer.integer(test.executions)
    if (test.executions === 0) continue
    writer.integer(test.failed)
    writer.integer(test.skipped)
    writer.integer(test.reruns)
    writer.integer(test.durationUs)
  }
  return writer.take()
}

/** Unpacks the totals at the close of a day; every status reads healthy. */
export const decodeClosing = (bytes: Uint8Array): Result.Result<BlockCounts, LayoutError> => {
  const reader = new ByteReader(bytes)
  const found = reader.byte()
  if (found !== version) return Result.fail(new LayoutError({ codec: "BlockCounts", version: found }))
  const counts = make()
  for (let slot = 0; reader.position < bytes.length; slot++) {
    const executions = reader.integer()
    if (executions === 0) continue
    const [failed, skipped, reruns] = [reader.integer(), reader.integer(), reader.integer()]
    set(counts, slot, { executions, failed, skipped, reruns, durationUs: reader.integer(), status: 0 })
  }
  return Result.succeed(counts)
}

const width = 28
const word = 0x1_0000_0000
const largest = 0xffff_ffff

const writer = new ByteWriter()
