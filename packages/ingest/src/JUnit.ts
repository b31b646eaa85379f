/** JUnit XML in all its dialects, from text or bytes, whole or in pieces. */
import { Result } from "effect"
import * as JUnitFile from "./JUnitFile.ts"
import * as Limits from "./Limits.ts"
import * as ParseError from "./ParseError.ts"
import type { Parsed } from "./Parsed.ts"
import * as Xml from "./Xml.ts"
import * as XmlSource from "./XmlSource.ts"

/** How a file is read. */
export interface Options {
  /** Limits that differ from `Limits.standard`. */
  readonly limits?: Partial<Limits.Limits>
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
 * The content of a JUnit XML file.
 *
 * **Details**
 *
 * A file is read whole or not at all: what is not JUnit XML, cut off, or beyond a limit yields an error that says what
 * to do and where. Bytes may be in any encoding (see `XmlSource`).
 *
 * @example
 * ```ts
 * import { JUnit } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const xml = `<testsuite><testcase classname="a.B" name="adds" time="0.5"/></testsuite>`
 * const { cases } = Result.getOrThrow(JUnit.parse(xml))
 *
 * cases.map((each) => [each.testName, each.conclusion, each.durationMs]) // => [["a.B.adds", "passed", 500]]
 * ```
 */
export const parse = (input: string | Uint8Array, options?: Options): Result.Result<Parsed, ParseError.ParseError> => {
  const reader = make(options)
  reader.write(input)
  return reader.end()
}

/**
 * A reader for one file that arrives in pieces.
 *
 * @example
 * ```ts
 * import { JUnit } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const reader = JUnit.make()
 * for (const piece of ["<testsuite><testcase na", `me="adds"/></testsuite>`]) reader.write(piece)
 *
 * Result.getOrThrow(reader.end()).cases.length // => 1
 * ```
 */
export const make = (options: Options = {}): Reader => {
  const limits = { ...Limits.standard, ...options.limits }
  const source = XmlSource.make()
  const file = JUnitFile.make(limits)
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
