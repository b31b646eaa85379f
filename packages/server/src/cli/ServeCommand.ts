/**
 * `lazaret serve`.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { Command } from "effect/cli"

/**
 * Runs the server until it is told to stop. Its settings come from the environment.
 *
 * @category commands
 * @since 0.1.0
 */
export const command = Command.make("serve", {}, () =>
  // What the server needs is loaded here only: the other commands start without it.
  Effect.flatMap(
    Effect.promise(() => import("./Serve.ts")),
    ({ serve }) => serve
  )
).pipe(
  Command.withDescription(
    "Run the server. Settings come from the environment: HOST (127.0.0.1), PORT (4180), LAZARET_STORE (embedded), " +
      "LAZARET_DATA_DIR (./data), DATABASE_URL, LAZARET_ADMIN_KEY, LAZARET_PUBLIC_URL, LAZARET_GITHUB_API_URL."
  ),
  Command.withShortDescription("Run the server")
)
