import { ApplicationKey } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"

const key: ApplicationKey.ApplicationKey = {
  id: "k1",
  name: "CI",
  owner: "Acme",
  scope: "ci",
  hash: "0".repeat(64),
  createdAt: 0,
  revokedAt: null
}

describe("ApplicationKey.reaches", () => {
  it("a key reaches the repositories of its owner and of nobody else", () => {
    assert.isTrue(ApplicationKey.reaches(key, { owner: "Acme" }))
    for (const owner of ["Acm", "Acme2", "acme-", ""]) assert.isFalse(ApplicationKey.reaches(key, { owner }), owner)
  })

  it("owners match without regard to case", () => {
    assert.isTrue(ApplicationKey.reaches(key, { owner: "aCME" }))
    assert.isTrue(ApplicationKey.reaches({ ...key, owner: "acme" }, { owner: "ACME" }))
  })

  it("a key without an owner reaches every owner", () => {
    assert.isTrue(ApplicationKey.reaches({ ...key, owner: null }, { owner: "anybody" }))
  })

  it("a revoked key reaches nothing, whenever it was revoked", () => {
    for (const revokedAt of [0, 1]) {
      assert.isFalse(ApplicationKey.reaches({ ...key, revokedAt }, { owner: "Acme" }))
      assert.isFalse(ApplicationKey.reaches({ ...key, owner: null, revokedAt }, { owner: "Acme" }))
    }
  })

  it("the scope plays no part in what a key reaches", () => {
    for (const scope of ApplicationKey.Scope.literals) {
      assert.isTrue(ApplicationKey.reaches({ ...key, scope }, { owner: "Acme" }))
    }
  })
})
