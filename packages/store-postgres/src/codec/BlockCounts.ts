/**
 * The totals of the 64 tests of a block since their first execution, with the status of each test.
 *
 * Figures of a span of days are the difference of two such totals: the latest one, and the one at the close of the last
 * day before the span.
 *
 * The latest totals have a fixed layout, so that SQL can read them (view `test_health`): the header (`Header`), then 28
 * bytes per test, little-endian:
 * ```
 * 0  u32 executions      8  u32 skipped    16  u32 duration, low part     24  u8 status (`Codes`)
 * 4  u32 failed         12  u32 reruns     20  u32 duration, high part    25  u24 reruns since the status last changed
 * ```
 * The totals at the close of a day are short, since there is one per day: the header, then for each test up to the last
 * one that has executions five integers (see `ByteWriter`): executions, failed, skipped, reruns, duration. A test without
 * executions is one 0.
 *
 * Durations are whole microseconds.
 */
import type { Execution, HealthStatus } from "@lazaret/domain"
import type { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Codes from "./Codes.ts"
import * as Header from "./Header.ts"
import { LayoutError } from "./LayoutError.ts"

/** The number of tests in a block. */
export const slots = 64

/** The version of both layouts. */
export const version = 1

/** The place of the latest totals in packed bytes: those of a test begin at `start + slot * width`. */
export const layout = {
  start: Header.width,
  width: 28,
  executions: 0,
  failed: 4,
  skipped: 8,
  reruns: 12,
  duration: 16,
  status: 24
} as const

/** The totals of a block, in the layout of the latest totals without the header. */
export interface BlockCounts {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** The totals of one test. `rerunsSince` counts the reruns since its verdict last moved. */
export interface Test {
  readonly executions: number
  readonly failed: number
  readonly skipped: number
  readonly reruns: number
  readonly durationUs: number
  readonly rerunsSince: number
  readonly status: HealthStatus.HealthStatus
}

/** The totals of no executions. */
export const make = (): BlockCounts => of(new Uint8Array(slots * width))

/** An independent copy of totals. */
export const copy = (counts: BlockCounts): BlockCounts => of(new Uint8Array(counts.bytes))

/** Packs the latest totals. */
export const encode = (counts: BlockCounts): Uint8Array => {
  const bytes = new Uint8Array(Header.width + counts.bytes.length)
  bytes.set(counts.bytes, Header.width)
  return Header.seal(bytes, version)
}

/** Unpacks the latest totals; they share the memory of the bytes. */
export const decode = (bytes: Uint8Array): Result.Result<BlockCounts, LayoutError> =>
  Header.decoding(() => {
    Header.check(codec, bytes, version)
    if (bytes.length !== Header.width + slots * width) refuse(`${bytes.length} bytes`)
    const counts = of(bytes.subarray(Header.width))
    for (let slot = 0; slot < slots; slot++) {
      const code = statusCode(counts, slot)
      if (Codes.status.words[code] === undefined) refuse(`unknown status ${code}`)
    }
    return counts
  })

/** Whether every test of packed latest totals has executions. The bytes need not be checked yet: others are not full. */
export const isFull = (bytes: Uint8Array): boolean => {
  if (bytes.length !== Header.width + slots * width) return false
  const counts = of(bytes.subarray(Header.width))
  for (let slot = 0; slot < slots; slot++) if (executionsOf(counts, slot) === 0) return false
  return true
}

/** The number of executions of one test. */
export const executionsOf = ({ view }: BlockCounts, slot: number): number => view.getUint32(slot * width, true)

/** The status of one test; healthy without executions. */
export const statusOf = (counts: BlockCounts, slot: number): HealthStatus.HealthStatus =>
  Codes.status.words[statusCode(counts, slot)] ?? refuse(`unknown status ${statusCode(counts, slot)}`)

/** The totals of one test. */
export const get = (counts: BlockCounts, slot: number): Test => {
  const { view } = counts
  const offset = slot * width
  return {
    executions: view.getUint32(offset, true),
    failed: view.getUint32(offset + layout.failed, true),
    skipped: view.getUint32(offset + layout.skipped, true),
    reruns: view.getUint32(offset + layout.reruns, true),
    durationUs: durationAt(view, offset),
    rerunsSince: view.getUint32(offset + layout.status, true) >>> 8,
    status: statusOf(counts, slot)
  }
}

/** Replaces the totals of one test. A number that is too large for its field is stored as the field's maximum. */
export const set = ({ view }: BlockCounts, slot: number, test: Test): void => {
  const offset = slot * width
  view.setUint32(offset, Math.min(test.executions, largest), true)
  view.setUint32(offset + layout.failed, Math.min(test.failed, largest), true)
  view.setUint32(offset + layout.skipped, Math.min(test.skipped, largest), true)
  view.setUint32(offset + layout.reruns, Math.min(test.reruns, largest), true)
  setDuration(view, offset, test.durationUs)
  setVerdict({ view }, slot, test.status, test.rerunsSince)
}

/** One more execution of a test; its duration is in microseconds. */
export interface Addition {
  readonly conclusion: Execution.Conclusion
  readonly reruns: number
  readonly durationUs: number
}

/** Adds an execution to the totals of one test; a total that is too large for its field stays at the maximum. */
export const add = ({ view }: BlockCounts, slot: number, { conclusion, durationUs, reruns }: Addition): void => {
  const offset = slot * width
  increase(view, offset, 1)
  if (conclusion === "failed") increase(view, offset + layout.failed, 1)
  if (conclusion === "skipped") increase(view, offset + layout.skipped, 1)
  if (reruns > 0) increase(view, offset + layout.reruns, reruns)
  setDuration(view, offset, durationAt(view, offset) + durationUs)
}

const increase = (view: DataView, offset: number, by: number): void =>
  view.setUint32(offset, Math.min(view.getUint32(offset, true) + by, largest), true)

const durationAt = (view: DataView, offset: number): number =>
  view.getUint32(offset + layout.duration, true) + view.getUint32(offset + layout.duration + 4, true) * word

const setDuration = (view: DataView, offset: number, durationUs: number): void => {
  const duration = Math.min(durationUs, Number.MAX_SAFE_INTEGER)
  view.setUint32(offset + layout.duration, duration % word, true)
  view.setUint32(offset + layout.duration + 4, Math.floor(duration / word), true)
}

/** Replaces the status of one test, and the reruns since it last changed. */
export const setVerdict = (
  { view }: Pick<BlockCounts, "view">,
  slot: number,
  status: HealthStatus.HealthStatus,
  rerunsSince: number
): void => {
  const reruns = Math.min(rerunsSince, largestReruns)
  view.setUint32(slot * width + layout.status, ((reruns << 8) | Codes.status.of[status]) >>> 0, true)
}

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
    rerunsSince: end.rerunsSince,
    status: end.status
  }
}

/** Packs the totals at the close of a day; the status is left out. */
export const encodeClosing = (counts: BlockCounts): Uint8Array => {
  let used = slots
  while (used > 0 && executionsOf(counts, used - 1) === 0) used -= 1
  const writer = new ByteWriter(version, 10 * used)
  for (let slot = 0; slot < used; slot++) {
    const test = get(counts, slot)
    writer.integer(test.executions)
    if (test.executions === 0) continue
    writer.integer(test.failed)
    writer.integer(test.skipped)
    writer.integer(test.reruns)
    writer.integer(test.durationUs)
  }
  return writer.finish()
}

/** Unpacks the totals at the close of a day; every status is healthy. */
export const decodeClosing = (bytes: Uint8Array): Result.Result<BlockCounts, LayoutError> =>
  Header.decoding(() => {
    const reader = new ByteReader("BlockCounts at the close of a day", bytes, version)
    const counts = make()
    for (let slot = 0; reader.hasMore; slot++) {
      if (slot === slots) reader.refuse("more tests than a block has")
      const executions = reader.integer()
      if (executions === 0) continue
      const [failed, skipped, reruns] = [reader.integer(), reader.integer(), reader.integer()]
      if (Math.max(executions, failed, skipped, reruns) > largest) reader.refuse("a total is too large")
      set(counts, slot, {
        executions,
        failed,
        skipped,
        reruns,
        durationUs: reader.integer(),
        rerunsSince: 0,
        status: "healthy"
      })
    }
    return counts
  })

const { width } = layout
const word = 0x1_0000_0000
const largest = 0xffff_ffff
const largestReruns = 0xff_ffff

const codec = "BlockCounts"

const of = (bytes: Uint8Array): BlockCounts => ({ bytes, view: Header.viewOf(bytes) })

const statusCode = ({ view }: BlockCounts, slot: number): number => view.getUint8(slot * width + layout.status)

const refuse = (fault: string): never => {
  throw new LayoutError({ codec, fault })
}
