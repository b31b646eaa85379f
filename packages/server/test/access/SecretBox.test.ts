import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Sealer } from "@lazaret/store"
import { Redacted } from "effect"
import * as fc from "fast-check"
import * as SecretBox from "../../src/access/SecretBox.ts"
import * as SecretKeys from "../../src/access/SecretKeys.ts"

const key = () => Redacted.make<Uint8Array>(randomBytes(32))

const texts = fc.string({ unit: "grapheme", maxLength: 200 })

describe("secrets at rest", () => {
  it("a sealed text opens at its place with its key, and nowhere else", () => {
    const [one, other] = [key(), key()]
    const box = SecretBox.make([one])
    fc.assert(
      fc.property(texts, texts, texts, (text, place, elsewhere) => {
        const sealed = box.seal(text, place)
        assert.isTrue(Sealer.isSealed(sealed) && box.isCurrent(sealed))
        assert.strictEqual(box.open(sealed, place), text)
        if (elsewhere !== place) assert.isNull(box.open(sealed, elsewhere))
        assert.isNull(SecretBox.make([other]).open(sealed, place))
        const rotated = SecretBox.make([other, one])
        assert.strictEqual(rotated.open(sealed, place), text)
        assert.isFalse(rotated.isCurrent(sealed))
        assert.isTrue(rotated.isCurrent(rotated.seal(text, place)))
        assert.notStrictEqual(box.seal(text, place), sealed, "a nonce is never used twice")
      })
    )
  })

  it("a sealed text with any changed, missing or further character is not opened", () => {
    const box = SecretBox.make([key()])
    const sealed = box.seal("the secret of a webhook", "place")
    const start = Sealer.prefix.length + Sealer.keyOf(sealed).length + 1
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: sealed.length - 2 }),
        fc.constantFrom("A", "B", "", "AA"),
        (at, put) => {
          const changed = sealed.slice(0, at) + put + sealed.slice(at + 1)
          if (changed !== sealed) assert.isNull(box.open(changed, "place"))
        }
      )
    )
    for (const other of [Sealer.prefix, `${Sealer.prefix}x`, `${Sealer.prefix}${Sealer.keyOf(sealed)}:AAAA`]) {
      assert.isNull(box.open(other, "place"))
    }
  })

  it("a file of keys has one of 32 bytes in each line, and anything else is refused", () => {
    const [one, two] = [randomBytes(32), randomBytes(32)]
    const found = SecretKeys.parse(`# newest first\n${one.toString("base64")}\n\n${two.toString("base64url")}\n`)
    assert.deepStrictEqual(
      found?.map((each) => Buffer.from(Redacted.value(each)).toString("hex")),
      [one.toString("hex"), two.toString("hex")]
    )
    for (const text of ["", "# nothing", "short", randomBytes(31).toString("base64"), `${one.toString("hex")}`]) {
      assert.isNull(SecretKeys.parse(text))
    }
  })

  it("the id of a key is not a part of the key", () => {
    const bytes = randomBytes(32)
    assert.match(SecretBox.idOf(bytes), /^[0-9a-f]{12}$/u)
    assert.notInclude(bytes.toString("hex"), SecretBox.idOf(bytes))
  })
})
