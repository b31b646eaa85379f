/** A streaming XML parser with limits: text arrives in pieces, events go to a handler. */
import { Result } from "effect"
import { type SaxesOptions, SaxesParser } from "saxes"
import type { Limits } from "../text/Limits.ts"
import * as ParseError from "../text/ParseError.ts"
import { type Refusal, Refused } from "../text/Refusal.ts"
import * as XmlFault from "./XmlFault.ts"
import * as XmlPlace from "./XmlPlace.ts"

/** The attributes of an element by name. The record has no prototype. */
export type Attributes = Readonly<Record<string, string | undefined>>

/**
 * The events of a file, in order. A handler refuses the file by returning an error.
 *
 * **Details**
 *
 * `wantsText` is asked after every `open` and `close`; while it is false, text is dropped unread. Long text comes in
 * pieces, and of a long comment only the end.
 */
export interface Handler {
  readonly open: (name: string, attributes: Attributes) => Refusal | undefined
  readonly close: (name: string) => Refusal | undefined
  readonly wantsText: () => boolean
  readonly text: (text: string) => void
  readonly comment?: (text: string) => void
}

/** The parser of one XML file. */
export interface Xml {
  /** Parses the next piece of text; after a failure nothing more may be written. */
  readonly write: (text: string) => Result.Result<void, ParseError.ParseError>
  /** Says that the file ended here. */
  readonly end: () => Result.Result<void, ParseError.ParseError>
  /** The characters that XML forbids and that were replaced, and the line of the first of them. */
  readonly replaced: () => { readonly count: number; readonly line: number }
  /** The line that the next piece begins in. */
  readonly line: () => number
}

/** Bounds what the parser holds: text is passed on, or dropped, when this much of it has gathered. */
const pieceLength = 65_536

/** The longest name of an element, attribute or entity. */
const longestXmlName = 10_000

/**
 * A parser that reports to `handler`.
 *
 * **Details**
 *
 * Refused are: everything that is not well-formed, declared entities (nothing outside of the file is ever read), and
 * whatever passes the limits on depth, number and length of elements. Characters that XML 1.0 forbids, written out or
 * as references, are replaced by U+FFFD: one byte of output must not lose a failure. Namespaces are ignored.
 */
export const make = (handler: Handler, limits: Limits): Xml => new Reading(handler, limits)

/** The private members of saxes 6.0.0 that this module uses; the version is pinned for this reason (decision 0005). */
interface Hidden {
  text: string
  name: string
  entity: string
  readonly opt: Options
  parseEntity(entity: string): string
}

interface Options extends SaxesOptions {
  /** The text of a reference; undefined leaves it to the library. */
  readonly reference: (entity: string) => string | undefined
}

type Library = Hidden & Pick<SaxesParser, "on" | "off" | "write" | "close" | "line" | "column" | "position">

// The private members exist at run time. If they change, the tests of memory and of references fail.
const Library = SaxesParser as unknown as new (options: Options) => Library

/** A subclass, because a property added to a parser makes every state of it slow. */
class Parser extends Library {
  override parseEntity(entity: string): string {
    return this.opt.reference(entity) ?? super.parseEntity(entity)
  }
}

/** A class, because it is the state of a parser. `tagLength` sums up the pieces that ended inside of the open tag. */
class Reading implements Xml {
  private readonly parser = new Parser({
    xmlns: false,
    defaultXMLVersion: "1.0",
    forceXMLVersion: true,
    reference: (entity) => this.reference(entity)
  })
  private readonly place = XmlPlace.make()
  private readonly handler: Handler
  private readonly limits: Limits
  private pending = ""
  private depth = 0
  private elements = 0
  private isInTag = false
  private tagLength = 0
  private isCollecting = false
  private replacedCount = 0
  private replacedLine = 0
  private readonly onText = (text: string): void => this.handler.text(this.mended(text))

  constructor(handler: Handler, limits: Limits) {
    this.handler = handler
    this.limits = limits
    this.listen()
  }

  write(text: string): Result.Result<void, ParseError.ParseError> {
    return this.guarded(() => {
      const whole = this.pending === "" ? text : this.pending + text
      // The library would hold back half of a line break or of a surrogate pair.
      const end = isHalf(whole, whole.length - 1) ? whole.length - 1 : whole.length
      this.pending = whole.slice(end)
      for (let start = 0; start < end;) {
        const next = start + pieceLength
        const edge = Math.min(end, isHalf(whole, next - 1) ? next + 1 : next)
        this.parse(whole.slice(start, edge))
        start = edge
      }
    })
  }

  end(): Result.Result<void, ParseError.ParseError> {
    return this.guarded(() => {
      if (this.pending !== "") this.parse(this.pending)
      this.refuseBareAmpersand()
      this.parser.close()
    })
  }

  replaced(): { readonly count: number; readonly line: number } {
    return { count: this.replacedCount, line: this.replacedLine }
  }

  line(): number {
    return this.parser.line
  }

  private parse(piece: string): void {
    this.place.next(piece, { line: this.parser.line, column: this.parser.column + 1 })
    this.parser.write(piece)
    if (this.isInTag) this.tagLength += piece.length
    this.release()
  }

  private guarded(step: () => void): Result.Result<void, ParseError.ParseError> {
    return Result.try({
      try: step,
      catch: (thrown) => {
        const { message, reason } = thrown instanceof Refused ? thrown.refusal : XmlFault.unexpected(thrown)
        const offset = thrown instanceof Refused ? thrown.offset : undefined
        return ParseError.at(reason, message, this.place.at(offset ?? this.parser.position - 1))
      }
    })
  }

  private listen(): void {
    const { parser } = this
    parser.on("error", (error) => this.fault(error.message))
    parser.on("doctype", (doctype) => {
      if (/<!ENTITY\s/.test(doctype.replace(/<!--.*?-->/gs, ""))) refuse("unsupported", XmlFault.declaredEntities)
    })
    parser.on("opentagstart", () => {
      this.isInTag = true
      this.tagLength = 0
    })
    parser.on("opentag", (tag) => this.opened(tag.name, tag.attributes))
    parser.on("closetag", (tag) => {
      this.depth -= 1
      this.settle(this.handler.close(tag.name))
    })
    parser.on("cdata", (text) => {
      if (this.isCollecting) this.onText(text)
    })
    parser.on("comment", (text) => this.handler.comment?.(text))
  }

  private opened(name: string, attributes: Record<string, string>): void {
    const { limits } = this
    this.isInTag = false
    this.depth += 1
    this.elements += 1
    if (this.depth > limits.depth) refuse("too_large", `Elements are nested more than ${limits.depth} deep.`)
    if (this.elements > limits.elements) refuse("too_large", `The report has more than ${limits.elements} elements.`)
    if (this.replacedCount > 0) {
      for (const key of Object.keys(attributes)) attributes[key] = this.mended(attributes[key] ?? "")
    }
    this.settle(this.handler.open(name, attributes))
  }

  private settle(refusal: Refusal | undefined): void {
    if (refusal !== undefined) refuse(refusal.reason, refusal.message)
    const isWanted = this.handler.wantsText()
    if (isWanted === this.isCollecting) return
    this.isCollecting = isWanted
    if (isWanted) this.parser.on("text", this.onText)
    else this.parser.off("text")
  }

  /**
   * Bounds the text that the parser buffers. The library reports text, CDATA and comments only when they end, and logs
   * of 100 MB in one CDATA section are common. Removing text between two writes is safe, because every state only
   * appends.
   */
  private release(): void {
    const { limits, parser } = this
    this.refuseBareAmpersand()
    if (parser.name.length > longestXmlName || parser.entity.length > longestXmlName) {
      refuse("malformed", `A name is longer than ${longestXmlName} characters.`)
    }
    if (this.isInTag) {
      if (this.tagLength > limits.tagLength) {
        refuse("too_large", `A tag is longer than ${limits.tagLength / 1_048_576} MiB.`)
      }
    } else if (parser.text.length > pieceLength) {
      if (this.depth === 0) refuse("too_large", "Too much text stands outside of the root element.")
      if (this.isCollecting) this.onText(parser.text)
      parser.text = ""
    }
  }

  /**
   * The text of a reference that the library would refuse, or refuse with the wrong reason; undefined for all others.
   */
  private reference(entity: string): string | undefined {
    if (!entity.startsWith("#")) {
      if (!isName(entity)) refuse("malformed", XmlFault.bareAmpersand, this.ampersand(entity, this.parser.position - 1))
      return undefined
    }
    const digits = /^#(?:x([0-9a-f]+)|([0-9]+))$/i.exec(entity)
    if (digits === null) {
      return refuse("malformed", XmlFault.noNumber, this.ampersand(entity, this.parser.position - 1))
    }
    const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16)
    return isForbidden(code) ? this.replace() : undefined
  }

  /** An `&` that is not escaped makes the library take everything up to the next `;` for an entity. */
  private refuseBareAmpersand(): void {
    const { entity } = this.parser
    if (entity !== "" && !isName(entity) && !/^#[0-9a-z]*$/i.test(entity)) {
      refuse("malformed", XmlFault.bareAmpersand, this.ampersand(entity, this.place.end()))
    }
  }

  /** The offset of the `&` that begins an entity which ends at `end`; the entity may hold others. */
  private ampersand(entity: string, end: number): number {
    return this.place.before("&", end, entity.split("&").length)
  }

  private fault(message: string): void {
    const offset = this.parser.position - 1
    if (message.endsWith("disallowed character.")) {
      if (this.place.between(offset, offset + 1) === "<") refuse("malformed", XmlFault.bareLess)
      this.replace()
      return
    }
    if (message.endsWith("text data outside of root node.")) return this.outsideText(offset)
    refuse("malformed", XmlFault.explained(message))
  }

  /** Text after the root that is nothing but forbidden characters (NUL, the end-of-file mark of DOS) is padding. */
  private outsideText(offset: number): void {
    const start = this.place.before(">", offset + 1, 1) + 1
    const text = this.place.between(start, offset + 1)
    const first = text.search(/[^\s\p{Cc}]/u)
    if (first !== -1 || this.depth !== 0) {
      refuse("malformed", XmlFault.outsideText, start + Math.max(0, first))
    }
  }

  private replace(): string {
    if (this.replacedCount === 0) this.replacedLine = this.place.at(this.parser.position - 1).line
    this.replacedCount += 1
    return "\uFFFD"
  }

  private mended(text: string): string {
    return this.replacedCount === 0 ? text : text.replaceAll(suspicious, mend)
  }
}

const refuse = (reason: ParseError.Reason, message: string, offset?: number): never => {
  throw new Refused({ reason, message }, offset)
}

/** Whether the character at an index and the next one belong together: a line break of two, or a surrogate pair. */
const isHalf = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index)
  return unit === 0xd || (unit & 0xfc00) === 0xd800
}

const isName = (text: string): boolean => /^[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*$/u.test(text)

/** Control characters, of which XML 1.0 allows some, and what it forbids besides; surrogates are whole already. */
const suspicious = /[\p{Cc}\uFFFE\uFFFF]/gu

const mend = (character: string): string => (isForbidden(character.charCodeAt(0)) ? "\uFFFD" : character)

const isForbidden = (code: number): boolean =>
  (code < 0x20 && code !== 0x9 && code !== 0xa && code !== 0xd) ||
  (code >= 0xd800 && code <= 0xdfff) ||
  code === 0xfffe ||
  code === 0xffff ||
  code > 0x10ffff
