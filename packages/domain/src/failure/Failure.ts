/** Failure groups: failures of one test that mean the same (interface 2.7). */
import { Schema } from "effect"
import { parse, v5 } from "uuid"
import type { ExceptionReport } from "../report/Execution.ts"
import type { Instant } from "../time/Instant.ts"
import type { TestId } from "../report/TestId.ts"

/** The namespace of failure ids. It never changes. */
export const namespace = "7d0c3a52-4c61-5f0e-8a55-0d4d4a0c9e37"

/** How many of the latest events a group keeps and shows (our choice, interface 2.7 is silent). */
export const latestEvents = 10

/**
 * How many groups one test keeps: the ones that failed last. A test whose message differs at every failure must not grow
 * without bound (our choice).
 */
export const maximumGroups = 1000

/** Schema of a failure id: a version 5 UUID (interface 2.7). */
export const FailureId = Schema.String.check(Schema.isUUID(5))

/** A failure id (interface 2.7). */
export type FailureId = typeof FailureId.Type

/** A failure group (interface 2.7); `message` is the latest one as it was reported. */
export interface Failure {
  readonly id: FailureId
  readonly exceptionType: string
  readonly exceptionMessage: string
  readonly failureCount: number
  readonly firstFailureAt: Instant
  readonly lastFailureAt: Instant
}

/** One failure of a group (interface 2.7); `id` is that of the execution. */
export interface FailureEvent {
  readonly id: string
  readonly failedAt: Instant
  readonly stacktrace: string | null
  readonly filepath: string | null
  readonly language: string | null
  readonly jobUrl: string | null
}

/**
 * The group of a failure: exception type and message as shown, and the id of the group.
 *
 * **Details**
 *
 * The id is derived from the test id, the exception type and the normalised message. A missing type reads `unknown`, a
 * missing message is empty.
 */
export const groupOf = (
  testId: TestId,
  exception: ExceptionReport
): { readonly id: FailureId; readonly exceptionType: string; readonly exceptionMessage: string } => {
  const exceptionType = exception.type === null || exception.type === "" ? "unknown" : exception.type
  const exceptionMessage = exception.message ?? ""
  const id = v5(`${testId}\0${exceptionType}\0${normalise(exceptionMessage)}`, namespaceBytes)
  return { id, exceptionType, exceptionMessage }
}

/**
 * The signature of a failure: the group without the test, null for a failure without type and message.
 *
 * **Details**
 *
 * Derived from the exception type and the normalised message alone, so that failures of unrelated tests and branches can
 * be compared. A failure that has neither says nothing that could be compared.
 *
 * @example
 * ```ts
 * import { Failure } from "@lazaret/domain"
 *
 * const timeout = (message: string) => Failure.signatureOf({ type: "TimeoutError", message, stacktrace: null })
 * timeout("no answer after 5 s") === timeout("no answer after 30 s") // => true
 * Failure.signatureOf({ type: null, message: null, stacktrace: null }) // => null
 * ```
 */
export const signatureOf = (exception: ExceptionReport): string | null => {
  const type = exception.type ?? ""
  const message = normalise(exception.message ?? "")
  return type === "" && message === "" ? null : v5(`${type === "" ? "unknown" : type}\0${message}`, namespaceBytes)
}

/**
 * The first line of a message with its volatile parts replaced by `<*>`: dates and times, UUIDs, addresses and ports,
 * temporary paths, durations, hexadecimal and base64 runs of 8 and more characters, decimal numbers.
 *
 * **Details**
 *
 * Normalising twice is normalising once. Reads at most 2,000 characters.
 *
 * **Gotchas**
 *
 * Words stay: up to four digits after a letter or an underscore belong to the word (`sha256`, `order_17`), a
 * hexadecimal run has a digit, and a base64 run mixes lower case, upper case and digits without order, or is padded.
 * `Http2Connection` is a word.
 *
 * @example
 * ```ts
 * import { Failure } from "@lazaret/domain"
 *
 * Failure.normalise("timeout after 1200 ms on 127.0.0.1:4180\n  at main") // => "timeout after <*> on <*>"
 * Failure.normalise("expected 3 to equal 4") // => "expected <*> to equal <*>"
 * ```
 */
export const normalise = (message: string): string => {
  const firstLine = message.trimStart().split(/[\r\n]/u, 1)[0] ?? ""
  const line = firstLine.replaceAll(placeholder, mark).replace(/\s+/gu, " ").slice(0, maximumLine).toWellFormed()
  return volatile
    .reduce((text, pattern) => text.replace(pattern, mark), line)
    .replace(encodedRun, (run) => (isEncoded(run) ? mark : run))
    .replace(standaloneNumber, mark)
    .replace(word, (text) => (text.includes(mark) ? text : withoutIds(text)))
    .replace(leadingNumber, mark)
    .trim()
    .replaceAll(mark, placeholder)
}

/** Read once: the library would read the text at every call. */
const namespaceBytes = parse(namespace)

const placeholder = "<*>"

/** Stands for the placeholder meanwhile. It is one character, so that no text grows and is cut elsewhere next time. */
const mark = "\uFFFC"

const maximumLine = 2000

// A mark separates tokens that are never normalised on their own: these boundaries make normalising idempotent.
const boundary = String.raw`\p{L}\p{M}\p{N}_\uFFFC`
const L = `(?<![${boundary}])`
const R = `(?![${boundary}])`
const unit = "(?:ns|[uµμ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)"
const amount = String.raw`\d+(?:[.,]\d+)? ?${unit}`
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
const groups = String.raw`(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?`

const volatile: ReadonlyArray<RegExp> = [
  // temporary paths
  /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`:;,)\]}]*/giu,
  /(?<![\p{L}_])[A-Z]:[\\/]{1,2}(?:[^\s'"`:;,\\/]+[\\/]{1,2}){0,20}Temp[\\/][^\s'"`:;,)]*/giu,
  // IPv6 addresses, and their ports where told apart
  new RegExp(String.raw`\[[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}\](?::\d{1,5})?`, "giu"),
  new RegExp(
    `(?<![${boundary}:])(?=[0-9a-f:]*\\d)(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}|${groups}::${groups})(?![${boundary}]|:[${boundary}:])`,
    "giu"
  ),
  // dates and times, also next to an underscore
  /(?<![\p{L}\p{N}\uFFFC])\d{4}-\d{2}-\d{2}(?:[T_ ]\d{2}[:.-]\d{2}(?:[:.-]\d{2}(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d{2}:?\d{2})?)?(?![\p{L}\p{N}\uFFFC])/gu,
  new RegExp(`${L}(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:\\d{1,2} ${month}|${month} \\d{1,2})${R}`, "gu"),
  new RegExp(String.raw`${L}\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?${R}`, "gu"),
  // UUIDs, also next to an underscore
  /(?<![\p{L}\p{N}\uFFFC])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\p{L}\p{N}\uFFFC])/giu,
  // IPv4 addresses and ports
  new RegExp(String.raw`${L}\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?${R}`, "gu"),
  // durations
  new RegExp(`${L}${amount}(?:[ ,]{0,2}${amount})*${R}`, "gu"),
  new RegExp(String.raw`${L}P(?:\d+D)?T(?:\d+(?:\.\d+)?[HMS]){1,3}${R}`, "gu"),
  // pointers
  new RegExp(`${L}0x[0-9a-f]+${R}`, "giu")
]

const word = /[\p{L}\p{M}\p{N}_\uFFFC]+/gu

const decimal = String.raw`${L}[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+${R})?`

const standaloneNumber = new RegExp(String.raw`${decimal}(?![${boundary}]|[.,]\d)`, "giu")

const leadingNumber = new RegExp(decimal, "giu")

const encodedRun = /(?<![\w+/\-\uFFFC])[A-Za-z0-9+/_-]{6,}={0,2}(?![\w+/=\-\uFFFC])/gu

/** Whether a run of base64 alphabet is base64: padded, or long and without order. Shorter ones are words. */
const isEncoded = (run: string): boolean =>
  run.endsWith("=")
    ? run.length >= 8 && run.length % 4 === 0 && hasNoOrder(run, 3)
    : run.length >= 16 && /[+/_-]/u.test(run) && /\d/u.test(run) && hasNoOrder(run, 2.5)

/** A word without its hexadecimal and base64 parts and its long numbers; its first number is left to the next rule. */
const withoutIds = (text: string): string =>
  text.length <= 5 || !/\d/u.test(text) || /^\d+$/u.test(text)
    ? text
    : text.replace(/[A-Za-z0-9]{8,}/gu, (part) => (isId(part) ? mark : part)).replace(/(?<=[^\d\uFFFC])\d{5,}/gu, mark)

const isId = (part: string): boolean => /\d/u.test(part) && (/^[0-9a-f]+$/iu.test(part) || hasNoOrder(part, 2.4))

/**
 * Whether a run mixes lower and upper case as no name does: its parts (`Http`, `2`, `Connection`) are at most so long
 * on average, and each is shorter than half of it.
 */
const hasNoOrder = (run: string, average: number): boolean => {
  if (!/[a-z]/u.test(run) || !/[A-Z]/u.test(run)) return false
  const parts = (run.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/gu) ?? []).map((part) => part.length)
  return 2 * Math.max(...parts) < run.length && average * parts.length >= run.length
}
