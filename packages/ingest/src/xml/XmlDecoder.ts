/** XML bytes to text: byte order marks and declared encodings. */
import { Result } from "effect"
import * as ParseError from "../text/ParseError.ts"
import * as Replacement from "../text/Replacement.ts"

/** Turns the bytes of an XML file into text, chunk by chunk. */
export interface XmlDecoder {
  /** The text of the next bytes; it may be held back until enough is known. */
  readonly write: (bytes: Uint8Array) => Result.Result<string, ParseError.ParseError>
  /** The text that was held back. */
  readonly end: () => Result.Result<string, ParseError.ParseError>
  /** The encoding in which bytes were invalid so far; null when none were. */
  readonly invalid: () => string | null
}

/** An XML declaration stands at the start and is shorter than this, white space in front included. */
const declarationBytes = 1024

/**
 * A decoder for one file.
 *
 * **Details**
 *
 * The encoding is that of the byte order mark, else of the pattern of the first bytes (UTF-16), else the one declared in
 * `<?xml … encoding="…"?>`, else UTF-8. A file of single bytes that declares UTF-16 is read as UTF-8: some writers copy
 * the declaration of a text that was UTF-16 in memory. Bytes that are invalid in the encoding are replaced by U+FFFD.
 */
export const make = (): XmlDecoder => {
  let held: Uint8Array = new Uint8Array(0)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  const replaced = Replacement.counter()
  const decode = (known: InstanceType<typeof TextDecoder>, bytes: Uint8Array, stream: boolean): string => {
    const text = known.decode(bytes, { stream })
    replaced.note(text, bytes)
    return text
  }
  const start = (): Result.Result<string, ParseError.ParseError> => {
    const label = encodingOf(held)
    const made = Result.try({ try: () => new TextDecoder(label), catch: () => unknownEncoding(label) })
    if (Result.isFailure(made)) return Result.fail(made.failure)
    decoder = made.success
    const bytes = held
    held = new Uint8Array(0)
    return Result.succeed(decode(made.success, bytes, true))
  }
  return {
    write: (bytes) => {
      if (decoder !== undefined) return Result.succeed(decode(decoder, bytes, true))
      held = joined(held, bytes)
      return held.length < declarationBytes && !hasDeclarationEnd(held) ? Result.succeed("") : start()
    },
    end: () => {
      const first = decoder === undefined ? start() : Result.succeed("")
      if (Result.isFailure(first) || decoder === undefined) return first
      return Result.succeed(first.success + decode(decoder, new Uint8Array(0), false))
    },
    invalid: () => (decoder !== undefined && replaced.count() > 0 ? decoder.encoding : null)
  }
}

const unknownEncoding = (label: string): ParseError.ParseError =>
  ParseError.whole("unsupported", `The report declares the encoding "${label}", which is unknown: write it in UTF-8.`)

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  if (a.length === 0) return b.slice()
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

const hasDeclarationEnd = (bytes: Uint8Array): boolean => bytes.includes(0x3e)

const startsWith = (bytes: Uint8Array, ...prefix: ReadonlyArray<number>): boolean =>
  prefix.every((byte, index) => bytes[index] === byte)

const encodingOf = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xef, 0xbb, 0xbf)) return "utf-8"
  if (startsWith(bytes, 0xff, 0xfe, 0, 0) || startsWith(bytes, 0, 0, 0xfe, 0xff)) return "utf-32"
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0x3c, 0)) return "utf-16le"
  if (startsWith(bytes, 0xfe, 0xff) || startsWith(bytes, 0, 0x3c)) return "utf-16be"
  const start = String.fromCharCode(...bytes.subarray(0, declarationBytes))
  const declared = /^\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']\s*([^"'>]{1,100}?)\s*["']/.exec(start)?.[1] ?? "utf-8"
  return /^(?:utf-?16|ucs-?2|iso-10646-ucs-2)/i.test(declared) ? "utf-8" : declared
}
