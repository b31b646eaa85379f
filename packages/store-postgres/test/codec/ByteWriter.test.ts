import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ByteReader } from "../../src/codec/ByteReader.ts"
import { ByteWriter } from "../../src/codec/ByteWriter.ts"
import * as Header from "../../src/codec/Header.ts"
import { LayoutError } from "../../src/codec/LayoutError.ts"

const numbers = fc.array(
  fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, 2 ** 53 - 1))
)

describe("packed numbers", () => {
  it("numbers are read as they were written, however large", () => {
    fc.assert(
      fc.property(numbers, (written) => {
        const writer = new ByteWriter(1)
        for (const number of written) writer.integer(number)
        const reader = new ByteReader("numbers", writer.finish(), 1)
        assert.deepStrictEqual(
          written.map(() => reader.integer()),
          written
        )
      })
    )
  })

  it("a number that could not be read back is refused before it is written", () => {
    const writer = new ByteWriter(1)
    for (const number of [-1, -128, Date.UTC(1900, 0, 1), 2 ** 53, 1e300, Infinity, -Infinity, NaN]) {
      assert.throws(() => writer.integer(number), RangeError)
    }
    assert.throws(() => writer.signed(2 ** 53), RangeError)
    assert.strictEqual(writer.finish().length, Header.width)
  })

  it("packed numbers take one byte up to 127, and seven bits in every byte", () => {
    const length = (number: number) => {
      const writer = new ByteWriter(1)
      writer.integer(number)
      return writer.finish().length - Header.width
    }
    assert.deepStrictEqual([0, 127, 128, 16_383, 16_384].map(length), [1, 1, 2, 2, 3])
  })

  it("packed numbers may need more bytes than a writer was made for", () => {
    const writer = new ByteWriter(1, 3)
    for (let index = 0; index < 5000; index++) writer.byte(index % 256)
    const bytes = writer.finish()
    assert.strictEqual(bytes.length, Header.width + 5000)
    assert.strictEqual(bytes[Header.width + 4999], 4999 % 256)
  })

  it("numbers larger than a safe integer, and numbers that end too early, are refused", () => {
    for (const bytes of [
      [0x80],
      [...Array.from({ length: 8 }, () => 0xff), 0x01],
      Array.from({ length: 12 }, () => 0x80)
    ]) {
      const writer = new ByteWriter(1)
      for (const byte of bytes) writer.byte(byte)
      const reader = new ByteReader("numbers", writer.finish(), 1)
      assert.throws(() => reader.integer(), LayoutError)
    }
  })
})
