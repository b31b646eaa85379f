/** Well-formed XML as events, from text that arrives in pieces, within bounds. */
import { Result } from "effect"
import { SaxesParser } from "saxes"
import type { Limits } from "./Limits.ts"
import * as ParseError from "./ParseError.ts"
import { type Refusal, Refused } from "./Refusal.ts"

/** The attributes of an element by name. The record has no prototype. */
export type Attributes = Readonly<Record<string, string | undefined>>

/**
 * What happens in a file, in order. A handler refuses the file by the error it returns.
 *
 * **Details**
 *
 * `wantsText` is asked after every `open` and `close`; while it is false, text is dropped unread. Long text comes in
 * pieces.
 */
export interface Handler {
  readonly open: (name: string, attributes: Attributes) => Refusal | undefined
  readonly close: (name: string) => Refusal | undefined
  readonly wantsText: () => boolean
  readonly text: (text: string) => void
}

/** A reader of one XML file. */
export interface Xml {
  /** Reads the next piece of text; after a failure nothing more may be written. */
  readonly write: (text: string) => Result.Result<void, ParseError.ParseError>
  /** Says that the file ended here. */
  readonly end: () => Result.Result<void, ParseError.ParseError>
}

/** Bounds what the parser holds: text is passed on, or dropped, when so much of it has gathered. */
const pieceLength = 65_536

/** The longest name of an element, attribute or entity. */
const longestXmlName = 10_000

const refuse = (reason: ParseError.Reason, message: string): never => {
  throw new Refused({ reason, message })
}

/**
 * A reader that reports to `handler`.
 *
 * **Details**
 *
 * Refused are: everything that is not well-formed, control characters that XML forbids, declared entities (nothing
 * outside of the file is ever read), and whatever passes the limits on depth, number and length of elements. Namespaces
 * are not looked at.
 */
export const make = (handler: Handler, limits: Limits): Xml => {
  const parser = new SaxesParser({ xmlns: false })
  const state: State = { depth: 0, elements: 0, isInTag: false, tagLength: 0, isCollecting: false }
  listen(parser, handler, state, limits)
  const guarded = (step: () => void): Result.Result<void, ParseError.ParseError> =>
    Result.try({
      try: step,
      catch: (thrown) => {
        const { message, reason } = thrown instanceof Refused ? thrown.refusal : unexpected(thrown)
        return ParseError.at(reason, message, { line: parser.line, column: parser.column })
      }
    })
  return {
    write: (text) =>
      guarded(() => {
        for (let start = 0; start < text.length; start += pieceLength) {
          const piece = text.slice(start, start + pieceLength)
          parser.write(piece)
          if (state.isInTag) state.tagLength += piece.length
          release(parser, handler, state, limits)
        }
      }),
    end: () => guarded(() => void parser.close())
  }
}

/** Where the reader stands. `tagLength` sums up the pieces that ended inside of the open tag. */
interface State {
  depth: number
  elements: number
  isInTag: boolean
  tagLength: number
  isCollecting: boolean
}

const listen = (parser: SaxesParser, handler: Handler, state: State, limits: Limits): void => {
  const onText = (text: string) => handler.text(text)
  const settle = (refusal: Refusal | undefined): void => {
    if (refusal !== undefined) refuse(refusal.reason, refusal.message)
    const isWanted = handler.wantsText()
    if (isWanted === state.isCollecting) return
    state.isCollecting = isWanted
    if (isWanted) parser.on("text", onText)
    else parser.off("text")
  }
  parser.on("error", (error) => refuse("malformed", explained(error.message)))
  parser.on("doctype", (doctype) => {
    if (doctype.replace(/"[^"]*"|'[^']*'/g, "").includes("[")) refuse("unsupported", declaredEntities)
  })
  parser.on("opentagstart", () => {
    state.isInTag = true
    state.tagLength = 0
  })
  parser.on("opentag", (tag) => {
    state.isInTag = false
    state.depth += 1
    state.elements += 1
    if (state.depth > limits.depth) refuse("too_large", `Elements are nested more than ${limits.depth} deep.`)
    if (state.elements > limits.elements) refuse("too_large", `The report has more than ${limits.elements} elements.`)
    settle(handler.open(tag.name, tag.attributes))
  })
  parser.on("closetag", (tag) => {
    state.depth -= 1
    settle(handler.close(tag.name))
  })
  parser.on("cdata", (text) => {
    if (state.isCollecting) handler.text(text)
  })
}

/** The fields in which the parser gathers what it has not reported yet. */
interface Gathered {
  text: string
  name: string
  entity: string
}

/**
 * Keeps what the parser gathers within bounds. It reports text, CDATA and comments only when they end, and a log of
 * 100 MB in one CDATA section is no rarity.
 */
const release = (parser: SaxesParser, handler: Handler, state: State, limits: Limits): void => {
  // The fields are private in the declarations and plain strings in saxes 6.0.0, the version this package pins; a test
  // sees the memory grow if they ever are not. Between two writes, taking text away is safe: every state only appends.
  const gathered = parser as unknown as Gathered
  if (gathered.name.length > longestXmlName || gathered.entity.length > longestXmlName) {
    refuse("malformed", `A name is longer than ${longestXmlName} characters.`)
  }
  if (state.isInTag) {
    if (state.tagLength > limits.tagLength) {
      refuse("too_large", `A tag is longer than ${limits.tagLength / 1_048_576} MiB.`)
    }
  } else if (gathered.text.length > pieceLength) {
    if (state.depth === 0) refuse("too_large", "Too much text stands outside of the root element.")
    if (state.isCollecting) handler.text(gathered.text)
    gathered.text = ""
  }
}

const declaredEntities =
  "The report declares its own entities in a DOCTYPE, which are never resolved: write the report without a DOCTYPE."

/** The sentences for what the parser says in its own words, by the beginning of those. */
const explanations: ReadonlyArray<readonly [string, (rest: string) => string]> = [
  [
    "disallowed character.",
    () => "The report holds a control character, which XML forbids: the reporter must remove or replace it."
  ],
  [
    "malformed character entity",
    () =>
      "The report holds a reference to a control character, which XML forbids: the reporter must remove or replace it."
  ],
  [
    "undefined entity",
    () => "The report uses an entity that XML does not define: only &amp;, &lt;, &gt;, &quot; and &apos; exist."
  ],
  ["unclosed tag: ", (rest) => `The report is cut off: <${rest}> is never closed. Send the whole file.`],
  ["unexpected end", () => "The report is cut off in the middle of a tag or a comment. Send the whole file."],
  [
    "document must contain a root element",
    () => "The report has no root element: it is empty or cut off. Send the whole file."
  ],
  ["text data outside of root node", () => "The report holds text outside of its root element: it is no XML file."],
  ["documents may contain only one root", () => "The report has several root elements: send each file on its own."]
]

const explained = (message: string): string => {
  const plain = message.replace(/^\d+:\d+: /, "")
  const match = explanations.find(([start]) => plain.startsWith(start))
  return match === undefined
    ? `The report is not well-formed XML: ${sentence(plain)}`
    : match[1](plain.slice(match[0].length))
}

const sentence = (text: string): string => `${text.replace(/\.$/, "")}.`

const unexpected = (thrown: unknown): Refusal => ({
  reason: "malformed",
  message: `The report is not well-formed XML: ${thrown instanceof Error ? sentence(thrown.message) : "it cannot be read."}`
})
