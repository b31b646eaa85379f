/** The error for packed bytes that cannot be decoded. */
import { Schema } from "effect"

/**
 * Packed bytes are damaged, or another version of Lazaret wrote them.
 *
 * **Details**
 *
 * `codec` names the layout, `fault` says what is wrong: the version, the checksum, the length, or a value that the layout
 * does not allow.
 *
 * **To do:** Treat the bytes as damaged. For another version, start the version that wrote them.
 */
export class LayoutError extends Schema.TaggedError<LayoutError>()("LayoutError", {
  codec: Schema.String,
  fault: Schema.String
}) {
  override get message(): string {
    return `${this.codec}: ${this.fault}`
  }
}
