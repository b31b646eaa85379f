import { Text } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"

/** Whole characters of every plane, rich in those on which UTF-16 and UTF-8 disagree. */
const character = fc.oneof(
  fc.constantFrom("a", "b", "\u007f", "\u0080", "\ud7ff", "\ue000", "\ufffd", "\uffff", "\u{10000}", "\u{10ffff}"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 1 })
)
const text = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(""))

/** Any UTF-16 units, lone surrogates included. */
const units = fc
  .array(fc.oneof(fc.constantFrom(0xd83d, 0xde00, 0xdfff, 0x61), fc.nat(0xffff)), { maxLength: 8 })
  .map((all) => String.fromCharCode(...all))

const codePoints = (value: string): ReadonlyArray<number> => [...value].map((point) => point.codePointAt(0) ?? -1)

describe("Text.compare", () => {
  it("Text.compare compares by code points where UTF-16 would not", () => {
    assert.strictEqual(Text.compare("\u{1f600}", "\ufffd"), 1)
    assert.deepStrictEqual(["\u{1f600}", "a", "\ufffd", "Z", ""].toSorted(Text.compare), [
      "",
      "Z",
      "a",
      "\ufffd",
      "\u{1f600}"
    ])
  })

  it("a text comes before the texts that it starts", () => {
    assert.strictEqual(Text.compare("a", "a\u{1f600}"), -1)
    assert.strictEqual(Text.compare("a\0", "a"), 1)
  })

  it("Text.compare is the order of the UTF-8 bytes", () => {
    fc.assert(
      fc.property(text, text, text, (start, a, b) => {
        const [one, other] = [start + a, start + b]
        assert.strictEqual(Text.compare(one, other), Buffer.compare(Buffer.from(one), Buffer.from(other)))
      }),
      { numRuns: 1000 }
    )
  })

  it("Text.compare is the order of the code points", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [codePoints(a), codePoints(b)]
        const at = one.findIndex((point, index) => point !== other[index])
        const expected = at === -1 ? one.length - other.length : (one[at] ?? 0) - (other[at] ?? -1)
        assert.strictEqual(Text.compare(a, b), Math.sign(expected))
        assert.strictEqual(Text.CodePointOrder(a, b), Math.sign(expected))
      }),
      { numRuns: 1000 }
    )
  })
})

describe("Text.length", () => {
  it("Text.length counts a character outside the first plane once", () => {
    assert.strictEqual(Text.length("\u{1f600}\u{1f600}"), 2)
    assert.strictEqual(Text.length("e\u0301"), 2)
    assert.strictEqual(Text.length(""), 0)
  })

  it("Text.length is the number of code points of any text, lone surrogates counted as one each", () => {
    fc.assert(
      fc.property(units, (value) => assert.strictEqual(Text.length(value), [...value].length)),
      { numRuns: 1000 }
    )
  })
})

describe("Text.Storable", () => {
  const isStorable = Schema.is(Text.Storable)

  it("Text.Storable refuses NUL, which PostgreSQL cannot keep", () => {
    assert.isFalse(isStorable("a\0b"))
    assert.isTrue(isStorable("\u0001"))
    assert.isTrue(isStorable(""))
  })

  it("Text.Storable refuses lone surrogates, in any place", () => {
    for (const value of ["\ud83d", "\ude00", "a\ud83d", "\ude00\ud83d", "\u{1f600}\ude00"]) {
      assert.isFalse(isStorable(value), JSON.stringify(value))
    }
    assert.isTrue(isStorable("\u{1f600}\ufffd"))
  })

  it("Text.Storable is what survives a trip through UTF-8 and has no NUL", () => {
    fc.assert(
      fc.property(fc.oneof(units, text), (value) => {
        const survives = Buffer.from(value, "utf8").toString("utf8") === value && !value.includes("\0")
        assert.strictEqual(isStorable(value), survives)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("Text.between", () => {
  it("Text.between counts in code points, both ends included", () => {
    const isFit = Schema.is(Text.between(1, 3))
    assert.deepStrictEqual(["", "a", "abc", "abcd"].map(isFit), [false, true, true, false])
    assert.isTrue(isFit("\u{1f600}".repeat(3)))
    assert.isFalse(isFit("\u{1f600}".repeat(4)))
    assert.isFalse(isFit("a\0b"))
  })

  it("Text.between is the number of code points between the two, for any storable text", () => {
    fc.assert(
      fc.property(text, fc.nat(4), fc.nat(4), (value, minimum, more) => {
        fc.pre(!value.includes("\0"))
        const points = [...value].length
        const expected = points >= minimum && points <= minimum + more
        assert.strictEqual(Schema.is(Text.between(minimum, minimum + more))(value), expected)
      })
    )
  })
})
