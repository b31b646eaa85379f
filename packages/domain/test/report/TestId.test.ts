import { TestId } from "@lazaret/domain"
import { names } from "@lazaret/domain/testing"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"

/** A version 5 UUID as RFC 9562 describes it. */
const uuid5 = (name: string): string => {
  const hash = createHash("sha1")
    .update(Buffer.from(TestId.namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash
    .toString("hex")
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, "$1-$2-$3-$4-$5")
}

describe("TestId", () => {
  it("TestId is the same for ever, since dashboards link to it", () => {
    assert.strictEqual(TestId.of("a"), "459cf559-6b2d-5e7f-b0a8-7d8a1c6b2aff")
    assert.strictEqual(TestId.of("é \u{1f600}"), uuid5("é \u{1f600}"))
  })

  it.prop("TestId is the version 5 UUID of the name's UTF-8 bytes", [names], ([name]) => {
    assert.strictEqual(TestId.of(name), uuid5(name))
    assert.isTrue(Schema.is(TestId.TestId)(TestId.of(name)))
  })

  it.prop("different names have different ids, also where they look alike", [names, names], ([one, other]) => {
    assert.strictEqual(TestId.of(one) === TestId.of(other), one === other)
  })

  it("no other text is one", () => {
    const isTestId = Schema.is(TestId.TestId)
    for (const text of ["", "a", "459cf559-6b2d-4e7f-b0a8-7d8a1c6b2aff", "459cf5596b2d5e7fb0a87d8a1c6b2aff"]) {
      assert.isFalse(isTestId(text), text)
    }
  })
})
