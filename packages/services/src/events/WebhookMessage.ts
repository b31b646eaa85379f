/** The forms of a message for the incoming webhooks of chat services. */
import type { Channel } from "@lazaret/domain"
import type { Schema } from "effect"
import * as Message from "./Message.ts"

/**
 * The body of a message for an incoming webhook of Slack.
 *
 * **Details**
 *
 * The text of others is shown as it is: `&`, `<` and `>` are escaped, so that no name of a test mentions a channel or a person or
 * makes a link; `verbatim` keeps Slack from looking for addresses and names in it; and a character without width stands behind
 * what would format it. A block has at most 3,000 characters and a message 50 blocks, which are Slack's limits.
 */
const slack = ({ further, lines, title, url }: Message.Message) => ({
  text: escaped(Message.cut(title, 150)),
  blocks: [
    { type: "header", text: { type: "plain_text", text: Message.cut(title, 150), emoji: false } },
    ...lines.map(({ isHeading, text, url: place }) => {
      const shown = escaped(Message.cut(text, 600))
      return section(`${isHeading ? `*${shown}*` : `• ${shown}`}${place === null ? "" : ` <${place}|Open>`}`)
    }),
    ...(further === 0 ? [] : [section(`and ${further} more`)]),
    ...(url === null ? [] : [section(`<${url}|Open Lazaret>`)])
  ]
})

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } })

const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[@#*_~`]/gu, (mark) => `${mark}\u200b`)

/**
 * The body of a message for a workflow of Microsoft Teams that posts what its webhook receives: one adaptive card.
 *
 * **Details**
 *
 * The texts are runs of rich text, which Teams does not read as Markdown. Teams answers 413 to more than 28 KB, and in practice to
 * more than 21: lines that go beyond 20,000 bytes are counted and not shown.
 *
 * **See also**
 *
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
 */
const teams = ({ further, lines, title, url }: Message.Message) => {
  const blocks = lines.map(({ isHeading, text, url: place }) =>
    richText(isHeading, `${isHeading ? "" : "• "}${Message.cut(text, 600)}`, place)
  )
  const shown = countWithin(blocks, mostTeamsBytes)
  const left = further + blocks.length - shown
  const body = [
    richText(true, Message.cut(title, 150), null),
    ...blocks.slice(0, shown),
    ...(left === 0 ? [] : [richText(false, `and ${left} more`, null)])
  ]
  const actions = url === null ? [] : [{ type: "Action.OpenUrl", title: "Open Lazaret", url }]
  const content = { type: "AdaptiveCard", version: "1.4", msteams: { width: "Full" }, body, actions }
  return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] }
}

const mostTeamsBytes = 20_000

const richText = (isBold: boolean, text: string, url: string | null) => ({
  type: "RichTextBlock",
  spacing: "Small",
  inlines: [
    { type: "TextRun", text, ...(isBold ? { weight: "Bolder" } : {}) },
    ...(url === null
      ? []
      : [{ type: "TextRun", text: " Open", selectAction: { type: "Action.OpenUrl", url }, color: "Accent" }])
  ]
})

/** The number of first values that have at most `most` bytes together as JSON. */
const countWithin = (values: ReadonlyArray<object>, most: number): number => {
  let bytes = 0
  const first = values.findIndex((value) => (bytes += Buffer.byteLength(JSON.stringify(value))) > most)
  return first === -1 ? values.length : first
}

/** The body of a message for each chat service. */
export const forms: Readonly<Record<Channel.WebhookTag, (message: Message.Message) => Schema.Json>> = {
  Slack: slack,
  Teams: teams
}
