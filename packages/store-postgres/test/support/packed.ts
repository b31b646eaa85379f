/** What the tests of the codecs share. */
import { Schema } from "effect"

/** Whole numbers of a range. */
export const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The bytes with another version in front. */
export const withVersion = (bytes: Uint8Array, version: number): Uint8Array => {
  const other = bytes.slice()
  other[0] = version
  return other
}
