/**
 * How many executions of each test of a block failed on one day, packed.
 *
 * Layout: `u8 version`, then for each test with failures, in their order, `u8` its place in the block and an integer
 * (see `ByteWriter`), the number of failures.
 */
import { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { LayoutError } from "./LayoutError.ts"

/** The version of the layout. */
export const version = 1

/** Failures by the place of the test in the block. */
export type FailedDay = ReadonlyMap<number, number>

/** Packs the failures of a day. */
export const encode = (failures: FailedDay): Uint8Array => {
  writer.byte(version)
  for (const [slot, count] of [...failures].sort(([a], [b]) => a - b)) {
    writer.byte(slot)
    writer.integer(count)
  }
  return writer.take()
}

/** Unpacks the failures of a day. */
export const decode = (bytes: Uint8Array): Result.Result<Map<number, number>, LayoutError> => {
  const reader = new ByteReader(bytes)
  const found = reader.byte()
  if (found !== version) return Result.fail(new LayoutError({ codec: "FailedDay", version: found }))
  const failures = new Map<number, number>()
  while (reader.position < bytes.length) failures.set(reader.byte(), reader.integer())
  return Result.succeed(failures)
}

const writer = new ByteWriter()
