import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as UploadFormat from "../../src/report/UploadFormat.ts"
import * as TextBytes from "../../src/report/TextBytes.ts"

/** The bytes that V8 keeps of a text that is decoded at once. */
const kept = (text: string): number => (/[\u{100}-\u{10FFFF}]/u.test(text) ? 2 * text.length : text.length)

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const text = fc.string({ unit: fc.constantFrom("a", " ", "é", "ÿ", "Ā", "→", "語", "😀"), maxLength: 40 })

describe("the memory of texts", () => {
  it("a piece takes the memory of its text, and at least its own length", () => {
    fc.assert(
      fc.property(text, (written) => {
        const piece = bytesOf(written)
        assert.strictEqual(TextBytes.ofPiece(piece), Math.max(piece.length, kept(written)))
      })
    )
  })

  it("an escape in JSON for a character beyond Latin-1 counts as that character", () => {
    fc.assert(
      fc.property(text, (written) => {
        const escaped = JSON.stringify(written).replaceAll(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
        )
        const isWide = kept(written) > written.length
        assert.strictEqual(TextBytes.ofJson(bytesOf(escaped)), isWide ? 2 * escaped.length : escaped.length)
        assert.isAtLeast(TextBytes.ofJson(bytesOf(JSON.stringify(written))), kept(written))
      })
    )
  })

  it("an escape in JSON that stands for Latin-1, or for nothing, counts its length", () => {
    for (const piece of ["\\u001b[31mred\\u001b[0m", "C:\\\\users\\\\ci"]) {
      assert.strictEqual(TextBytes.ofJson(bytesOf(piece)), piece.length, piece)
    }
  })

  it("a reference in XML to a number from 256 on counts as a character beyond Latin-1", () => {
    fc.assert(
      fc.property(fc.nat(0x10ffff), fc.nat(3), fc.constantFrom("x", "X", ""), (number, zeros, x) => {
        const digits = number.toString(x === "" ? 10 : 16)
        const piece = `<a b="é &#${x}${"0".repeat(zeros)}${digits};"/>`
        const bytes = bytesOf(piece).length
        assert.strictEqual(TextBytes.ofXml(bytesOf(piece)), number > 0xff ? 2 * bytes : bytes, piece)
      }),
      { examples: [0, 9, 10, 13, 99, 255, 256, 259, 260, 300, 999, 1000, 0x4e2d].map((number) => [number, 0, ""]) }
    )
  })

  it("reports take the memory of their texts, in XML and in the stream of Go", () => {
    const memoryOf = (body: string): number | undefined => {
      const reader = UploadFormat.reports(undefined).readerOf(null)
      reader?.write(bytesOf(body))
      return reader?.textBytes()
    }
    // The format is chosen by the first 64 KiB.
    const long = "x".repeat(70_000)
    for (const [plain, wide] of [
      [`<testsuite name="${long}">&#10;`, `<testsuite name="${long}">&#x4e2d;`],
      [`{"Action":"output","Output":"${long}\\u003c"}\n`, `{"Action":"output","Output":"${long}\\u4e2d"}\n`]
    ] as const) {
      assert.strictEqual(memoryOf(plain), plain.length)
      assert.strictEqual(memoryOf(wide), 2 * wide.length)
    }
  })

  it("spans take the memory of their texts, in JSON and in protobuf", () => {
    const memoryOf = (mediaType: string, body: string): number | undefined => {
      const reader = UploadFormat.traces.readerOf(mediaType)
      reader?.write(bytesOf(body))
      return reader?.textBytes()
    }
    const trace = "x".repeat(1000)
    assert.strictEqual(memoryOf("application/json", trace), 1000)
    assert.strictEqual(memoryOf("application/json", `${trace}→`), 2002)
    assert.strictEqual(memoryOf("application/json", `${trace}\\u2192`), 2012)
    assert.strictEqual(memoryOf("application/x-protobuf", `${trace}→`), 2002)
    assert.strictEqual(memoryOf("application/x-protobuf", `${trace}\\u2192`), 1006)
  })

  it("one arrow doubles the memory of a stack trace, one accent does not", () => {
    const trace = "x".repeat(1000)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(trace)), 1000)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(`${trace}é`)), 1002)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(`${trace}→`)), 2002)
  })
})
