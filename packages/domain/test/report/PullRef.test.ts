import { PullRef } from "@lazaret/domain"
import { pullRefs } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const pull: PullRef.PullRef = { id: 1, number: 2, title: "t", user: { id: 3, login: "l" } }

const isPullRef = Schema.is(PullRef.PullRef)

describe("PullRef", () => {
  it("a pull request reference has every field of interface 2.2, or is refused", () => {
    assert.isTrue(isPullRef(pull))
    for (const field of ["id", "number", "title", "user"] as const) {
      const { [field]: _dropped, ...rest } = pull
      assert.isFalse(isPullRef(rest), field)
      assert.isFalse(isPullRef({ ...pull, [field]: null }), field)
    }
    assert.isFalse(isPullRef({ ...pull, user: { id: 3 } }))
    assert.isFalse(isPullRef({ ...pull, user: { login: "l" } }))
  })

  it("ids and numbers are whole and exact", () => {
    assert.isTrue(isPullRef({ ...pull, id: Number.MAX_SAFE_INTEGER, number: 0 }))
    for (const id of [-1, 0.5, 2 ** 53]) assert.isFalse(isPullRef({ ...pull, id }))
  })

  it("a title may be empty, and every text can be stored", () => {
    assert.isTrue(isPullRef({ ...pull, title: "" }))
    assert.isFalse(isPullRef({ ...pull, title: "\0" }))
    assert.isFalse(isPullRef({ ...pull, user: { id: 3, login: "\ud800" } }))
  })

  it.prop("PullRef survives JSON", [pullRefs], ([generated]) => {
    const read = Schema.decodeUnknownSync(PullRef.PullRef)(JSON.parse(JSON.stringify(generated)))
    assert.deepStrictEqual(read, generated)
  })
})
