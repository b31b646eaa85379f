import { NameSearch } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { names } from "../../src/testing/lists.ts"

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const finds = (search: string, name: string) => NameSearch.compile(search)(name)

describe("NameSearch", () => {
  it("every word has to occur somewhere, in any order and any case", () => {
    assert.isTrue(finds("adds cart", "Cart > ADDS an item"))
    assert.isFalse(finds("adds till", "Cart > adds an item"))
    assert.isTrue(finds("ÜBER", "fährt über Land"))
    assert.isTrue(finds("  ", "anything"))
  })

  it("a word after an exclamation mark must not occur, and a lone mark says nothing", () => {
    assert.isFalse(finds("cart !slow", "Cart > slow"))
    assert.isTrue(finds("cart !slow !", "Cart > fast"))
  })

  it("an asterisk stands for any text and a question mark for one character, anywhere in the name", () => {
    assert.isTrue(finds("cart*item", "My cart > adds an item now"))
    assert.isFalse(finds("item*cart", "My cart > adds an item now"))
    assert.isTrue(finds("v?.1", "api v2.1 answers"))
  })

  it.prop(
    "a part of a name without white space finds the name, in either case",
    [names, whole(0, 8), whole(1, 8)],
    ([name, from, length]) => {
      const part = name.slice(from, from + length).replaceAll(/[\s!]/gu, "")
      if (!name.includes(part)) return
      assert.isTrue(finds(part.toUpperCase(), name.toUpperCase()))
      assert.isTrue(finds(part.toLowerCase(), name))
    }
  )
})
