/**
 * Failure groups: failures of one test that mean the same (interface 2.7).
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { parse, v5 } from "uuid"
import type { ExceptionReport } from "./Execution.ts"
import type { Instant } from "./Instant.ts"
import type { TestId } from "./TestId.ts"

/**
 * The namespace of failure ids. It never changes.
 *
 * @category constants
 * @since 0.1.0
 */
export const namespace = "7d0c3a52-4c61-5f0e-8a55-0d4d4a0c9e37"

/**
 * How many of the latest events a group keeps and shows (our choice, interface 2.7 is silent).
 *
 * @category constants
 * @since 0.1.0
 */
export const latestEvents = 10

/**
 * How many groups one test keeps: the ones that failed last. A test whose message differs at every failure must not grow
 * without bound (our choice).
 *
 * @category constants
 * @since 0.1.0
 */
export const maximumGroups = 1000

/**
 * Schema of a failure id: a version 5 UUID (interface 2.7).
 *
 * @category schemas
 * @since 0.1.0
 */
export const FailureId = Schema.String.check(Schema.isUUID(5))

/**
 * A failure id (interface 2.7).
 *
 * @category models
 * @since 0.1.0
 */
export type FailureId = typeof FailureId.Type

/**
 * A failure group (interface 2.7); `message` is the latest one as it was reported.
 *
 * @category models
 * @since 0.1.0
 */
export interface Failure {
  readonly id: FailureId
  readonly exceptionType: string
  readonly exceptionMessage: string
  readonly failureCount: number
  readonly firstFailureAt: Instant
  readonly lastFailureAt: Instant
}

/**
 * One failure of a group (interface 2.7); `id` is that of the execution.
 *
 * @category models
 * @since 0.1.0
 */
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
 *
 * @category constructors
 * @since 0.1.0
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
 * The first line of a message with its volatile parts replaced by `<*>`: dates and times, UUIDs, addresses and ports,
 * temporary paths, durations, hexadecimal and base64 runs of 8 and more characters, decimal numbers.
 *
 * **Gotchas**
 *
 * A run of letters and digits counts as base64 only when it mixes lower case, upper case and digits, or ends in `=`;
 * otherwise every long word would be volatile.
 *
 * @example
 * ```ts
 * import { Failure } from "@lazaret/domain"
 *
 * Failure.normalise("timeout after 1200 ms on 127.0.0.1:4180\n  at main") // => "timeout after <*> on <*>"
 * Failure.normalise("expected 3 to equal 4") // => "expected <*> to equal <*>"
 * ```
 *
 * @category operations
 * @since 0.1.0
 */
export const normalise = (message: string): string => {
  const firstLine = message.trimStart().slice(0, maximumLine).split(/[\r\n]/u, 1)[0] ?? ""
  return volatile
    .reduce((text, pattern) => text.replace(pattern, placeholder), firstLine)
    .replace(/[A-Za-z0-9+/_-]{8,}={0,2}/gu, (run) => (isEncoded(run) ? placeholder : run))
    .replace(/(?<![\p{L}_])[-+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?/giu, placeholder)
    .replace(/\s+/gu, " ")
    .trim()
}

/** Read once: the library would read the text at every call. */
const namespaceBytes = parse(namespace)

const placeholder = "<*>"

const maximumLine = 2000

const volatile: ReadonlyArray<RegExp> = [
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d{2}:?\d{2})?)?/gu,
  /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?/gu,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gu,
  /\[[0-9a-f:]{2,45}\](?::\d{1,5})?/giu,
  /(?<=\blocalhost):\d{1,5}\b/giu,
  /(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`:;,)\]}]*/gu,
  /\b[A-Za-z]:\\(?:[^\s'"`:;,\\]{1,255}\\){0,20}Temp\\[^\s'"`:;,)]*/giu,
  /\b\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|mins|minutes?|h|hours?)\b/gu,
  /\b0x[0-9a-f]+\b/giu,
  /\b(?=[0-9a-f]*\d)[0-9a-f]{8,128}\b/giu
]

const isEncoded = (run: string): boolean =>
  run.endsWith("=") || (/\d/u.test(run) && /[a-z]/u.test(run) && /[A-Z]/u.test(run) && !/[/_-]/u.test(run))
