/**
 * The refusal of packed bytes that this version cannot read.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

/**
 * Packed bytes have a layout that this version does not know: a newer version of Lazaret wrote them.
 *
 * @category errors
 * @since 0.1.0
 */
export class LayoutError extends Schema.TaggedError<LayoutError>()("LayoutError", {
  codec: Schema.String,
  version: Schema.Number
}) {}
