/** Builders that the tests of the codecs share. */
import { Result } from "effect"

/** The bytes with another version in front. */
export const withVersion = (bytes: Uint8Array, version: number): Uint8Array => {
  const other = bytes.slice()
  other[0] = version
  return other
}

/** The proper prefixes of packed bytes and their copies with one flipped bit that a decoder does not refuse. */
export const undetected = (
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => Result.Result<unknown, unknown>
): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (Result.isFailure(decode(bytes))) found.push("the bytes themselves are refused")
  for (let length = 0; length < bytes.length; length++) {
    if (Result.isSuccess(decode(bytes.slice(0, length)))) found.push(`the first ${length} bytes`)
  }
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = bytes.slice()
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    if (Result.isSuccess(decode(damaged))) found.push(`flipped bit ${bit}`)
  }
  return found
}
