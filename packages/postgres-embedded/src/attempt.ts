/** System calls as effects. */
import { Effect } from "effect"
import { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

/** Runs system calls; what they throw is a failure that says what was wanted. */
export const attempt = <A>(
  folder: string,
  wanted: string,
  evaluate: () => A
): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.try({
    try: evaluate,
    catch: (cause) =>
      new EmbeddedPostgresError({
        folder,
        reason: "failed",
        message: `Could not ${wanted}: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  })
