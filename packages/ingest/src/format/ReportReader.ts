/** Reads a report of any readable format, recognised by its content. */
import { Result } from "effect"
import * as GoTest from "../go/GoTest.ts"
import type { Options, Reader } from "../junit/JUnit.ts"
import * as Limits from "../text/Limits.ts"
import * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import * as Detection from "./Detection.ts"
import * as JsonReport from "./JsonReport.ts"
import * as XmlReport from "./XmlReport.ts"

/** Takes bytes. */
export interface Writer {
  readonly write: (chunk: Uint8Array) => Result.Result<void, ParseError.ParseError>
}

/** A reader that is chosen when the beginning of its file is known. */
export interface Chosen<W> extends Writer {
  /** The reader that has all bytes; its own end is still to be called. */
  readonly end: () => Result.Result<W, ParseError.ParseError>
}

/** Keeps the first bytes of a file, chooses the reader by them, and writes everything to it. */
export const choose = <W extends Writer>(readerOf: (kind: Detection.Kind) => W): Chosen<W> => {
  let head: ReadonlyArray<Uint8Array> = []
  let length = 0
  let chosen: Result.Result<W, ParseError.ParseError> | undefined
  const settle = (isWhole: boolean): Result.Result<W, ParseError.ParseError> => {
    const settled = Result.flatMap(Detection.ofHead(joined(head, length), isWhole), (kind) => {
      const reader = readerOf(kind)
      const written = head.map((chunk) => reader.write(chunk)).find(Result.isFailure)
      return written === undefined ? Result.succeed(reader) : Result.fail(written.failure)
    })
    chosen = settled
    head = []
    return settled
  }
  return {
    write: (chunk) => {
      if (chosen !== undefined) return Result.flatMap(chosen, (reader) => reader.write(chunk))
      head = [...head, chunk]
      length += chunk.length
      return length < Detection.headLength ? Result.void : Result.map(settle(false), () => undefined)
    },
    end: () => chosen ?? settle(true)
  }
}

/** A reader of every format; JSON is gathered and read at the end. */
export const make = (options: Options = {}): Reader => {
  const reader = choose((kind) => readers[kind](options))
  return {
    write: (chunk) => reader.write(bytesOf(chunk)),
    end: () => Result.flatMap(reader.end(), (chosen) => chosen.end())
  }
}

/**
 * The content of a whole report.
 *
 * @example
 * ```ts
 * import { ReportReader } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const jest = `{"testResults":[{"name":"a.test.js","assertionResults":[{"title":"adds","status":"passed"}]}]}`
 * const { cases } = Result.getOrThrow(ReportReader.parse(jest))
 *
 * cases.map((each) => [each.testName, each.conclusion]) // => [["a.test.js › adds", "passed"]]
 * ```
 */
export const parse = (input: string | Uint8Array, options?: Options): Result.Result<Parsed, ParseError.ParseError> => {
  const reader = make(options)
  const written = reader.write(input)
  return Result.isFailure(written) ? Result.fail(written.failure) : reader.end()
}

/** JSON can only be read at once. */
const json = (options: Options): Reader => {
  const most = options.limits?.jsonLength ?? Limits.standard.jsonLength
  const chunks: Array<Uint8Array> = []
  let length = 0
  const refused = () => Result.fail(tooLarge(most))
  return {
    write: (chunk) => {
      const bytes = bytesOf(chunk)
      length += bytes.length
      if (length > most) return refused()
      chunks.push(bytes)
      return Result.void
    },
    end: () => (length > most ? refused() : JsonReport.parse(joined(chunks, length), options))
  }
}

const bytesOf = (chunk: string | Uint8Array): Uint8Array =>
  typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk

const readers: { readonly [K in Detection.Kind]: (options: Options) => Reader } = {
  xml: XmlReport.make,
  go: GoTest.make,
  json
}

const tooLarge = (most: number): ParseError.ParseError =>
  ParseError.whole(
    "too_large",
    `A JSON report may have ${most / 1_048_576} MiB: send it in several uploads, or as JUnit XML.`
  )

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first
  const all = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    all.set(chunk, offset)
    offset += chunk.length
  }
  return all
}
