/** Why a part of a parser does not go on, before the place in the text is known. */
import * as ParseError from "./ParseError.ts"

/** A refusal of the whole upload; it becomes a `ParseError` where the place is known. */
export interface Refusal {
  readonly reason: ParseError.Reason
  readonly message: string
}

/** Carries a refusal out of a library's callback, which knows no other way to stop. It never leaves this package. */
export class Refused extends Error {
  readonly refusal: Refusal
  /** Where in the text the fault begins, when that is known better than by where the reading stopped. */
  readonly offset: number | undefined
  constructor(refusal: Refusal, offset?: number) {
    super(refusal.message)
    this.refusal = refusal
    this.offset = offset
  }
}

/** The error of a refusal that has no place in the text. */
export const toError = (refusal: Refusal): ParseError.ParseError => ParseError.whole(refusal.reason, refusal.message)

/** The refusal of a request with too many spans. */
export const tooManySpans = (maximum: number): Refusal => ({
  reason: "too_large",
  message: `The body holds more than ${maximum} spans: send it in several requests.`
})
