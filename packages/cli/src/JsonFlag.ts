/** The flag for programs. */
import { Flag } from "effect/cli"

/** `--json`. */
export const flag = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON for programs, in the words of the HTTP interface"),
  Flag.withDefault(false)
)
