/** The error of a case when an adapter breaks the law. */
import { Schema } from "effect"

/**
 * The answer of a store is not the one that the law asks for.
 *
 * **Details**
 *
 * `actual` and `expected` are the first parts of the answers that differ, as plain JSON: test frameworks show them.
 *
 * **To do:** Correct the adapter, not the case.
 */
export class Violation extends Schema.TaggedError<Violation>()("Violation", {
  message: Schema.String,
  actual: Schema.Unknown,
  expected: Schema.Unknown
}) {}
