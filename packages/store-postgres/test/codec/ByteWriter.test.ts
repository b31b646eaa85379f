import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ByteReader } from "../../src/codec/ByteReader.ts"
import { ByteWriter } from "../../src/codec/ByteWriter.ts"

const numbers = fc.array(
  fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, 2 ** 53 - 1))
)

describe("packed numbers", () => {
  it("are read as they were written, however large", () => {
    fc.assert(
      fc.property(numbers, (written) => {
        const writer = new ByteWriter()
        for (const number of written) writer.integer(number)
        const reader = new ByteReader(writer.take())
        assert.deepStrictEqual(
          written.map(() => reader.integer()),
          written
        )
      })
    )
  })

  it("take one byte up to 127, and seven bits in every byte", () => {
    const length = (number: number) => {
      const writer = new ByteWriter()
      writer.integer(number)
      return writer.take().length
    }
    assert.deepStrictEqual([0, 127, 128, 16_383, 16_384].map(length), [1, 1, 2, 2, 3])
  })

  it("may fill any number of bytes, and a writer that was emptied begins anew", () => {
    const writer = new ByteWriter()
    for (let index = 0; index < 5000; index++) writer.byte(index % 256)
    const bytes = writer.take()
    assert.strictEqual(bytes.length, 5000)
    assert.strictEqual(bytes[4999], 4999 % 256)
    assert.strictEqual(writer.take().length, 0)
  })
})
