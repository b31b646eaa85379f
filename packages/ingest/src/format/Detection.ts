/** Detects the kind of a report by its first bytes. */
import { Predicate, Result } from "effect"
import * as ParseError from "../text/ParseError.ts"
import { toError } from "../text/Refusal.ts"
import * as KnownFormat from "../report/KnownFormat.ts"
import * as Utf from "../text/Utf.ts"

/** How a report is read: XML and the stream of `go test -json` piece by piece, JSON at once. */
export type Kind = "xml" | "json" | "go"

/** The number of bytes that detection needs. */
export const headLength = 65_536

/** The kind of the file that begins with some bytes, which may be all of it. Readers of XML pass over blank lines. */
export const ofHead = (head: Uint8Array, isWhole: boolean): Result.Result<Kind, ParseError.ParseError> => {
  if (head[0] === 0x1f && head[1] === 0x8b) return Result.fail(packed("gzip"))
  if (head[0] === 0x50 && head[1] === 0x4b && head[2] === 3) return Result.fail(packed("zip"))
  const text = textOf(head).trimStart()
  if (text === "") return isWhole ? Result.fail(empty) : Result.succeed("xml")
  if (text.startsWith("<")) return Result.succeed("xml")
  const lines = text.split("\n").map((line) => line.trim())
  if (lines.some(isGoEvent)) return Result.succeed("go")
  if (text.startsWith("{") || text.startsWith("[")) return ofJson(lines)
  return refused(KnownFormat.ofLines(lines), "The file is neither XML nor JSON.")
}

/**
 * Whether the beginning of a JSON file that cannot be read shows that it was to be a test report: cut off, for example.
 *
 * **Details**
 *
 * True for the keys of the readable JSON formats, of spans (OTLP), and for events of `go test`.
 */
export const isLikeReport = (head: Uint8Array): boolean => {
  const text = textOf(head)
  return signs.some((sign) => sign.test(text)) || text.split("\n").some((line) => isGoEvent(line.trim()))
}

/** CTRF, Jest and Vitest, Playwright, OTLP. */
const signs: ReadonlyArray<RegExp> = [
  /"results"\s*:\s*\{\s*"(?:tool|summary|tests|environment|extra)"|"reportFormat"\s*:\s*"CTRF"/,
  /"(?:testResults|numTotalTests|numFailedTests|numTotalTestSuites|numFailedTestSuites)"\s*:/,
  /"rootDir"\s*:[^]*"(?:projects|reporter|suites)"\s*:|"suites"\s*:\s*\[\s*\{\s*"(?:title|file)"/,
  /"resource_?spans"\s*:/i
]

/** UTF-16 is read without its byte order mark, too: such a file is XML. */
const textOf = (head: Uint8Array): string => {
  const [first = 0, second = 0] = head
  const bare = first === 0x3c && second === 0 ? "utf-16le" : first === 0 && second === 0x3c ? "utf-16be" : undefined
  return new TextDecoder(bare ?? Utf.labelOf(first, second)).decode(head)
}

/** Lines of JSON are some other stream: a JSON report is one value, whose first line is whole only when it is the last. */
const ofJson = (lines: ReadonlyArray<string>): Result.Result<Kind, ParseError.ParseError> => {
  const [first = "", ...rest] = lines
  const isStream = rest.some((line) => line.startsWith("{"))
  const value = isStream ? valueOf(first) : undefined
  if (!Predicate.isObject(value)) return Result.succeed("json")
  return refused(KnownFormat.ofJson(value), "The file holds lines of JSON that are not a known test report.")
}

/** `go test` prints what does not build as text, old versions without an event. */
const isGoEvent = (line: string): boolean => {
  if (/^FAIL\t\S+ \[(?:build|setup) failed\]$/.test(line)) return true
  if (!/^\{"(?:Time|ImportPath|Action|Package)":/.test(line)) return false
  return /"Action":"[a-z-]+"/.test(line)
}

const valueOf = (line: string): unknown =>
  Result.getOrUndefined(Result.try({ try: (): unknown => JSON.parse(line), catch: () => undefined }))

const refused = (
  known: KnownFormat.KnownFormat | undefined,
  otherwise: string
): Result.Result<never, ParseError.ParseError> => Result.fail(toError(KnownFormat.refusal(known, otherwise)))

const packed = (format: string): ParseError.ParseError =>
  ParseError.whole(
    "unsupported",
    `The report is a ${format} archive: send the report itself, or gzip with the header "Content-Encoding: gzip".`
  )

const empty = ParseError.whole("malformed", "The report is empty: check that the test run wrote it before the upload.")
