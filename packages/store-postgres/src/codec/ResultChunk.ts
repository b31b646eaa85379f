/**
 * The executions that one upload brought for the 64 tests of a block, packed: 9 bytes each, and a text for the few of
 * which there is more to say.
 *
 * Layout of a record, little-endian:
 * ```
 * 0  u8   place of the test in the block
 * 1  u32  bits 0-23 milliseconds since the instant of the chunk   24-25 conclusion (0 passed, 1 failed, 2 skipped)
 *         26 flaky   27-28 reruns (3: see the details)   29-31 source (0 none, 1-6 see `test_sources`, 7 see the details)
 * 5  u32  duration in microseconds
 * ```
 * A dense chunk begins with one record for each of the 64 tests, in their order, so that the executions of one test can
 * be cut out without reading the others. More records follow in the order of test and ordinal; a chunk that is not dense
 * has only those.
 *
 * Details are JSON: by place of the test an array with one element for each of its records in the order of the chunk,
 * null where there is nothing to say: `o` ordinal where it is not the place in this array, `r` reruns, `d` duration in
 * milliseconds, `e` type of the exception, `f` file path, `n` function name.
 *
 * The version of the layout is the high byte of the flags of a chunk.
 */
import { type Execution, type Instant, Retention } from "@lazaret/domain"
import { Result } from "effect"
import { slots } from "./BlockCounts.ts"
import { LayoutError } from "./LayoutError.ts"

/** The version of the layout. */
export const version = 1

/**
 * The flags of a chunk, beside the version: its executions are of the default branch, its failures belong to an outage,
 * it is dense.
 */
export const flags = { onDefaultBranch: 1, excused: 2, dense: 4 } as const

/** The bytes of a record. */
export const width = 9

/**
 * A chunk spans less time than this, so that a search for a window knows where to begin; and it never spans two weeks
 * (`Retention.startOfWeek`), so that weeks can be dropped.
 */
export const span = 0x100_0000

/** The numbers that a source may have. */
export const maximumSource = 6

/**
 * One execution of a block.
 *
 * **Details**
 *
 * `source` is the number of its file path and function name among those of the test, 0 where it has neither, null where
 * they have no number: then they are in `filepath` and `functionName`.
 */
export interface PackedExecution {
  readonly slot: number
  readonly ordinal: number
  readonly at: Instant.Instant
  readonly durationMs: number
  readonly conclusion: Execution.Conclusion
  readonly flaky: boolean
  readonly reruns: number
  readonly exceptionType: string | null
  readonly source: number | null
  readonly filepath: string | null
  readonly functionName: string | null
}

/** What is said of a record beside its nine bytes. */
export interface Detail {
  readonly o?: number
  readonly r?: number
  readonly d?: number
  readonly e?: string
  readonly f?: string
  readonly n?: string
}

/** What is said of the records of each test. */
export type Details = { readonly [slot: string]: ReadonlyArray<Detail | null> }

/** Executions that were packed together. `flags` are version and density; `at` is the earliest instant. */
export interface ResultChunk {
  readonly at: Instant.Instant
  readonly flags: number
  readonly payload: Uint8Array
  readonly details: Details | null
}

/** Packs the executions that an upload brought for a block: one chunk, or several where they are far apart. */
export const pack = (executions: ReadonlyArray<PackedExecution>): Array<ResultChunk> => {
  const least = executions.reduce((at, execution) => Math.min(at, execution.at), Infinity)
  const end = endOf(least)
  const isNear = executions.every((execution) => execution.at < end)
  return isNear ? (executions.length === 0 ? [] : [packOne(executions, least)]) : packGroups(executions)
}

/** Unpacks a chunk, or what was cut out of one for a single test. */
export const unpack = (
  chunk: ResultChunk,
  only: number | null = null
): Result.Result<Array<PackedExecution>, LayoutError> => {
  const found = chunk.flags >> 8
  if (found !== version) return Result.fail(new LayoutError({ codec: "ResultChunk", version: found }))
  const { payload } = chunk
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  const seen = new Uint32Array(slots)
  const executions: Array<PackedExecution> = []
  for (let offset = 0; offset < payload.length; offset += width) {
    const slot = view.getUint8(offset)
    if (only !== null && slot !== only) continue
    const place = seen[slot] ?? 0
    seen[slot] = place + 1
    executions.push(readRecord(view, offset, chunk, place))
  }
  return Result.succeed(executions)
}

const conclusions: ReadonlyArray<Execution.Conclusion> = ["passed", "failed", "skipped"]

const manyReruns = 3
const explicitSource = 7

/** What begins a chunk at an instant ends before this. */
const endOf = (at: Instant.Instant): Instant.Instant => Math.min(at + span, Retention.startOfWeek(at) + Retention.week)

const packGroups = (executions: ReadonlyArray<PackedExecution>): Array<ResultChunk> => {
  const chunks: Array<ResultChunk> = []
  let group: Array<PackedExecution> = []
  for (const execution of executions.toSorted((a, b) => a.at - b.at)) {
    const first = group[0]
    if (first !== undefined && execution.at >= endOf(first.at)) {
      chunks.push(packOne(group, first.at))
      group = []
    }
    group.push(execution)
  }
  const first = group[0]
  return first === undefined ? chunks : [...chunks, packOne(group, first.at)]
}

const packOne = (executions: ReadonlyArray<PackedExecution>, at: Instant.Instant): ResultChunk => {
  const sorted = executions.toSorted((a, b) => a.slot - b.slot || a.ordinal - b.ordinal)
  const firsts = sorted.filter((execution, index) => execution.slot !== sorted[index - 1]?.slot)
  const isDense = firsts.length === slots
  const ordered = isDense
    ? [...firsts, ...sorted.filter((execution, index) => execution.slot === sorted[index - 1]?.slot)]
    : sorted
  const payload = new Uint8Array(ordered.length * width)
  const view = new DataView(payload.buffer)
  const details: { [slot: string]: Array<Detail | null> } = {}
  const seen = new Uint32Array(slots)
  ordered.forEach((execution, index) => {
    const place = seen[execution.slot] ?? 0
    seen[execution.slot] = place + 1
    writeRecord(view, index * width, execution, at)
    const detail = detailOf(execution, place)
    if (detail === null) return
    const list = (details[execution.slot] ??= [])
    while (list.length < place) list.push(null)
    list.push(detail)
  })
  return {
    at,
    flags: (version << 8) | (isDense ? flags.dense : 0),
    payload,
    details: Object.keys(details).length === 0 ? null : details
  }
}

const writeRecord = (view: DataView, offset: number, execution: PackedExecution, at: Instant.Instant): void => {
  view.setUint8(offset, execution.slot)
  view.setUint32(
    offset + 1,
    (execution.at - at) |
      (conclusions.indexOf(execution.conclusion) << 24) |
      (execution.flaky ? 1 << 26 : 0) |
      (Math.min(execution.reruns, manyReruns) << 27) |
      ((execution.source ?? explicitSource) << 29),
    true
  )
  view.setUint32(offset + 5, microseconds(execution) ?? 0, true)
}

/** Whole microseconds that say the same as the duration, null where there are none. */
const microseconds = ({ durationMs }: PackedExecution): number | null => {
  const duration = Math.round(durationMs * 1000)
  return duration <= 0xffff_ffff && duration / 1000 === durationMs ? duration : null
}

const detailOf = (execution: PackedExecution, place: number): Detail | null => {
  const detail = {
    ...(execution.ordinal !== place && { o: execution.ordinal }),
    ...(execution.reruns >= manyReruns && { r: execution.reruns }),
    ...(microseconds(execution) === null && { d: execution.durationMs }),
    ...(execution.exceptionType !== null && { e: execution.exceptionType }),
    ...(execution.source === null && execution.filepath !== null && { f: execution.filepath }),
    ...(execution.source === null && execution.functionName !== null && { n: execution.functionName })
  }
  return Object.keys(detail).length === 0 ? null : detail
}

const readRecord = (view: DataView, offset: number, chunk: ResultChunk, place: number): PackedExecution => {
  const slot = view.getUint8(offset)
  const word = view.getUint32(offset + 1, true)
  const detail = chunk.details?.[slot]?.[place] ?? null
  const source = word >>> 29
  return {
    slot,
    ordinal: detail?.o ?? place,
    at: chunk.at + (word & (span - 1)),
    durationMs: detail?.d ?? view.getUint32(offset + 5, true) / 1000,
    conclusion: conclusions[(word >>> 24) & 3] ?? "skipped",
    flaky: (word & (1 << 26)) !== 0,
    reruns: detail?.r ?? (word >>> 27) & 3,
    exceptionType: detail?.e ?? null,
    source: source === explicitSource ? null : source,
    filepath: detail?.f ?? null,
    functionName: detail?.n ?? null
  }
}
