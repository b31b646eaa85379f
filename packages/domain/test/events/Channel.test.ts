import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Channel from "../../src/events/Channel.ts"

describe("Channel", () => {
  it("a mailbox is one address, and no header of a mail", () => {
    const isMailbox = Schema.is(Channel.Mailbox)
    assert.isTrue(isMailbox("ada.lovelace+ci@example.com"))
    for (const text of ["", "ada", "a@b\nBcc: c@d", "a@b, c@d", "Ada <a@b>", "a b@c"])
      assert.isFalse(isMailbox(text), text)
  })

  it("each kind of incoming webhook has a tag of its own", () => {
    assert.deepStrictEqual(Channel.webhookKinds.map(Channel.tagOf), Channel.webhookTags)
  })

  it("the targets of a channel leave out the secret path", () => {
    const url = "https://hooks.example.com/services/secret"
    assert.deepStrictEqual(Channel.targets({ _tag: "Teams", url }), ["hooks.example.com"])
    assert.deepStrictEqual(Channel.targets({ _tag: "Email", to: ["a@example.com", "b@example.com"] }), [
      "a@example.com",
      "b@example.com"
    ])
  })
})
