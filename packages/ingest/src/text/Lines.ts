/** The lines of a text that arrives in pieces. */
import { Result } from "effect"
import type { Limits } from "./Limits.ts"
import * as ParseError from "./ParseError.ts"
import type { Refusal } from "./Refusal.ts"
import * as Utf from "./Utf.ts"

/** Takes pieces of a text and calls its visitor with each line. */
export interface Lines {
  readonly write: (chunk: string | Uint8Array) => Result.Result<void, ParseError.ParseError>
  readonly end: () => Result.Result<void, ParseError.ParseError>
}

/** Refuses the text by returning a refusal. Lines count from 1; the last line may lack its line end. */
export type Visit = (line: string, number: number) => Refusal | undefined

/**
 * The lines of one text.
 *
 * **Details**
 *
 * Lines end in LF or CRLF and are shown without white space around them, blank ones not at all. A line may be as long
 * as a tag of XML. After a failure nothing more is read and every call yields that failure.
 */
export const make = (limits: Limits, visit: Visit): Lines => {
  const decoder = Utf.make()
  let rest = ""
  let number = 0
  const state: { failure: ParseError.ParseError | undefined } = { failure: undefined }
  const refuse = (refusal: Refusal | undefined): void => {
    if (refusal === undefined) return
    state.failure ??= ParseError.at(refusal.reason, refusal.message, { line: Math.max(1, number), column: 1 })
  }
  const line = (text: string): void => {
    number += 1
    const plain = text.trim()
    if (plain !== "") refuse(visit(plain, number))
  }
  const take = (text: string): void => {
    let start = 0
    for (let end = text.indexOf("\n"); end !== -1 && state.failure === undefined; end = text.indexOf("\n", start)) {
      line(rest + text.slice(start, end))
      rest = ""
      start = end + 1
    }
    rest += text.slice(start)
    if (rest.length > limits.tagLength) refuse(tooLong(limits, number + 1))
  }
  const outcome = (): Result.Result<void, ParseError.ParseError> =>
    state.failure === undefined ? Result.void : Result.fail(state.failure)
  return {
    write: (chunk) => {
      if (state.failure === undefined) take(typeof chunk === "string" ? chunk : decoder.write(chunk))
      return outcome()
    },
    end: () => {
      if (state.failure === undefined) take(`${decoder.end()}\n`)
      return outcome()
    }
  }
}

const tooLong = (limits: Limits, number: number): Refusal => ({
  reason: "too_large",
  message: `Line ${number} is longer than ${limits.tagLength / 1_048_576} MiB.`
})
