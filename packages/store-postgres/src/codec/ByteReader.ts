/** Reads what a `ByteWriter` wrote. */
import * as Header from "./Header.ts"
import { LayoutError } from "./LayoutError.ts"

/** A position in packed bytes. Every method throws a `LayoutError` when the bytes do not hold the requested value. */
export class ByteReader {
  private readonly codec: string
  private readonly bytes: Uint8Array
  private position = Header.width

  /** Checks the header; `codec` names the layout in errors. */
  constructor(codec: string, bytes: Uint8Array, version: number) {
    Header.check(codec, bytes, version)
    this.codec = codec
    this.bytes = bytes
  }

  /** Whether bytes are left. */
  get hasMore(): boolean {
    return this.position < this.bytes.length
  }

  byte(): number {
    const byte = this.bytes[this.position]
    if (byte === undefined) this.refuse("ends too early")
    this.position += 1
    return byte
  }

  integer(): number {
    let value = this.byte()
    if (value < 0x80) return value
    value &= 0x7f
    // Four bytes are read with operators that are fast for 32 bits only.
    for (let shift = 7; shift < 28; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    for (let scale = 2 ** 28; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (!Number.isSafeInteger(value) || scale > largestScale) this.refuse("a number is too large")
      if (byte < 0x80) return value
    }
  }

  signed(): number {
    const value = this.integer()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** Passes over bytes. */
  skip(count: number): void {
    if (count > this.bytes.length - this.position) this.refuse("ends too early")
    this.position += count
  }

  /** The number of values that follow, each of at least one byte. */
  count(): number {
    const count = this.integer()
    if (count > this.bytes.length - this.position) this.refuse("ends too early")
    return count
  }

  text(): string {
    const length = this.count()
    const bytes = this.bytes.subarray(this.position, this.position + length)
    this.position += length
    return new TextDecoder().decode(bytes)
  }

  /** The value at an index that was read; refuses an index out of range. */
  at<A>(values: ReadonlyArray<A>, index: number): A {
    const value = values[index]
    if (value === undefined) this.refuse(`unknown code ${index}`)
    return value
  }

  /** Checks that all bytes have been read. */
  end(): void {
    if (this.hasMore) this.refuse("bytes are left over")
  }

  /** Refuses the bytes. */
  refuse(fault: string): never {
    throw new LayoutError({ codec: this.codec, fault: `${fault} (byte ${this.position} of ${this.bytes.length})` })
  }
}

/** The eighth byte of a number. */
const largestScale = 2 ** 49
