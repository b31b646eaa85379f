/** The flag that says how long a list may be. */
import { Flag } from "effect/cli"

/** `--limit`. */
export const flag = Flag.Int("limit").pipe(
  Flag.withDescription("How many rows at most (20)"),
  Flag.filter(
    (limit) => limit >= 1 && limit <= 1_000_000,
    (limit) => `"${limit}" is not between 1 and 1000000`
  ),
  Flag.withDefault(20)
)
