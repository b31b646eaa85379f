import { createSign, generateKeyPairSync } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Actor from "../src/Actor.ts"
import { Hub } from "../src/index.ts"

const hub = Hub.make()
const app = Hub.addApp(hub)
const installation: Hub.Installation = { appId: app.id, id: 5, owner: "acme", isSuspended: false }
hub.installations.set(installation.id, installation)

const encoded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url")

const jwt = (claims: object, key = app.privateKey, alg = "RS256") => {
  const seconds = Math.floor(Hub.now(hub) / 1000)
  const body = `${encoded({ alg, typ: "JWT" })}.${encoded({ iss: app.id, iat: seconds - 60, exp: seconds + 540, ...claims })}`
  return `Bearer ${body}.${createSign("RSA-SHA256").update(body).sign(key, "base64url")}`
}

const from = (seconds: number) => Math.floor(Hub.now(hub) / 1000) + seconds
const other = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" }
}).privateKey

describe("the sender of a request", () => {
  it("the sender of a request is the app, with a JWT that its key signed", () => {
    assert.strictEqual(Actor.of(hub, jwt({}))._tag, "App")
  })

  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["another key signed", jwt({}, other), /could not be decoded/],
    ["has another algorithm", jwt({}, app.privateKey, "none"), /could not be decoded/],
    ["has expired", jwt({ exp: from(-1) }), /represent/],
    ["ends in more than ten minutes", jwt({ exp: from(700) }), /too far in the future/],
    ["was issued in the future", jwt({ iat: from(60) }), /Issued at/],
    ["belongs to an unknown app", jwt({ iss: 1 }), /could not be decoded/]
  ]
  for (const [title, header, message] of refused) {
    it(`the sender of a request is refused with a JWT that ${title}`, () => {
      const actor = Actor.of(hub, header)
      assert.match(actor._tag === "Refused" ? actor.message : "", message)
    })
  }

  it("the sender of a request is an installation until its token expires", () => {
    hub.tokens.set("ghs_one", { installation: 5, expiresAt: Hub.now(hub) + 3_600_000 })
    assert.strictEqual(Actor.of(hub, "token ghs_one")._tag, "Installation")
    hub.ahead += 3_600_001
    assert.strictEqual(Actor.of(hub, "token ghs_one")._tag, "Refused")
  })

  it("the sender of a request is nobody without a header, and refused with an unknown token", () => {
    assert.strictEqual(Actor.of(hub, undefined)._tag, "Anonymous")
    assert.strictEqual(Actor.of(hub, "token ghp_unknown")._tag, "Refused")
  })
})
