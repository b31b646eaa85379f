import { NameMark, Text } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { names } from "../../src/testing/lists.ts"

describe("NameMark", () => {
  it("a name of 200 code points is its own mark, a longer one is cut", () => {
    const smile = "\u{1f600}"
    assert.strictEqual(NameMark.of(smile.repeat(200)), smile.repeat(200))
    const mark = NameMark.of(smile.repeat(201))
    assert.isTrue(NameMark.isCut(mark))
    assert.strictEqual(typeof mark === "string" ? mark : mark.prefix, smile.repeat(200))
  })

  it.prop("a name compares with a mark as with its name", [names, names], ([a, b]) => {
    assert.strictEqual(NameMark.compare(a, NameMark.of(b)), Text.compare(a, b))
    const long = (name: string) => name + "x".repeat(300)
    if (a !== b) assert.strictEqual(NameMark.compare(long(a), NameMark.of(long(b))), Text.compare(long(a), long(b)))
    assert.strictEqual(NameMark.compare(a, NameMark.of(long(b))), Text.compare(a, long(b)))
  })

  it("only the very name is equal to its mark", () => {
    const start = "x".repeat(300)
    assert.strictEqual(NameMark.compare(`${start}a`, NameMark.of(`${start}a`)), 0)
    assert.strictEqual(NameMark.compare(`${start}b`, NameMark.of(`${start}a`)), 1)
    assert.strictEqual(NameMark.compare("x".repeat(200), NameMark.of(`${start}a`)), -1)
    assert.strictEqual(NameMark.compare("x".repeat(199), NameMark.of(`${start}a`)), -1)
    assert.strictEqual(NameMark.compare("x".repeat(201), NameMark.of("x".repeat(200))), 1)
  })

  it.prop("every mark satisfies the schema", [names], ([name]) => {
    for (const text of [name, name.repeat(200)]) assert.isTrue(Schema.is(NameMark.NameMark)(NameMark.of(text)))
  })
})
