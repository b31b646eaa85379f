/** The message of a notifier: a digest as people read it, and its form as an e-mail. */
import { Digest, type Instant, Ownership, type Redaction, type Repository } from "@lazaret/domain"

/** A line of a message; `url` leads to the test or the cause in the dashboard, null where the line has none. */
export interface MessageLine {
  readonly text: string
  readonly url: string | null
  /** Whether it names the repository of the lines below it, which `url` then leads to. */
  readonly isHeading: boolean
}

/**
 * A message.
 *
 * **Details**
 *
 * `id` is the same for every attempt to send it. `further` counts the lines that it leaves out. `url` leads to the repository in the
 * dashboard, or to the dashboard where there are several. Nothing in it is secret: known forms of secrets are removed.
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

/** The digest of the events of one repository. */
export interface Part {
  readonly ref: Repository.RepositoryRef
  readonly digest: Digest.Digest
}

/** The facts of a message: a part for each repository. */
export interface MessageFacts {
  readonly id: string
  readonly parts: ReadonlyArray<Part>
  readonly sentAt: Instant.Instant
}

/** The most repositories of a message, and the most lines and headings together: Slack takes 50 blocks. */
const mostParts = 20
const mostRows = 46

/**
 * The message of digests. Every text is one line, without control characters and without secrets.
 *
 * **Details**
 *
 * A message about several repositories has a heading for each, with the number of its changes; the lines are shared out among them
 * (`Digest.shares`). Beyond the first 20 repositories only the number of lines is given.
 */
export const of = ({ id, parts, sentAt }: MessageFacts, options: MessageOptions): Message => {
  const shown = parts.slice(0, mostParts)
  const headings = parts.length === 1 ? 0 : shown.length
  const counts = shown.map(({ digest }) => digest.lines.length)
  const given = headings === 0 ? counts : Digest.shares(counts, mostRows - headings)
  const total = parts.reduce((sum, part) => sum + countOf(part), 0)
  const [first] = parts
  return {
    id,
    title: oneLine(
      options.redact(
        first === undefined || parts.length > 1
          ? `${parts.length} repositories: ${changes(total)}`
          : `${nameOf(first.ref)}: ${changes(total)}`
      )
    ),
    lines: shown.flatMap((part, index) => linesOf(part, given[index] ?? 0, headings > 0, options)),
    further: total - given.reduce((sum, each) => sum + each, 0),
    url: first === undefined || parts.length > 1 ? options.publicUrl : urlOf(first.ref, options),
    sentAt
  }
}

const countOf = ({ digest }: Part): number => digest.lines.length + digest.further

const changes = (count: number): string => (count === 1 ? "1 change" : `${count} changes`)

const nameOf = ({ owner, repository }: Repository.RepositoryRef): string => `${owner}/${repository}`

const urlOf = ({ owner, repository }: Repository.RepositoryRef, { publicUrl }: MessageOptions): string | null =>
  publicUrl === null ? null : `${publicUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`

const linesOf = (
  part: Part,
  most: number,
  hasHeading: boolean,
  options: MessageOptions
): ReadonlyArray<MessageLine> => {
  const url = urlOf(part.ref, options)
  const heading = { text: `${nameOf(part.ref)}: ${changes(countOf(part))}`, url, isHeading: true }
  const lines = part.digest.lines.slice(0, most).map(({ causeId, owners, testId, text }) => ({
    text: oneLine(
      options.redact(
        owners.length === 0 ? text : `${text} (${owners.map((name) => Ownership.wordsOf(name)).join(", ")})`
      )
    ),
    url:
      url === null || testId === null
        ? null
        : `${url}/${causeId === null ? `tests/${testId}` : `causes?test_id=${testId}`}`,
    isHeading: false
  }))
  return hasHeading ? [heading, ...lines] : lines
}

/** The message that shows that a notifier of these repositories works. */
export const test = (id: string, repositories: string, sentAt: Instant.Instant): Message => ({
  id,
  title: `${repositories}: a test message`,
  lines: [{ text: "This notifier works. It will send messages about events.", url: null, isHeading: false }],
  further: 0,
  url: null,
  sentAt
})

/** The subject and the text of a message as an e-mail. */
export const mail = ({ further, lines, title, url }: Message): { readonly subject: string; readonly text: string } => ({
  subject: cut(title, 200),
  text: [
    ...lines.flatMap(({ isHeading, text, url: place }, index) => [
      ...(isHeading && index > 0 ? [""] : []),
      isHeading ? text : `- ${text}`,
      ...(place === null ? [] : [isHeading ? place : `  ${place}`])
    ]),
    ...(further === 0 ? [] : [`and ${further} more`]),
    "",
    ...(url === null ? [] : [url]),
    "Sent by Lazaret, because a notifier has this address.",
    ""
  ].join("\n")
})

/** A text, cut to `most` characters. */
export const cut = (text: string, most: number): string => {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim()
