import { assert, describe, it } from "@effect/vitest"
import type * as Message from "../../src/events/Message.ts"
import * as WebhookMessage from "../../src/events/WebhookMessage.ts"

const text = "https://evil.example/a @here #general *bold* _italic_ ~gone~ `code` <!channel> <https://evil.example|x>"

const line = { text, url: null, isHeading: false }

const message: Message.Message = { id: "1", title: text, lines: [line], further: 0, url: null, sentAt: 0 }

describe("a message for Slack", () => {
  it("the text of others makes no link, mention or format", () => {
    const shown = JSON.stringify(WebhookMessage.forms.Slack(message))
    assert.include(shown, '"verbatim":true')
    const texts = [...shown.matchAll(/"mrkdwn","text":"(?<text>[^"]*)"/gu)].map(({ groups }) => groups?.["text"] ?? "")
    assert.lengthOf(texts, 1)
    assert.notMatch(texts[0] ?? "", /[<>]|[@#*_~`](?!\u200b)/u)
  })
})

/** The card of a message for Teams: the texts of its runs in order, and the addresses that it leads to. */
const cardOf = (of: Message.Message) => {
  const json = JSON.stringify(WebhookMessage.forms.Teams(of))
  const all = (pattern: RegExp) => [...json.matchAll(pattern)].map(([, found]) => JSON.parse(found ?? ""))
  return {
    json,
    runs: all(/"type":"TextRun","text":("(?:[^"\\]|\\.)*")/gu),
    blocks: new Set(all(/"type":("\w+Block")/gu)),
    urls: all(/"url":("(?:[^"\\]|\\.)*")/gu)
  }
}

describe("a message for Microsoft Teams", () => {
  it("the texts are runs, which are not read as Markdown, and links lead to tests and to the repository", () => {
    const url = "https://tests.example.com/acme/widgets"
    const { blocks, runs, urls } = cardOf({ ...message, lines: [{ ...line, url: `${url}/tests/1` }], further: 3, url })
    assert.deepStrictEqual(runs, [text, `• ${text}`, " Open", "and 3 more"])
    assert.deepStrictEqual([...blocks], ["RichTextBlock"])
    assert.deepStrictEqual(urls, [`${url}/tests/1`, url])
  })

  it("a card stays below the size that Teams takes, and counts the lines that it leaves out", () => {
    const lines = Array.from({ length: 46 }, () => ({ ...line, text: "測試".repeat(300) }))
    const { json, runs } = cardOf({ ...message, lines, further: 5 })
    assert.isBelow(Buffer.byteLength(json), 21_000)
    assert.isAbove(runs.length, 8)
    assert.strictEqual(runs.at(-1), `and ${46 + 5 - (runs.length - 2)} more`)
  })
})
