/** Reads one XML file that arrives in pieces, with the handler of its format. */
import { Result } from "effect"
import type { Limits } from "./Limits.ts"
import type * as ParseError from "./ParseError.ts"
import type { Parsed } from "./Parsed.ts"
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

/** A reader for one file. Bytes may be in any encoding (see `XmlSource`). */
export const make = (file: File, limits: Limits): Reader => {
  const source = XmlSource.make()
  const xml = Xml.make(file, limits)
  let failure: ParseError.ParseError | undefined
  const read = (text: Result.Result<string, ParseError.ParseError>): Result.Result<void, ParseError.ParseError> => {
    const outcome = Result.flatMap(text, xml.write)
    if (Result.isFailure(outcome)) failure = source.placed(outcome.failure)
    return failure === undefined ? Result.void : Result.fail(failure)
  }
  const write = (chunk: string | Uint8Array): Result.Result<void, ParseError.ParseError> => {
    if (failure !== undefined) return Result.fail(failure)
    let outcome: Result.Result<void, ParseError.ParseError> = Result.void
    for (let start = 0; start < chunk.length && Result.isSuccess(outcome); start += pieceLength) {
      outcome = read(source.write(chunk.slice(start, start + pieceLength)))
    }
    return outcome
  }
  const end = (): Result.Result<Parsed, ParseError.ParseError> => {
    if (failure === undefined) read(source.end())
    if (failure === undefined) {
      const ended = xml.end()
      if (Result.isSuccess(ended)) return Result.succeed(file.parsed())
      failure = source.placed(ended.failure)
    }
    return Result.fail(failure)
  }
  return { write, end }
}
