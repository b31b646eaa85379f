/**
 * The header of every packed value.
 *
 * Layout, little-endian:
 * ```
 * 0  u8   version of the layout that follows
 * 1  u32  CRC-32 of everything after the header
 * ```
 * The checksum detects every change within 32 adjacent bits, and all but one in four billion (2^32) of the other changes.
 */
import { crc32 } from "node:zlib"
import { Result } from "effect"
import { LayoutError } from "./LayoutError.ts"

/** The bytes of a header. */
export const width = 5

/**
 * Writes the header into the first {@link width} bytes, which the caller leaves free. The checksum also covers `seed`,
 * which the reader must pass.
 */
export const seal = (bytes: Uint8Array, version: number, seed = 0): Uint8Array => {
  bytes[0] = version
  viewOf(bytes).setUint32(1, checksum(bytes, seed), true)
  return bytes
}

/** Checks the header of packed bytes; throws a `LayoutError`, for {@link decoding}. */
export const check = (codec: string, bytes: Uint8Array, version: number, seed = 0): void => {
  if (bytes.length < width) throw new LayoutError({ codec, fault: `only ${bytes.length} bytes` })
  if (bytes[0] !== version) throw new LayoutError({ codec, fault: `unknown version ${bytes[0]}` })
  if (viewOf(bytes).getUint32(1, true) !== checksum(bytes, seed)) {
    throw new LayoutError({ codec, fault: "the checksum does not match" })
  }
}

/** The value that a decoder returns, or the `LayoutError` that it throws. */
export const decoding = <A>(decode: () => A): Result.Result<A, LayoutError> =>
  Result.try({
    try: decode,
    catch: (error) => {
      if (error instanceof LayoutError) return error
      throw error
    }
  })

/** A view of the same bytes. */
export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const checksum = (bytes: Uint8Array, seed: number): number => crc32(bytes.subarray(width), seed >>> 0)
