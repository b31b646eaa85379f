/**
 * The packed executions of one upload for the 64 tests of a block: 9 bytes each, plus details for the few that need
 * them.
 *
 * Layout, little-endian:
 * ```
 * header (`Header`); its checksum covers the instant of the chunk, too
 * 5  u32  number of records
 * 9       the records, by test and ordinal, 9 bytes each
 *         details: JSON in UTF-8, or nothing
 * ```
 * A record:
 * ```
 * 0  u8   place of the test in the block
 * 1  u32  bits 0-23 milliseconds since the instant of the chunk   24-25 conclusion (`Codes`)   26 flaky
 *         27-28 reruns (3: see the details)   29-31 source (0 none, 1-6 see `test_sources`, 7 see the details)
 * 5  u32  duration in microseconds
 * ```
 * Details are an object: by place of the test an array with one element for each of its records in the order of the chunk,
 * null where there is nothing to add: `o` ordinal where it is not the index in this array, `r` reruns, `d` duration in
 * milliseconds, `e` type of the exception, `f` file path, `n` function name.
 */
import { type Execution, type Instant, type Outage, Retention } from "@lazaret/domain"
import type { Result } from "effect"
import { slots } from "./BlockCounts.ts"
import * as Codes from "./Codes.ts"
import * as Header from "./Header.ts"
import { LayoutError } from "./LayoutError.ts"

/** The version of the layout. */
export const version = 1

/** The places of records and their fields in a payload. */
export const layout = {
  count: Header.width,
  records: Header.width + 4,
  width: 9,
  slot: 0,
  word: 1,
  duration: 5,
  offsetBits: 24,
  conclusionShift: 24,
  flakyShift: 26,
  rerunsShift: 27,
  sourceShift: 29
} as const

/**
 * The flags of a chunk, a column of its own: its executions are of the default branch; its failures are excused, belong to
 * an outage, have many others next to them in their run.
 */
export const flags = { onDefaultBranch: 1, excused: 2, outage: 4, many: 8 } as const

/** The flags of the failures of a run. */
export const flagsOf = ({ excused, many, outage }: Outage.Judgement): number =>
  (excused ? flags.excused : 0) | (outage ? flags.outage : 0) | (many ? flags.many : 0)

/**
 * The exclusive limit of the time that a chunk spans, so that a query for a window has a lower bound to start from. A
 * chunk also never spans two weeks (`Retention.startOfWeek`), so that weeks can be dropped.
 */
export const span = 2 ** layout.offsetBits

/** The largest number of a source. */
export const maximumSource = 6

/**
 * One execution of a block.
 *
 * **Details**
 *
 * `source` is the number of its file path and function name among those of the test. It is 0 when the execution has
 * neither, and null when they have no number: then `filepath` and `functionName` hold them.
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

/** Executions that were packed together; `at` is the earliest instant. */
export interface ResultChunk {
  readonly at: Instant.Instant
  readonly payload: Uint8Array
}

/** Packs the executions of an upload for a block into one chunk, or into several when they span too much time. */
export const pack = (executions: ReadonlyArray<PackedExecution>): Array<ResultChunk> => {
  let [least, latest] = [Infinity, -Infinity]
  for (const { at } of executions) {
    if (at < least) least = at
    if (at > latest) latest = at
  }
  return executions.length > 0 && latest < endOf(least) ? [packOne(executions, least)] : packGroups(executions)
}

/** Unpacks a chunk: all executions, or those of one test. */
export const unpack = (
  chunk: ResultChunk,
  only: number | null = null
): Result.Result<Array<PackedExecution>, LayoutError> =>
  Header.decoding(() => {
    const { at, payload } = chunk
    Header.check(codec, payload, version, at)
    const view = Header.viewOf(payload)
    const end = layout.records + recordsIn(view) * layout.width
    const details = hasDetails(payload, end, only) ? readDetails(payload, end) : null
    const executions: Array<PackedExecution> = []
    const source = { view, at }
    let before = 0
    let index = 0
    for (let offset = layout.records; offset < end; offset += layout.width) {
      const slot = view.getUint8(offset + layout.slot)
      if (slot < before || slot >= slots) refuse(`test ${slot} after test ${before}`)
      index = slot === before ? index : 0
      before = slot
      if (only === null || slot === only) {
        const detail = details === null ? noDetail : (details[slot]?.[index] ?? noDetail)
        executions.push(readRecord(source, offset, index, detail))
      }
      index += 1
    }
    return executions
  })

const codec = "ResultChunk"

const refuse = (fault: string): never => {
  throw new LayoutError({ codec, fault })
}

/** Details of a record. */
interface Detail {
  readonly o?: number
  readonly r?: number
  readonly d?: number
  readonly e?: string
  readonly f?: string
  readonly n?: string
}

type Details = { readonly [slot: string]: ReadonlyArray<Detail | null> }

const noDetail: Detail = {}

const manyReruns = 3
const explicitSource = 7

/** A chunk that begins at an instant ends before this. */
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
  const details = detailsOf(sorted)
  const end = layout.records + sorted.length * layout.width
  const payload = new Uint8Array(end + details.length)
  const view = Header.viewOf(payload)
  view.setUint32(layout.count, sorted.length, true)
  sorted.forEach((execution, index) => writeRecord(view, layout.records + index * layout.width, execution, at))
  payload.set(details, end)
  return { at, payload: Header.seal(payload, version, at) }
}

const detailsOf = (sorted: ReadonlyArray<PackedExecution>): Uint8Array => {
  const details: { [slot: string]: Array<Detail | null> } = {}
  let before = -1
  let index = 0
  for (const execution of sorted) {
    index = execution.slot === before ? index + 1 : 0
    before = execution.slot
    const detail = detailOf(execution, index)
    if (detail === null) continue
    const list = (details[execution.slot] ??= [])
    while (list.length < index) list.push(null)
    list.push(detail)
  }
  return Object.keys(details).length === 0 ? noBytes : new TextEncoder().encode(JSON.stringify(details))
}

const noBytes = new Uint8Array(0)

const writeRecord = (view: DataView, offset: number, execution: PackedExecution, at: Instant.Instant): void => {
  view.setUint8(offset + layout.slot, execution.slot)
  view.setUint32(
    offset + layout.word,
    (execution.at - at) |
      (Codes.conclusion.of[execution.conclusion] << layout.conclusionShift) |
      (execution.flaky ? 1 << layout.flakyShift : 0) |
      (Math.min(execution.reruns, manyReruns) << layout.rerunsShift) |
      ((execution.source ?? explicitSource) << layout.sourceShift),
    true
  )
  view.setUint32(offset + layout.duration, microseconds(execution) ?? 0, true)
}

/** The duration in whole microseconds; null when it is not a whole number of them or does not fit. */
const microseconds = ({ durationMs }: PackedExecution): number | null => {
  const duration = Math.round(durationMs * 1000)
  return duration <= 0xffff_ffff && duration / 1000 === durationMs ? duration : null
}

const detailOf = (execution: PackedExecution, index: number): Detail | null => {
  if (fitsRecord(execution, index)) return null
  const detail = {
    ...(execution.ordinal !== index && { o: execution.ordinal }),
    ...(execution.reruns >= manyReruns && { r: execution.reruns }),
    ...(microseconds(execution) === null && { d: execution.durationMs }),
    ...(execution.exceptionType !== null && { e: execution.exceptionType }),
    ...(execution.source === null && execution.filepath !== null && { f: execution.filepath }),
    ...(execution.source === null && execution.functionName !== null && { n: execution.functionName })
  }
  return Object.keys(detail).length === 0 ? null : detail
}

/** Whether a record says everything about an execution, as for nearly all of them. */
const fitsRecord = (execution: PackedExecution, index: number): boolean =>
  execution.ordinal === index &&
  execution.reruns < manyReruns &&
  execution.exceptionType === null &&
  execution.source !== null &&
  microseconds(execution) !== null

const recordsIn = (view: DataView): number => {
  if (view.byteLength < layout.records) refuse(`only ${view.byteLength} bytes`)
  const count = view.getUint32(layout.count, true)
  return count * layout.width <= view.byteLength - layout.records ? count : refuse(`no room for ${count} records`)
}

/**
 * Whether there are details, for one test or for any. The search for the quoted key is exact, because JSON escapes
 * quotes inside strings.
 */
const hasDetails = (payload: Uint8Array, start: number, only: number | null): boolean =>
  start < payload.length && (only === null || bufferOf(payload).includes(`"${only}":[`, start))

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** The cast is safe: the checksum proves that these bytes are as `detailsOf` wrote them. */
const readDetails = (payload: Uint8Array, start: number): Details => {
  try {
    return JSON.parse(bufferOf(payload).toString("utf8", start)) as Details
  } catch {
    return refuse("the details are not JSON")
  }
}

/** The record at an offset, the `index`th of its test. */
const readRecord = (
  { at, view }: { readonly view: DataView; readonly at: Instant.Instant },
  offset: number,
  index: number,
  detail: Detail
): PackedExecution => {
  const word = view.getUint32(offset + layout.word, true)
  const code = (word >>> layout.conclusionShift) & 3
  const source = word >>> layout.sourceShift
  return {
    slot: view.getUint8(offset + layout.slot),
    ordinal: detail.o ?? index,
    at: at + (word & (span - 1)),
    durationMs: detail.d ?? view.getUint32(offset + layout.duration, true) / 1000,
    conclusion: Codes.conclusion.words[code] ?? refuse(`unknown conclusion ${code}`),
    flaky: ((word >>> layout.flakyShift) & 1) === 1,
    reruns: detail.r ?? (word >>> layout.rerunsShift) & 3,
    exceptionType: detail.e ?? null,
    source: source === explicitSource ? null : source,
    filepath: detail.f ?? null,
    functionName: detail.n ?? null
  }
}
