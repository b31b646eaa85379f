/** Reads what a `ByteWriter` wrote. */

/** A place in a run of bytes. Beyond its end everything reads 0. */
export class ByteReader {
  private readonly bytes: Uint8Array
  /** How many bytes have been read. */
  position = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  byte(): number {
    return this.bytes[this.position++] ?? 0
  }

  integer(): number {
    let value = this.byte()
    if (value < 0x80) return value
    value &= 0x7f
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
}
