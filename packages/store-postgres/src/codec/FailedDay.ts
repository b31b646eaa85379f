/**
 * How many executions of each test of a block failed on one day, packed.
 *
 * Layout: the header (`Header`), then for each test with failures, in their order, `u8` its place in the block and an
 * integer (see `ByteWriter`), the number of failures.
 */
import type { Result } from "effect"
import { slots } from "./BlockCounts.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Header from "./Header.ts"
import type { LayoutError } from "./LayoutError.ts"

/** The version of the layout. */
export const version = 1

/** Failures by the place of the test in the block. */
export type FailedDay = ReadonlyMap<number, number>

/** Packs the failures of a day. */
export const encode = (failures: FailedDay): Uint8Array => {
  const writer = new ByteWriter(version, 4 * failures.size)
  for (const [slot, count] of [...failures].sort(([a], [b]) => a - b)) {
    writer.byte(slot)
    writer.integer(count)
  }
  return writer.finish()
}

/** Unpacks the failures of a day. */
export const decode = (bytes: Uint8Array): Result.Result<FailedDay, LayoutError> =>
  Header.decoding(() => {
    const reader = new ByteReader("FailedDay", bytes, version)
    const failures = new Map<number, number>()
    let before = -1
    while (reader.hasMore) {
      const slot = reader.byte()
      if (slot <= before || slot >= slots) reader.refuse(`test ${slot} after test ${before}`)
      failures.set(slot, reader.integer())
      before = slot
    }
    return failures
  })
