import { Cursor, Page, TestSort } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { rows } from "../../src/testing/lists.ts"

const sort = TestSort.SearchSort
const Tag = Schema.Literals(["After", "Before", "End"])
const list = Cursor.binding(["search", "octo/cat"])

const targetOf = (tag: typeof Tag.Type, position: TestSort.Position): Page.Target<TestSort.Position> =>
  tag === "End" ? Page.end : { _tag: tag, position }

const decode = (text: string, by: TestSort.SearchSort = "test_name", binding = list) =>
  Cursor.decode(binding, text, TestSort.positionSchema(by))

const reason = (text: string) => Result.getOrThrow(Result.flip(Cursor.decode(list, text, Schema.Int))).reason

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\u00e9"

/** A cursor with a digest that fits, as anyone can make one, for a payload that is not a target. */
const forge = (target: unknown) => Cursor.encode(list, target as Page.Target<unknown>) // cast: the point of a forgery

describe("Cursor", () => {
  it.prop("a cursor decodes to the target that was encoded", [Tag, rows, sort], ([tag, row, by]) => {
    const target = targetOf(tag, TestSort.position(row, by))
    assert.deepStrictEqual(decode(Cursor.encode(list, target), by), Result.succeed(target))
  })

  it.prop("a cursor needs no escape in a URL", [Tag, rows, sort], ([tag, row, by]) => {
    const text = Cursor.encode(list, targetOf(tag, TestSort.position(row, by)))
    assert.strictEqual(encodeURIComponent(text), text)
  })

  it.prop("a cursor of another list is foreign", [Tag, rows, Schema.Array(Schema.String)], ([tag, row, parts]) => {
    const other = Cursor.binding(parts)
    const text = Cursor.encode(list, targetOf(tag, TestSort.position(row, "test_name")))
    if (other !== list) {
      assert.strictEqual(Result.getOrThrow(Result.flip(decode(text, "test_name", other))).reason, "foreign")
    }
  })

  it("parts of a binding do not run into one another", () => {
    const bindings = [["a", "b"], ["a,b"], ["ab"], ["a", "b", ""], ['a","b']].map((parts) => Cursor.binding(parts))
    assert.strictEqual(new Set(bindings).size, bindings.length)
  })

  it.prop(
    "a cursor with any character changed, added or left out is refused",
    [rows],
    ([row]) => {
      const text = Cursor.encode(list, Page.after(TestSort.position(row, "test_name")))
      for (let at = 0; at < text.length; at++) {
        const other = alphabet[(at * 7 + text.length) % alphabet.length] ?? ""
        const changed = text.slice(0, at) + other + text.slice(at + 1)
        if (changed !== text) assert.isTrue(Result.isFailure(decode(changed)))
        assert.isTrue(Result.isFailure(decode(text.slice(0, at) + text.slice(at + 1))))
        assert.isTrue(Result.isFailure(decode(text.slice(0, at))))
        assert.isTrue(Result.isFailure(decode(text.slice(0, at) + other + text.slice(at))))
      }
    },
    { arbitrary: { runs: 5 } }
  )

  it("a cursor with another character in any place is refused", () => {
    const text = Cursor.encode(list, Page.after(1))
    const changes = Array.from(text).flatMap((_, at) =>
      Array.from(alphabet, (other) => text.slice(0, at) + other + text.slice(at + 1))
    )
    const accepted = changes.filter((changed) => Result.isSuccess(Cursor.decode(list, changed, Schema.Int)))
    assert.deepStrictEqual(new Set(accepted), new Set([text]))
  })

  it("a cursor in another spelling of the same bytes is refused", () => {
    const [payload = "", digest = ""] = Cursor.encode(list, Page.after(1)).split(".")
    assert.notStrictEqual(payload.length % 4, 0)
    assert.strictEqual(
      reason(`${payload}=.${digest}`.replace("=.", "=".repeat(4 - (payload.length % 4)) + ".")),
      "foreign"
    )
    assert.strictEqual(reason(`${payload}.${digest.toUpperCase()}`), "foreign")
    assert.strictEqual(reason(`${payload}\n.${digest}`), "foreign")
  })

  it.prop("any text is a cursor or refused, never an exception", [Schema.String], ([text]) => {
    assert.isTrue(Result.isFailure(decode(text)))
    assert.isTrue(Result.isFailure(decode(`${text}.${text}`)))
  })

  it("a forged cursor is checked as any other input", () => {
    assert.deepStrictEqual(Cursor.decode(list, forge(Page.after(1)), Schema.Int), Result.succeed(Page.after(1)))
    assert.strictEqual(reason(forge(Page.after("1"))), "position")
    assert.strictEqual(reason(forge({ _tag: "After" })), "malformed")
    assert.strictEqual(reason(forge({ _tag: "Start" })), "malformed")
    assert.strictEqual(reason(forge([])), "malformed")
    assert.strictEqual(reason(forge(null)), "malformed")
  })

  it("the position of another sort is refused", () => {
    const text = Cursor.encode(list, Page.after({ key: 7, testName: "t", pipelineName: "p", jobName: "j" }))
    assert.isTrue(Result.isSuccess(decode(text, "executions_count")))
    assert.isTrue(Result.isFailure(decode(text, "test_name")))
  })
})
