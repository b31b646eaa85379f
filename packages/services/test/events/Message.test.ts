import { assert, describe, it } from "@effect/vitest"
import * as Message from "../../src/events/Message.ts"

describe("a message for Slack", () => {
  it("the text of others makes no link, mention or format", () => {
    const text =
      "https://evil.example/a @here #general *bold* _italic_ ~gone~ `code` <!channel> <https://evil.example|x>"
    const line = { text, url: null, isHeading: false }
    const { blocks } = Message.slack({ id: "1", title: text, lines: [line], further: 0, url: null, sentAt: 0 })
    const [header, section] = blocks.map((block) => block.text)
    assert.deepInclude(header, { type: "plain_text" })
    assert.deepInclude(section, { type: "mrkdwn", verbatim: true })
    assert.notMatch(section?.text ?? "", /[<>]|[@#*_~`](?!\u200b)/u)
  })
})
