/** The refusal of packed bytes that this version cannot read. */
import { Schema } from "effect"

/** Packed bytes have a layout that this version does not know: a newer version of Lazaret wrote them. */
export class LayoutError extends Schema.TaggedError<LayoutError>()("LayoutError", {
  codec: Schema.String,
  version: Schema.Number
}) {}
