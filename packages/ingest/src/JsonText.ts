/** JSON from bytes or text, within a bound. */
import { Result } from "effect"
import type { Limits } from "./Limits.ts"
import * as Utf from "./formats/Utf.ts"
import * as ParseError from "./ParseError.ts"

/**
 * The value of a JSON text.
 *
 * **Details**
 *
 * The size is checked before anything is read, because a JSON text is read at once. Bytes are UTF-8, or UTF-16 with a
 * byte order mark; the mark is dropped.
 */
export const parse = (input: string | Uint8Array, limits: Limits): Result.Result<unknown, ParseError.ParseError> =>
  input.length > limits.jsonLength
    ? Result.fail(tooLarge(limits))
    : Result.flatMap(textOf(input), (text) => {
        const start = text.trimStart().slice(0, 1)
        if (start === "") return Result.fail(empty)
        if (start === "<") return Result.fail(likeXml)
        return Result.try({ try: (): unknown => JSON.parse(text), catch: (thrown) => notJson(text, String(thrown)) })
      })

const textOf = (input: string | Uint8Array): Result.Result<string, ParseError.ParseError> =>
  typeof input === "string"
    ? Result.succeed(input.startsWith("\uFEFF") ? input.slice(1) : input)
    : Result.try({
        try: () => new TextDecoder(Utf.labelOf(input[0] ?? 0, input[1] ?? 0), { fatal: true }).decode(input),
        catch: () => notUtf8
      })

const tooLarge = (limits: Limits): ParseError.ParseError =>
  ParseError.whole(
    "too_large",
    `The JSON is larger than ${limits.jsonLength / 1_048_576} MiB: send it in several uploads, or as JUnit XML or protobuf.`
  )

const empty = ParseError.whole("malformed", "The body is empty: check that the report was written before the upload.")

const likeXml = ParseError.whole(
  "unsupported",
  `The body begins like XML, not like JSON: send JUnit XML with "Content-Type: application/xml".`
)

const notUtf8 = ParseError.whole("malformed", "The JSON holds bytes that are not valid UTF-8.")

/** The engine's own words say what is wrong; only some of them say where, as a position in UTF-16 units. */
const notJson = (text: string, thrown: string): ParseError.ParseError => {
  const words = thrown.replace(/^SyntaxError: /, "")
  const position = /at position (\d+)/.exec(words)?.[1]
  if (/end of JSON input|Unterminated string/.test(words) || position === String(text.length)) {
    return ParseError.whole("malformed", "The JSON is cut off. Send the whole body.")
  }
  const message = `The body is no valid JSON: ${words.replace(/ in JSON at position.*$/s, "")}.`
  if (position === undefined) return ParseError.whole("malformed", message)
  const before = text.slice(0, Number(position)).split("\n")
  return ParseError.at("malformed", message, { line: before.length, column: (before.at(-1) ?? "").length + 1 })
}
