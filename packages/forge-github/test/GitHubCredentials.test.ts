import { generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { GitHubCredentials } from "../src/index.ts"

const rsa = (type: "pkcs1" | "pkcs8") =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type, format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })

describe("the private key of an app", () => {
  it("the private key of an app is accepted in both forms, and kept in one", () => {
    for (const { privateKey } of [rsa("pkcs1"), rsa("pkcs8")]) {
      const key = Result.getOrThrow(GitHubCredentials.privateKey(privateKey))
      assert.match(Redacted.value(key), /^-----BEGIN PRIVATE KEY-----/)
      assert.notInclude(String(key), "BEGIN")
    }
  })

  const elliptic = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })
  const cases: ReadonlyArray<readonly [title: string, text: string, expected: RegExp]> = [
    ["an empty file", "", /no line such as/],
    ["a token", "ghp_0123456789", /no line such as/],
    ["a public key", rsa("pkcs1").publicKey, /it is a public key/],
    ["a damaged key", rsa("pkcs1").privateKey.slice(0, 300), /damaged/],
    ["a key of another kind", elliptic.privateKey, /key for ec/]
  ]
  for (const [title, text, expected] of cases) {
    it(`the private key of an app is refused with a reason that does not quote it: ${title}`, () => {
      const reason = Result.getOrElse(Result.flip(GitHubCredentials.privateKey(text)), () => "")
      assert.match(reason, expected)
      if (text !== "") assert.notInclude(reason, text.slice(30, 60) === "" ? text : text.slice(30, 60))
    })
  }
})
