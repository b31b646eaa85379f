/** The generator of ids of new records. */
import { randomUUID } from "node:crypto"
import { Context, Effect } from "effect"

/** Yields a new random UUID; tests provide a predictable one. */
export const NewId: Context.Reference<Effect.Effect<string>> = Context.Reference<Effect.Effect<string>>(
  "@lazaret/services/NewId",
  { defaultValue: () => Effect.sync(() => randomUUID()) }
)
