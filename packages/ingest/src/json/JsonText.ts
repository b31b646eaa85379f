/** Parses JSON from bytes or text, up to a size limit. */
import { Result } from "effect"
import * as JsonDepth from "./JsonDepth.ts"
import type { Limits } from "../text/Limits.ts"
import * as Utf from "../text/Utf.ts"
import * as ParseError from "../text/ParseError.ts"
import type { Parsed } from "../text/Parsed.ts"
import * as Replacement from "../text/Replacement.ts"
import * as Warnings from "../text/Warnings.ts"

/** The value of a JSON text, and sentences about what was replaced in it. */
export interface Json {
  readonly value: unknown
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads a JSON text.
 *
 * **Details**
 *
 * The size is checked before anything is read, because a JSON text is read at once. Bytes are UTF-8, or UTF-16 with a
 * byte order mark; the mark is dropped. Invalid bytes are replaced by U+FFFD with a warning, so that one byte of output
 * does not lose a failure. `onDecoded` is called when the bytes are not read again.
 */
export const parse = (
  input: string | Uint8Array,
  limits: Limits,
  onDecoded?: () => void
): Result.Result<Json, ParseError.ParseError> => {
  if (input.length > limits.jsonLength) return Result.fail(tooLarge(limits))
  const { text, warnings } = textOf(input)
  onDecoded?.()
  const start = text.trimStart().slice(0, 1)
  if (start === "") return Result.fail(empty)
  if (start === "<") return Result.fail(likeXml)
  if (JsonDepth.isTooDeep(text)) return Result.fail(tooDeep)
  return Result.try({
    try: (): Json => ({ value: JSON.parse(text), warnings }),
    catch: (thrown) => notJson(text, String(thrown))
  })
}

/** The content of a report with warnings inserted before its own. */
export const warned = (parsed: Parsed, warnings: ReadonlyArray<string>): Parsed =>
  warnings.length === 0 ? parsed : { ...parsed, warnings: [...warnings, ...parsed.warnings] }

const textOf = (input: string | Uint8Array): { readonly text: string; readonly warnings: ReadonlyArray<string> } => {
  if (typeof input === "string") return { text: input.startsWith("\uFEFF") ? input.slice(1) : input, warnings: [] }
  const decoder = new TextDecoder(Utf.labelOf(input[0] ?? 0, input[1] ?? 0))
  const text = decoder.decode(input)
  const replaced = Replacement.counter()
  replaced.note(text, input)
  if (decoder.encoding !== "utf-8" || replaced.count() === 0) return { text, warnings: [] }
  const line = text.slice(0, text.indexOf("\uFFFD")).split("\n").length
  return { text, warnings: [`The report holds bytes that are not valid utf-8: ${Warnings.replaced(line)}`] }
}

const tooLarge = (limits: Limits): ParseError.ParseError =>
  ParseError.whole(
    "too_large",
    `The JSON is larger than ${limits.jsonLength / 1_048_576} MiB: send it in several uploads, or as JUnit XML or protobuf.`
  )

const tooDeep = ParseError.whole(
  "malformed",
  `The JSON nests deeper than ${JsonDepth.mostLevels} levels, which no report does: check which file was sent.`
)

const empty = ParseError.whole("malformed", "The body is empty: check that the report was written before the upload.")

const likeXml = ParseError.whole(
  "unsupported",
  `The body begins like XML, not like JSON: send JUnit XML with "Content-Type: application/xml".`
)

/** The message of the JavaScript engine says what is wrong; some messages include the position in UTF-16 units. */
const notJson = (text: string, thrown: string): ParseError.ParseError => {
  const words = thrown.replace(/^SyntaxError: /, "")
  const position = /at position (\d+)/.exec(words)?.[1]
  if (/end of JSON input|Unterminated string/.test(words) || position === String(text.length)) {
    return ParseError.whole("malformed", "The JSON is cut off. Send the whole body.")
  }
  const message = `The body is not valid JSON: ${words.replace(/(?: in JSON| after JSON)? at position.*$/s, "")}.`
  if (position === undefined) return ParseError.whole("malformed", message)
  const before = text.slice(0, Number(position)).split("\n")
  return ParseError.at("malformed", message, { line: before.length, column: (before.at(-1) ?? "").length + 1 })
}
