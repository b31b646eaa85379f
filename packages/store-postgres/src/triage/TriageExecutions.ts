/** Executions of single tests in given job runs, from the chunks of their blocks. */
import type { FailureRecords, Instant } from "@lazaret/domain"
import { Effect } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Place, RunUpload } from "./TriageRuns.ts"

/** Executions by test number, in any order. */
export type Found = Map<number, Array<FailureRecords.ExecutionRecord>>

/** The executions of tests in the uploads of one job. */
export interface Wanted {
  readonly tests: Iterable<number>
  readonly uploads: ReadonlyArray<RunUpload>
}

/** Reads one chunk after the other: for few uploads of a job. */
export const inUploads = Effect.fnUntraced(function* (place: Place, wanted: ReadonlyArray<Wanted>) {
  const pairs = new Map<string, { readonly blockNo: number; readonly upload: RunUpload }>()
  for (const { tests, uploads } of wanted) {
    for (const blockNo of blocksOf(tests)) {
      for (const upload of uploads) pairs.set(`${blockNo} ${upload.uploadNo}`, { blockNo, upload })
    }
  }
  if (pairs.size === 0) return new Map() as Found
  return yield* unpack(place, wanted, yield* selectPairs(place, [...pairs.values()]))
})

const blocksOf = (tests: Iterable<number>): ReadonlyArray<number> => [
  ...new Set(Array.from(tests, (testNo) => Math.floor(testNo / slots)))
]

interface Row {
  readonly block_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly payload: Uint8Array
}

const unpack = Effect.fnUntraced(function* (place: Place, wanted: ReadonlyArray<Wanted>, rows: ReadonlyArray<Row>) {
  const found: Found = new Map()
  const uploads = new Map(wanted.flatMap((each) => each.uploads.map((upload) => [upload.uploadNo, upload] as const)))
  const tests = new Set(wanted.flatMap((each) => [...each.tests]))
  const single = singles(tests)
  for (const [index, row] of rows.entries()) {
    if (index % rowsAtOnce === rowsAtOnce - 1) yield* Effect.yieldNow
    const upload = uploads.get(row.upload_no)
    if (upload === undefined) continue
    const unpacked = ResultChunk.unpack(row, single.get(row.block_no) ?? null)
    for (const packed of yield* Effect.fromResult(Damage.check(place, "chunk", row, unpacked))) {
      const testNo = row.block_no * slots + packed.slot
      const { at, conclusion, ordinal } = packed
      if (conclusion === "skipped" || at < place.horizon || !tests.has(testNo)) continue
      const execution = {
        id: `${upload.reportId}.${ordinal}`,
        at,
        conclusion,
        signature: null,
        run: upload.of.run
      }
      const list = found.get(testNo)
      if (list === undefined) found.set(testNo, [execution])
      else list.push(execution)
    }
  }
  return found
})

/** Unpacking some thousand chunks takes milliseconds: other fibers run in between. */
const rowsAtOnce = 2048

/** The slot of each block of which only one test is wanted. */
const singles = (tests: ReadonlySet<number>): ReadonlyMap<number, number> => {
  const found = new Map<number, number | null>()
  for (const testNo of tests) {
    const blockNo = Math.floor(testNo / slots)
    found.set(blockNo, found.has(blockNo) ? null : testNo % slots)
  }
  return new Map([...found].filter((entry): entry is [number, number] => entry[1] !== null))
}

const selectPairs = (
  { repositoryId, sql }: Place,
  pairs: ReadonlyArray<{ readonly blockNo: number; readonly upload: RunUpload }>
) => sql<Row>`
  SELECT n.block_no, c.at, n.upload_no, c.payload
  FROM unnest(
    ${Parameter.int4s(pairs.map(({ blockNo }) => blockNo))},
    ${Parameter.int4s(pairs.map(({ upload }) => upload.uploadNo))},
    ${Parameter.instants(pairs.map(({ upload }) => upload.earliestAt))},
    ${Parameter.instants(pairs.map(({ upload }) => upload.latestAt))}
  ) AS n (block_no, upload_no, start_at, end_at)
  CROSS JOIN LATERAL (
    SELECT at, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at BETWEEN n.start_at AND n.end_at
      AND upload_no = n.upload_no
      AND at BETWEEN ${Parameter.instant(pairs.reduce((least, { upload }) => Math.min(least, upload.earliestAt), Infinity))}
        AND ${Parameter.instant(pairs.reduce((most, { upload }) => Math.max(most, upload.latestAt), -Infinity))}
    OFFSET 0
  ) c`
