/** Why an upload cannot be read as the report it claims to be. */
import { Schema } from "effect"

/**
 * The kinds of refusal.
 *
 * **Details**
 *
 * - `malformed`: the bytes violate the format, are cut off, or hold a value that cannot be stored.
 * - `too_large`: exceeds one of the `Limits`.
 * - `unsupported`: well-formed, but not a supported report (another format, another encoding, declared entities).
 */
export const Reason = Schema.Literals(["malformed", "too_large", "unsupported"])

/** The kind of a refusal. */
export type Reason = typeof Reason.Type

/**
 * A refused upload: nothing is stored.
 *
 * **Details**
 *
 * - `message`: one or two sentences for the person who sent it: what is wrong, where, and what to do.
 * - `line`, `column`: counted from 1 in the text as sent; null where the format has no lines.
 *
 * **To do:** Show `message` to the person who sent the file. The same bytes fail again.
 */
export class ParseError extends Schema.TaggedError<ParseError>()("ParseError", {
  reason: Reason,
  message: Schema.String,
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int)
}) {}

/** A refusal without a position in the text. */
export const whole = (reason: Reason, message: string): ParseError =>
  new ParseError({ reason, message, line: null, column: null })

/** A refusal at a line and column of the text; the place is added to the message. */
export const at = (
  reason: Reason,
  message: string,
  place: { readonly line: number; readonly column: number }
): ParseError =>
  new ParseError({
    reason,
    message: `${message} (line ${place.line}, column ${place.column})`,
    line: place.line,
    column: place.column
  })
