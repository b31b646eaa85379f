/** Parses type, message and stack trace from the failure texts of reporters. */
import type { Execution } from "@lazaret/domain"
import * as Excerpt from "./Excerpt.ts"
import * as PlainText from "./PlainText.ts"
import type { Limits } from "./Limits.ts"

/** The texts of a failure as a report has them. */
export interface Texts {
  readonly type: string | undefined
  readonly message: string | undefined
  readonly body: string | undefined
}

/**
 * The exception of a failure.
 *
 * **Details**
 *
 * - type: as given; else, or when it only says that something failed (Playwright writes `FAILURE`), the error class that
 *   the message, or a line of the beginning of the body, starts with (`TypeError: x is not a function`). node:test says
 *   `testCodeFailure` of all that a test throws, and the class after `cause:`. pytest ends the body with `path:line: class`.
 * - message: as given; else the first line of the body that says more than that something failed (`FAILED:`).
 * - stacktrace: the body without white space around it.
 *
 * Each is null when unknown, and truncated to its limit. Terminal control sequences are left out. Characters that cannot be
 * stored (NUL, lone surrogates) become U+FFFD, so that one byte of output does not lose a failure.
 */
export const make = (texts: Texts, limits: Limits): Execution.ExceptionReport => {
  const stacktrace = present(plain(texts.body)?.trim())
  const firstLine = stacktrace === null ? null : lineOf(stacktrace.replace(emptyHeading, "")).trim()
  const message = present(plain(texts.message)) ?? firstLine
  const given = present(texts.type?.trim())
  const found = errorClass(message) ?? errorClass(firstLine)
  const type =
    given === "testCodeFailure"
      ? (causeClass(stacktrace) ?? given)
      : given === null || saysNothing(given)
        ? (found ?? firstErrorClass(stacktrace) ?? lastErrorClass(stacktrace) ?? given)
        : given
  return {
    type: type === null ? null : kept(Excerpt.ofUnits(type, limits.typeLength)),
    message: message === null ? null : kept(Excerpt.ofBytes(message, limits.messageBytes)),
    stacktrace: stacktrace === null ? null : kept(Excerpt.ofBytes(stacktrace, limits.stacktraceBytes))
  }
}

/** A storable text: NUL and lone surrogates are replaced by U+FFFD. */
export const storable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll("\0", "\uFFFD").toWellFormed()

/** Whether a text can be stored unchanged. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

const kept = (text: string): string => Excerpt.owned(storable(text))

const present = (text: string | undefined): string | null => (text === undefined || text.trim() === "" ? null : text)

const plain = (text: string | undefined): string | undefined => (text === undefined ? undefined : PlainText.of(text))

/** Catch2 puts it above what a test threw. */
const emptyHeading = /^(?:failed|failure|error):?[ \t]*\n(?=\s*\S)\s*/iu

const lineOf = (text: string): string => {
  const end = text.indexOf("\n")
  return end === -1 ? text : text.slice(0, end)
}

const ends = "Error|Exception|Failure|Failed|Fault|Panic|Interrupt|Timeout|Exit|Abort|Warning|Iteration"

/** `java.io.IOException: …`, `TypeError: …`, a line that is nothing but such a name, pytest's `failed on setup with "…`. */
const leadingClass = new RegExp(
  String.raw`^(?:Caused by: |Uncaught |E\s+|failed on (?:setup|teardown) with ")?` +
    String.raw`((?:[A-Za-z_$][\w$]*(?:\.|::|\\|/))*[A-Za-z_$]?[\w$]*(?:${ends}))(?::| \[|(?<=[\w$](?:${ends}))\s*$)`
)

const saysNothing = (type: string): boolean => /^(?:failure|failed|error)$/iu.test(type)

/** Playwright writes where the test stands before it says what failed. */
const firstErrorClass = (body: string | null): string | null =>
  (body ?? "")
    .slice(0, 4000)
    .split("\n", 12)
    .reduce<string | null>((found, line) => found ?? errorClass(line.trim()), null)

/** A bare `assert` of pytest says its class only where the trace ends: `tests/test_cart.py:21: AssertionError`. */
const lastErrorClass = (body: string | null): string | null =>
  /^[^\s:][^\n]*:\d+: ([A-Za-z_][\w.]*)$/.exec((body ?? "").slice(-1000).split("\n").at(-1) ?? "")?.[1] ?? null

const causeClass = (body: string | null): string | null =>
  errorClass(/^ *cause: (.*)$/mu.exec((body ?? "").slice(0, 8000))?.[1] ?? null)

const errorClass = (text: string | null): string | null =>
  text === null ? null : (leadingClass.exec(lineOf(text).slice(0, 1000))?.[1] ?? null)
