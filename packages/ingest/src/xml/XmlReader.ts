/** Reads one XML file that arrives in pieces, with the handler of its format. */
import { Result } from "effect"
import type { Limits } from "../text/Limits.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import * as Warnings from "../text/Warnings.ts"
import * as Xml from "./Xml.ts"
import * as XmlSource from "./XmlSource.ts"

/** A handler of the events of one file that yields the content at its end. */
export interface File extends Xml.Handler {
  readonly parsed: () => Parsed
}

/**
 * Takes a file piece by piece and yields its content at the end.
 *
 * **Details**
 *
 * The pieces are all bytes or all text, of any size, cut anywhere; memory grows with the cases found, not with the file. Each `write`
 * reads its piece completely before it returns: pieces of 64 KiB keep a server responsive. After a failure nothing more
 * is read and every call yields that failure.
 */
export interface Reader {
  readonly write: (chunk: string | Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Result.Result<Parsed, ParseError.ParseError>
}

/** Decoded and read at once, so that no copy of a large chunk is made. */
const pieceLength = 65_536

/**
 * A reader for one file.
 *
 * **Details**
 *
 * Bytes may be in any encoding. Invalid ones (see `XmlSource`), and characters that XML forbids (see `Xml`), are replaced
 * by U+FFFD with a warning: nothing else is lost for them.
 */
export const make = (file: File, limits: Limits): Reader => {
  const source = XmlSource.make()
  const xml = Xml.make(file, limits)
  let failure: ParseError.ParseError | undefined
  let invalid: string | undefined
  const read = (piece: Result.Result<string, ParseError.ParseError>): Result.Result<void, ParseError.ParseError> => {
    const outcome = Result.flatMap(piece, (text) => {
      invalid ??= invalidIn(text)
      return xml.write(text)
    })
    if (Result.isFailure(outcome)) failure = source.placed(outcome.failure)
    return failure === undefined ? Result.void : Result.fail(failure)
  }
  /** The sentence about what was invalid, at the first piece that holds it. */
  const invalidIn = (text: string): string | undefined => {
    const what = source.invalid()
    if (what === null) return undefined
    const before = text.slice(0, Math.max(0, text.indexOf("\uFFFD")))
    return replaced(what, source.line(xml.line() + before.split("\n").length - 1))
  }
  const write = (chunk: string | Uint8Array): Result.Result<void, ParseError.ParseError> => {
    if (failure !== undefined) return Result.fail(failure)
    let outcome: Result.Result<void, ParseError.ParseError> = Result.void
    for (let start = 0; start < chunk.length && Result.isSuccess(outcome); start += pieceLength) {
      outcome = read(source.write(chunk.slice(start, start + pieceLength)))
    }
    return outcome
  }
  const parsed = (): Parsed => {
    const content = file.parsed()
    const { count, line } = xml.replaced()
    const forbidden = count === 0 ? undefined : replaced("characters that XML forbids", source.line(line))
    return { ...content, warnings: [invalid ?? [], forbidden ?? [], content.warnings].flat() }
  }
  const end = (): Result.Result<Parsed, ParseError.ParseError> => {
    if (failure === undefined) read(source.end())
    if (failure === undefined) {
      const ended = xml.end()
      if (Result.isSuccess(ended)) return Result.succeed(parsed())
      failure = source.placed(ended.failure)
    }
    return Result.fail(failure)
  }
  return { write, end }
}

const replaced = (what: string, line: number): string => `The report holds ${what}: ${Warnings.replaced(line)}`
