import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
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

  it("one arrow doubles the memory of a stack trace, one accent does not", () => {
    const trace = "x".repeat(1000)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(trace)), 1000)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(`${trace}é`)), 1002)
    assert.strictEqual(TextBytes.ofPiece(bytesOf(`${trace}→`)), 2002)
  })
})
