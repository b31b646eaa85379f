/** The tests that job runs skipped, from the chunks of their blocks. */
import type { Instant } from "@lazaret/domain"
import { Effect } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as Damage from "../database/Damage.ts"
import * as Parameter from "../database/Parameter.ts"
import type { Sql } from "../repository/Session.ts"

/** A repository; executions before the horizon are dropped. */
interface Place {
  readonly sql: Sql
  readonly repositoryId: number
  readonly horizon: Instant.Instant
}

/** Those of some tests that have a skipped execution in one of some runs. */
export const inRuns = Effect.fnUntraced(function* (
  place: Place,
  runs: ReadonlyArray<number>,
  tests: ReadonlyArray<number>
) {
  const found = new Set<number>()
  if (runs.length === 0 || tests.length === 0) return found
  const wanted = new Set(tests)
  const blocks = [...new Set(tests.map((test) => Math.floor(test / slots)))].slice(0, mostBlocks)
  for (const row of yield* selectChunks(place, runs, blocks)) {
    const unpacked = ResultChunk.unpack(row, null)
    for (const { at, conclusion, slot } of yield* Effect.fromResult(Damage.check(place, "chunk", row, unpacked))) {
      const test = row.block_no * slots + slot
      if (conclusion === "skipped" && at >= place.horizon && wanted.has(test)) found.add(test)
    }
  }
  return found
})

/** The most blocks whose chunks one answer reads. */
const mostBlocks = 4096

const selectChunks = ({ repositoryId, sql }: Place, runs: ReadonlyArray<number>, blocks: ReadonlyArray<number>) => sql<{
  readonly block_no: number
  readonly at: Instant.Instant
  readonly upload_no: number
  readonly payload: Uint8Array
}>`
  SELECT c.block_no, c.at, c.upload_no, c.payload
  FROM uploads u
  CROSS JOIN unnest(${Parameter.int4s(blocks)}) AS n (block_no)
  CROSS JOIN LATERAL (
    SELECT block_no, at, upload_no, payload
    FROM result_chunks
    WHERE repository_id = ${repositoryId} AND block_no = n.block_no AND at BETWEEN u.earliest_at AND u.latest_at
      AND upload_no = u.upload_no
    OFFSET 0
  ) c
  WHERE u.repository_id = ${repositoryId} AND u.run_no = ANY(${Parameter.int4s(runs)})`
