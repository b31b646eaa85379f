/** JUnit XML in all its dialects, from text or bytes, whole or in pieces. */
import type { Result } from "effect"
import * as JUnitFile from "./JUnitFile.ts"
import * as Limits from "../text/Limits.ts"
import type * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import * as XmlReader from "../xml/XmlReader.ts"

/** How a file is read. */
export interface Options {
  /** Limits that differ from `Limits.standard`. */
  readonly limits?: Partial<Limits.Limits>
  /** The folder of the checkout, which is taken off paths and names that begin with it. Spans are read without it. */
  readonly checkout?: string | undefined
  /** Called when the bytes of a JSON body have been decoded: they are not read again, and their memory can be freed. */
  readonly onDecoded?: () => void
}

/** Takes a file piece by piece and yields its content at the end. */
export type Reader = XmlReader.Reader

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
  return XmlReader.make(JUnitFile.make(limits), limits)
}
