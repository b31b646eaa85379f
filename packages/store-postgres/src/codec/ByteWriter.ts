/** Writes packed values one after another. */
import * as Header from "./Header.ts"

/**
 * A growing run of bytes behind a header.
 *
 * **Details**
 *
 * `integer` takes whole numbers from 0 to `Number.MAX_SAFE_INTEGER`, seven bits in a byte, the lowest first; the highest
 * bit of a byte says that more follow. `signed` takes whole numbers of at most 2^52 in size, and writes twice a number, or
 * twice its size less one when it is negative. `byte` takes 0 to 255. `text` writes the number of bytes, then UTF-8.
 */
export class ByteWriter {
  private readonly version: number
  private bytes: Uint8Array
  private length = Header.width

  /** `capacity` is the expected number of bytes. */
  constructor(version: number, capacity = 2048) {
    this.version = version
    this.bytes = new Uint8Array(capacity + Header.width)
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.grow()
    this.bytes[this.length++] = value
  }

  /** Throws a `RangeError` for other numbers, so that nothing is stored that could not be read back. */
  integer(value: number): void {
    if (value >= 0 && value < fourBytes) {
      this.small(value)
      return
    }
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be packed`)
    const high = Math.floor(value / fourBytes)
    const low = value - high * fourBytes
    for (let shift = 0; shift < 28; shift += 7) this.byte(((low >> shift) & 0x7f) | 0x80)
    this.integer(high)
  }

  signed(value: number): void {
    this.integer(value < 0 ? -2 * value - 1 : 2 * value)
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value)
    this.integer(bytes.length)
    for (const byte of bytes) this.byte(byte)
  }

  /** A copy of the header and all written bytes. */
  finish(): Uint8Array {
    return Header.seal(this.bytes.slice(0, this.length), this.version)
  }

  /** A number of at most four bytes: these operators are fast for 32 bits only. */
  private small(value: number): void {
    let rest = value | 0
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80)
      rest >>= 7
    }
    this.byte(rest)
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2)
    larger.set(this.bytes)
    this.bytes = larger
  }
}

/** The least number that takes more than four bytes. */
const fourBytes = 2 ** 28
