/** The text of an XML file from its pieces: bytes decoded, pairs whole, nothing in front of the first `<`. */
import { Result } from "effect"
import * as ParseError from "../text/ParseError.ts"
import * as XmlDecoder from "./XmlDecoder.ts"

/** Turns pieces of a file into text for the parser. */
export interface XmlSource {
  readonly write: (chunk: string | Uint8Array) => Result.Result<string, ParseError.ParseError>
  readonly end: () => Result.Result<string, ParseError.ParseError>
  /** The invalid input so far, in words: bytes of an encoding, or halves of surrogate pairs; null without any. */
  readonly invalid: () => string | null
  /** A line of the text that the parser got as a line of the file. */
  readonly line: (line: number) => number
  /** The same error with the lines counted that were dropped in front of the first `<`. */
  readonly placed: (error: ParseError.ParseError) => ParseError.ParseError
}

/**
 * The source of one file.
 *
 * **Details**
 *
 * White space, control characters and byte order marks in front of the first `<` are dropped. Bytes that are invalid in
 * their encoding, and halves of surrogate pairs, are replaced by U+FFFD. A file that begins with anything else is
 * refused with a guess of what it is.
 */
export const make = (): XmlSource => {
  const decoder = XmlDecoder.make()
  /** `pending` is the first half of a pair at the end of the last piece. */
  const state = { hasBytes: false, isStarted: false, lines: 0, pending: "", hasReplaced: false }

  const text = (chunk: string): Result.Result<string, ParseError.ParseError> => {
    const whole = state.pending + chunk
    const isTorn = (whole.charCodeAt(whole.length - 1) & 0xfc00) === 0xd800
    state.pending = isTorn ? whole.slice(-1) : ""
    const kept = isTorn ? whole.slice(0, -1) : whole
    if (kept.isWellFormed()) return stripped(kept)
    state.hasReplaced = true
    return stripped(kept.toWellFormed())
  }
  const stripped = (some: string): Result.Result<string, ParseError.ParseError> => {
    if (state.isStarted) return Result.succeed(some)
    const start = some.search(/[^\s\p{Cc}\uFEFF]/u)
    state.lines += newlines(start === -1 ? some : some.slice(0, start))
    if (start === -1) return Result.succeed("")
    state.isStarted = true
    return some[start] === "<" ? Result.succeed(some.slice(start)) : Result.fail(noXml(some.slice(start, start + 100)))
  }
  return {
    write: (chunk) => {
      if (typeof chunk === "string") return text(chunk)
      const packed = state.hasBytes ? undefined : packedFormat(chunk)
      state.hasBytes = state.hasBytes || chunk.length > 1
      return packed === undefined ? Result.flatMap(decoder.write(chunk), stripped) : Result.fail(stillPacked(packed))
    },
    end: () => {
      const half = state.pending === "" ? "" : "\uFFFD"
      state.hasReplaced ||= half !== ""
      const rest = Result.flatMap(decoder.end(), (last) => stripped(half + last))
      return Result.isSuccess(rest) && !state.isStarted ? Result.fail(empty) : rest
    },
    invalid: () => {
      const encoding = decoder.invalid()
      return encoding !== null
        ? `bytes that are not valid ${encoding}`
        : state.hasReplaced
          ? "halves of characters"
          : null
    },
    line: (line) => line + state.lines,
    placed: (error) =>
      error.line === null || error.column === null || state.lines === 0
        ? error
        : ParseError.at(error.reason, error.message.replace(/ \(line \d+, column \d+\)$/, ""), {
            line: error.line + state.lines,
            column: error.column
          })
  }
}

const newlines = (text: string): number => text.split(/\r\n|\r|\n/).length - 1

const packedFormat = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "gzip"
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 ? "zip" : undefined
}

const stillPacked = (format: string): ParseError.ParseError =>
  ParseError.whole(
    "unsupported",
    `The report is a ${format} archive: send the XML itself, or gzip with the header "Content-Encoding: gzip".`
  )

const noXml = (start: string): ParseError.ParseError =>
  start.startsWith("{") || start.startsWith("[")
    ? ParseError.whole(
        "unsupported",
        `The report begins like JSON, not like JUnit XML: send CTRF reports with "Content-Type: application/json".`
      )
    : ParseError.whole(
        "unsupported",
        "The report is not an XML file: JUnit XML begins with `<`. Check the path that was uploaded."
      )

const empty = ParseError.whole("malformed", "The report is empty: check that the test run wrote it before the upload.")
