/** The message of a notifier: a digest as people read it, and its forms for each channel. */
import { type Digest, type Instant, Ownership, type Redaction, type Repository } from "@lazaret/domain"

/** A line of a message; `url` leads to the test in the dashboard, null where the line has no test. */
export interface MessageLine {
  readonly text: string
  readonly url: string | null
}

/**
 * A message.
 *
 * **Details**
 *
 * `id` is the same for every attempt to send it. `url` leads to the repository in the dashboard. Nothing in it is secret: known
 * forms of secrets are removed.
 */
export interface Message {
  readonly id: string
  readonly title: string
  readonly lines: ReadonlyArray<MessageLine>
  readonly further: number
  readonly url: string | null
  readonly sentAt: Instant.Instant
}

/** How messages are made: the public address of the service, null when it is not known, and what removes secrets. */
export interface MessageOptions {
  readonly publicUrl: string | null
  readonly redact: Redaction.Redact
}

/** The facts of a message. */
export interface MessageFacts {
  readonly id: string
  readonly ref: Repository.RepositoryRef
  readonly digest: Digest.Digest
  readonly sentAt: Instant.Instant
}

/** The message of a digest. Every text is one line, without control characters and without secrets. */
export const of = ({ digest, id, ref, sentAt }: MessageFacts, { publicUrl, redact }: MessageOptions): Message => {
  const url =
    publicUrl === null ? null : `${publicUrl}/${encodeURIComponent(ref.owner)}/${encodeURIComponent(ref.repository)}`
  const count = digest.lines.length + digest.further
  const title = `${ref.owner}/${ref.repository}: ${count === 1 ? "1 change" : `${count} changes`}`
  return {
    id,
    title: oneLine(redact(title)),
    lines: digest.lines.map(({ owners, testId, text }) => ({
      text: oneLine(
        redact(owners.length === 0 ? text : `${text} (${owners.map((name) => Ownership.wordsOf(name)).join(", ")})`)
      ),
      url: url === null || testId === null ? null : `${url}/tests/${testId}`
    })),
    further: digest.further,
    url,
    sentAt
  }
}

/** The message that shows that a notifier works. */
export const test = (id: string, ref: Repository.RepositoryRef, sentAt: Instant.Instant): Message => ({
  id,
  title: `${ref.owner}/${ref.repository}: a test message`,
  lines: [{ text: "This notifier works. It will send messages about events of the repository.", url: null }],
  further: 0,
  url: null,
  sentAt
})

/**
 * The body of a message for an incoming webhook of Slack.
 *
 * **Details**
 *
 * `&`, `<` and `>` are escaped, so that no name of a test mentions a channel or a person or makes a link. A block has at most 3,000
 * characters and a message 50 blocks, which are Slack's limits.
 */
export const slack = ({ further, lines, title, url }: Message) => ({
  text: escaped(cut(title, 150)),
  blocks: [
    { type: "header", text: { type: "plain_text", text: cut(title, 150), emoji: false } },
    ...lines.map((line) =>
      section(`• ${escaped(cut(line.text, 600))}${line.url === null ? "" : ` <${line.url}|Open>`}`)
    ),
    ...(further === 0 ? [] : [section(`and ${further} more`)]),
    ...(url === null ? [] : [section(`<${url}|Open Lazaret>`)])
  ]
})

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } })

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The subject and the text of a message as an e-mail. */
export const mail = ({ further, lines, title, url }: Message): { readonly subject: string; readonly text: string } => ({
  subject: cut(title, 200),
  text: [
    ...lines.flatMap((line) => [`- ${line.text}`, ...(line.url === null ? [] : [`  ${line.url}`])]),
    ...(further === 0 ? [] : [`and ${further} more`]),
    "",
    ...(url === null ? [] : [url]),
    "Sent by Lazaret, because a notifier of this repository has this address.",
    ""
  ].join("\n")
})

const cut = (text: string, most: number): string => {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()
