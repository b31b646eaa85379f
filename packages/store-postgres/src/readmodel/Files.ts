/**
 * The files of the tests of a repository, in a column indexed by the number of the test.
 *
 * Most tests have had one file only, which `test_sources` knows. A test that has moved has several: then its latest executions
 * on the default branch decide, as far as they are in the {@link newest} chunks of its block.
 */
import { Effect, Result } from "effect"
import type { Where } from "../blocks/BlockRows.ts"
import type { ChunkRow } from "../blocks/ChunkRows.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Parameter from "../database/Parameter.ts"

/**
 * The column at a version of the repository.
 *
 * **Details**
 *
 * - `paths`: the distinct files in the order in which they were read, `places` the index of each plus one.
 * - `sources`: by number of the test, for each number of a source, the place of its file; 0 without one.
 * - `fileOf`: by number of the test, the place of its file; 0 without one.
 */
export interface Files {
  readonly version: number
  readonly paths: Array<string>
  readonly places: Map<string, number>
  readonly sources: Int32Array
  readonly fileOf: Int32Array
}

/** The column without any test. */
export const empty = (): Files => ({
  version: -1,
  paths: [],
  places: new Map(),
  sources: new Int32Array(0),
  fileOf: new Int32Array(0)
})

/** The file of a test, or null. */
export const pathOf = ({ fileOf, paths }: Files, testNo: number): string | null =>
  paths[(fileOf[testNo] ?? 0) - 1] ?? null

/**
 * The column. Given that of an earlier version, reads only what was written since.
 *
 * **Gotchas**
 *
 * The earlier column is changed in place when it is long enough.
 */
export const load = Effect.fnUntraced(function* (where: Where, before: Files, version: number) {
  const known = yield* selectSources(where, before.version)
  const blocks = yield* selectBlocks(where, before.version)
  yield* Effect.yieldNow
  const size = Math.max(
    known.reduce((most, { test_no }) => Math.max(most, test_no + 1), 0),
    blocks.reduce((most, { block_no }) => Math.max(most, (block_no + 1) * slots), 0)
  )
  const files: Files = {
    ...before,
    version,
    sources: reserve(before.sources, size * width),
    fileOf: reserve(before.fileOf, size)
  }
  for (const { filepath, source_no, test_no } of known) {
    files.sources[test_no * width + source_no - 1] = placeOf(files, filepath)
  }
  const moved = blocks.flatMap(({ block_no }) => (settle(files, block_no) ? [block_no] : []))
  if (moved.length > 0) yield* follow(where, files, moved)
  return files
})

/** The number of chunks of a block in which the file of a test that has moved is looked for. */
const newest = 4

const width = ResultChunk.maximumSource

const placeOf = ({ paths, places }: Files, path: string): number => {
  const place = places.get(path) ?? paths.push(path)
  places.set(path, place)
  return place
}

/**
 * Sets the tests of a block to the latest of their sources, and yields whether one of them has moved. Beyond the last number of a
 * source, executions hold their file themselves. Runs over all tests of a repository after a start: no list for each of them.
 */
const settle = ({ fileOf, sources }: Files, blockNo: number): boolean => {
  let hasMoved = false
  for (let testNo = blockNo * slots; testNo < (blockNo + 1) * slots; testNo++) {
    let known = 0
    let latest = 0
    for (let index = testNo * width; index < (testNo + 1) * width; index++) {
      const place = sources[index] ?? 0
      if (place === 0) continue
      known += 1
      hasMoved ||= known === width || (latest !== 0 && place !== latest)
      latest = place
    }
    fileOf[testNo] = latest
  }
  return hasMoved
}

/** Sets the tests that have moved to the file of their latest execution in the newest chunks of their block. */
const follow = Effect.fnUntraced(function* (where: Where, files: Files, blocks: ReadonlyArray<number>) {
  const latest = new Map<number, number>()
  for (const row of yield* selectChunks(where, blocks)) {
    const unpacked = ResultChunk.unpack(row)
    // Readers of the block report the damage.
    if (Result.isFailure(unpacked)) continue
    for (const { at, filepath, slot, source } of unpacked.success) {
      const testNo = row.block_no * slots + slot
      const place =
        source === null
          ? filepath === null
            ? 0
            : placeOf(files, filepath)
          : (files.sources[testNo * width + source - 1] ?? 0)
      if (place === 0 || at <= (latest.get(testNo) ?? -Infinity)) continue
      latest.set(testNo, at)
      files.fileOf[testNo] = place
    }
  }
})

const reserve = (column: Int32Array, size: number): Int32Array => {
  if (column.length >= size) return column
  const larger = new Int32Array(Math.ceil(size * 1.2))
  larger.set(column)
  return larger
}

const selectSources = ({ repositoryId, sql }: Where, version: number) => sql<{
  readonly test_no: number
  readonly source_no: number
  readonly filepath: string
}>`
  SELECT s.test_no, s.source_no, s.filepath
  FROM jobs j
  CROSS JOIN LATERAL (
    SELECT test_no, source_no, filepath
    FROM test_sources
    WHERE repository_id = ${repositoryId} AND job_no = j.job_no AND version > ${Parameter.int8(version)}
      AND filepath IS NOT NULL
    OFFSET 0
  ) s
  WHERE j.repository_id = ${repositoryId} AND j.version > ${Parameter.int8(version)}`

const selectBlocks = ({ repositoryId, sql }: Where, version: number) => sql<{ readonly block_no: number }>`
  SELECT block_no
  FROM block_state
  WHERE repository_id = ${repositoryId} AND version > ${Parameter.int8(version)}`

const selectChunks = ({ repositoryId, sql }: Where, blocks: ReadonlyArray<number>) => sql<ChunkRow>`
  SELECT n.block_no, c.at, c.upload_no, c.commit_no, c.flags, c.payload
  FROM unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT at, upload_no, commit_no, flags, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no
      AND flags & ${ResultChunk.flags.onDefaultBranch}::smallint <> 0
    ORDER BY at DESC
    LIMIT ${newest}
  ) c`
