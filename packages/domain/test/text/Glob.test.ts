import { Glob } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { names, patterns } from "../../src/testing/lists.ts"

const escaped = (text: string) => text.replaceAll(/[.[\]\\^$+(){}|/-]/gu, "\\$&")

/** The meaning of a pattern in one line, for short names. */
const asRegExp = (pattern: string) =>
  new RegExp(`^${escaped(pattern).replaceAll("*", "[^]*").replaceAll("?", "[^]")}$`, "u")

const matches = (pattern: string, name: string) => Glob.compile(pattern)(name)

/** A name that counts the characters that a matcher reads of it. */
class CountedName extends String {
  read = 0

  override charCodeAt(index: number): number {
    this.read += 1
    return super.charCodeAt(index)
  }

  override codePointAt(index: number): number | undefined {
    this.read += 1
    return super.codePointAt(index)
  }

  override startsWith(part: string): boolean {
    this.read += part.length
    return super.startsWith(part)
  }

  override endsWith(part: string): boolean {
    this.read += part.length
    return super.endsWith(part)
  }

  override indexOf(part: string, from = 0): number {
    const found = super.indexOf(part, from)
    this.read += (found < 0 ? this.length : found + part.length) - from
    return found
  }
}

describe("Glob", () => {
  it("a pattern matches the whole name and tells cases apart", () => {
    assert.isTrue(matches("Cart > *", "Cart > adds"))
    assert.isFalse(matches("Cart", "Cart > adds"))
    assert.isFalse(matches("adds", "Cart > adds"))
    assert.isFalse(matches("cart > *", "Cart > adds"))
  })

  it("brackets, dots, backslashes, percent and underscore mean themselves", () => {
    assert.isTrue(matches("a[1].%_\\*", "a[1].%_\\b"))
    assert.isFalse(matches("a.c", "abc"))
    assert.isFalse(matches("a_c", "abc"))
    assert.isFalse(matches("[ab]", "a"))
  })

  it("a question mark is one code point, a star any number, line breaks included", () => {
    assert.isTrue(matches("?", "\u{1f600}"))
    assert.isFalse(matches("??", "\u{1f600}"))
    assert.isTrue(matches("a?*b", "a\n\nb"))
    assert.isFalse(matches("a?b", "ab"))
    assert.isTrue(matches("*", ""))
    assert.isTrue(matches("*?\u{1f600}", "\u{1f600}\u{1f600}"))
  })

  it("pieces do not overlap", () => {
    assert.isFalse(matches("ab*ba", "aba"))
    assert.isFalse(matches("*ab*ab", "ab"))
    assert.isFalse(matches("a*b*b", "ab"))
    assert.isTrue(matches("a*b*b", "abb"))
  })

  it.prop(
    "a pattern means what the regular expression of the pattern means",
    [patterns, names],
    ([pattern, name]) => {
      assert.strictEqual(matches(pattern, name), asRegExp(pattern).test(name))
    },
    { arbitrary: { runs: 2000 } }
  )

  it.prop("every name matches the pattern that hides a part of it", [names, names, names], ([a, b, c]) => {
    assert.isTrue(matches(`${a}*${c}`, a + b + c))
    assert.isTrue(matches(`*${b}*`, a + b + c))
    const shape = "?".repeat(Array.from(b).length)
    assert.isTrue(matches(`*${shape}${c}`, a + b + c))
  })

  it.prop("a pattern is literal when it matches only itself", [patterns, names], ([pattern, name]) => {
    if (Glob.isLiteral(pattern)) assert.strictEqual(matches(pattern, name), pattern === name)
    else assert.isTrue(matches(pattern, pattern.replaceAll("*", "x").replaceAll("?", "y")))
  })

  it.each(["*a", "*a?", "?*a", "*?", "?"])(
    "a longest pattern of %s reads at most pattern length times name length characters",
    (piece) => {
      const pattern = `${piece.repeat(255).slice(0, 254)}b`
      const name = new CountedName("a".repeat(10_000))
      // A matcher calls only the methods that are counted, and reads the length.
      assert.isFalse(Glob.compile(pattern)(name as unknown as string))
      assert.isAbove(name.read, 0)
      assert.isAtMost(name.read, pattern.length * name.length)
    }
  )
})
