/**
 * System calls as effects.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { EmbeddedPostgresError } from "../EmbeddedPostgresError.ts"

/**
 * Runs system calls; what they throw is a failure that says what was wanted.
 *
 * @category constructors
 * @since 0.1.0
 */
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
