/**
 * The flag for programs.
 *
 * @since 0.1.0
 */
import { Flag } from "effect/cli"

/**
 * `--json`.
 *
 * @category flags
 * @since 0.1.0
 */
export const flag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON for programs, in the words of the HTTP interface"),
  Flag.withDefault(false)
)
