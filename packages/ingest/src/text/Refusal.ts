/** The reason why a parser stops, before the position in the text is known. */
import * as ParseError from "./ParseError.ts"

/** A refusal of the whole upload; it becomes a `ParseError` when the position is known. */
export interface Refusal {
  readonly reason: ParseError.Reason
  readonly message: string
}

/**
 * Carries a refusal out of a library's callback, which can only be stopped by an exception. It never leaves this
 * package.
 */
export class Refused extends Error {
  readonly refusal: Refusal
  /** The position where the fault begins, when it differs from the position where parsing stopped. */
  readonly offset: number | undefined
  constructor(refusal: Refusal, offset?: number) {
    super(refusal.message)
    this.refusal = refusal
    this.offset = offset
  }
}

/** The error of a refusal without a position in the text. */
export const toError = (refusal: Refusal): ParseError.ParseError => ParseError.whole(refusal.reason, refusal.message)

/** The refusal of a request with too many spans. */
export const tooManySpans = (maximum: number): Refusal => ({
  reason: "too_large",
  message: `The body holds more than ${maximum} spans: send it in several requests.`
})
