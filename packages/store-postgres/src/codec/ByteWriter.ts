/** Writes packed values one after another. */

/**
 * A growing run of bytes.
 *
 * **Details**
 *
 * `integer` takes whole numbers from 0 to `Number.MAX_SAFE_INTEGER`, seven bits in a byte, the lowest first; the highest
 * bit of a byte says that more follow. `byte` takes 0 to 255.
 */
export class ByteWriter {
  private bytes = new Uint8Array(2048)
  private length = 0

  byte(value: number): void {
    if (this.length === this.bytes.length) this.grow()
    this.bytes[this.length++] = value
  }

  integer(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80)
      rest = rest <= 0x7fffffff ? rest >>> 7 : Math.floor(rest / 0x80)
    }
    this.byte(rest)
  }

  /** A copy of what has been written; the writer is empty again. */
  take(): Uint8Array {
    const taken = this.bytes.slice(0, this.length)
    this.length = 0
    return taken
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2)
    larger.set(this.bytes)
    this.bytes = larger
  }
}
