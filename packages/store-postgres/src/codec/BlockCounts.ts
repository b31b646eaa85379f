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
 *
 * @since 0.1.0
 */
import { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { LayoutError } from "./LayoutError.ts"

/**
 * The number of tests in a block.
 *
 * @category constants
 * @since 0.1.0
 */
export const slots = 64

/**
 * The version of the layout at the close of a day.
 *
 * @category constants
 * @since 0.1.0
 */
export const version = 1

/**
 * The totals of a block, one number per test in each.
 *
 * @category models
 * @since 0.1.0
 */
export interface BlockCounts {
  readonly executions: Float64Array
  readonly failed: Float64Array
  readonly skipped: Float64Array
  readonly reruns: Float64Array
  readonly durationUs: Float64Array
  readonly status: Uint8Array
}

/**
 * The totals of no executions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): BlockCounts => ({
  executions: new Float64Array(slots),
  failed: new Float64Array(slots),
  skipped: new Float64Array(slots),
  reruns: new Float64Array(slots),
  durationUs: new Float64Array(slots),
  status: new Uint8Array(slots)
})

/**
 * Totals of their own that start as these.
 *
 * @category operations
 * @since 0.1.0
 */
export const copy = (counts: BlockCounts): BlockCounts => ({
  executions: counts.executions.slice(),
  failed: counts.failed.slice(),
  skipped: counts.skipped.slice(),
  reruns: counts.reruns.slice(),
  durationUs: counts.durationUs.slice(),
  status: counts.status.slice()
})

/**
 * The totals of one test.
 *
 * @category models
 * @since 0.1.0
 */
export type Test = { readonly [K in keyof BlockCounts]: number }

/**
 * The totals of one test.
 *
 * @category accessors
 * @since 0.1.0
 */
export const get = (counts: BlockCounts, slot: number): Test => ({
  executions: at(counts.executions, slot),
  failed: at(counts.failed, slot),
  skipped: at(counts.skipped, slot),
  reruns: at(counts.reruns, slot),
  durationUs: at(counts.durationUs, slot),
  status: at(counts.status, slot)
})

/**
 * Replaces the totals of one test.
 *
 * @category operations
 * @since 0.1.0
 */
export const set = (counts: BlockCounts, slot: number, test: Test): void => {
  counts.executions[slot] = test.executions
  counts.failed[slot] = test.failed
  counts.skipped[slot] = test.skipped
  counts.reruns[slot] = test.reruns
  counts.durationUs[slot] = test.durationUs
  counts.status[slot] = test.status
}

/**
 * The totals of what lies between two moments; the status is that of the later one.
 *
 * @category operations
 * @since 0.1.0
 */
export const difference = (later: BlockCounts, earlier: BlockCounts): BlockCounts => ({
  executions: less(later.executions, earlier.executions),
  failed: less(later.failed, earlier.failed),
  skipped: less(later.skipped, earlier.skipped),
  reruns: less(later.reruns, earlier.reruns),
  durationUs: less(later.durationUs, earlier.durationUs),
  status: later.status
})

/**
 * Packs the latest totals.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (counts: BlockCounts): Uint8Array => {
  const bytes = new Uint8Array(slots * width)
  const view = new DataView(bytes.buffer)
  for (let slot = 0; slot < slots; slot++) {
    const duration = Math.min(at(counts.durationUs, slot), Number.MAX_SAFE_INTEGER)
    const offset = slot * width
    view.setUint32(offset, at(counts.executions, slot), true)
    view.setUint32(offset + 4, at(counts.failed, slot), true)
    view.setUint32(offset + 8, at(counts.skipped, slot), true)
    view.setUint32(offset + 12, at(counts.reruns, slot), true)
    view.setUint32(offset + 16, duration % word, true)
    view.setUint32(offset + 20, Math.floor(duration / word), true)
    view.setUint8(offset + 24, at(counts.status, slot))
  }
  return bytes
}

/**
 * Unpacks the latest totals.
 *
 * @category encoding
 * @since 0.1.0
 */
export const decode = (bytes: Uint8Array): BlockCounts => {
  const counts = make()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let slot = 0; slot < slots; slot++) {
    const offset = slot * width
    counts.executions[slot] = view.getUint32(offset, true)
    counts.failed[slot] = view.getUint32(offset + 4, true)
    counts.skipped[slot] = view.getUint32(offset + 8, true)
    counts.reruns[slot] = view.getUint32(offset + 12, true)
    counts.durationUs[slot] = view.getUint32(offset + 16, true) + view.getUint32(offset + 20, true) * word
    counts.status[slot] = view.getUint8(offset + 24)
  }
  return counts
}

/**
 * Packs the totals at the close of a day; the status is left out.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encodeClosing = (counts: BlockCounts): Uint8Array => {
  const used = counts.executions.findLastIndex((executions) => executions > 0) + 1
  writer.byte(version)
  for (let slot = 0; slot < used; slot++) {
    const executions = at(counts.executions, slot)
    writer.integer(executions)
    if (executions === 0) continue
    writer.integer(at(counts.failed, slot))
    writer.integer(at(counts.skipped, slot))
    writer.integer(at(counts.reruns, slot))
    writer.integer(Math.min(at(counts.durationUs, slot), Number.MAX_SAFE_INTEGER))
  }
  return writer.take()
}

/**
 * Unpacks the totals at the close of a day; every status reads healthy.
 *
 * @category encoding
 * @since 0.1.0
 */
export const decodeClosing = (bytes: Uint8Array): Result.Result<BlockCounts, LayoutError> => {
  const reader = new ByteReader(bytes)
  const found = reader.byte()
  if (found !== version) return Result.fail(new LayoutError({ codec: "BlockCounts", version: found }))
  const counts = make()
  for (let slot = 0; slot < slots; slot++) {
    const executions = reader.integer()
    if (executions === 0) continue
    counts.executions[slot] = executions
    counts.failed[slot] = reader.integer()
    counts.skipped[slot] = reader.integer()
    counts.reruns[slot] = reader.integer()
    counts.durationUs[slot] = reader.integer()
  }
  return Result.succeed(counts)
}

const less = (later: Float64Array, earlier: Float64Array): Float64Array =>
  later.map((value, slot) => value - (earlier[slot] ?? 0))

const width = 28
const word = 0x1_0000_0000

const writer = new ByteWriter()

/** Every array has an element for each of the 64 tests. */
const at = (numbers: Float64Array | Uint8Array, slot: number): number => numbers[slot] ?? 0
