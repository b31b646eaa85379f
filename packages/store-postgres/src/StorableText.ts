/**
 * The check of texts before they reach the server.
 *
 * PostgreSQL refuses a NUL character itself. A lone surrogate would be replaced on the way to it: another text than the
 * caller's would be stored, or looked for.
 */
import { Text } from "@lazaret/domain"
import { StoreError } from "@lazaret/store"
import { Effect, Schema } from "effect"

/** Whether PostgreSQL can hold a text. */
export const is: (text: string) => boolean = Schema.is(Text.Storable)

/** Every text of a value, at whatever depth. */
export const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Refuses an operation with a text that cannot be stored; null stands for no text. */
export const guard = (operation: string, texts: Iterable<string | null>): Effect.Effect<void, StoreError> => {
  for (const text of texts) {
    if (text !== null && !is(text)) {
      const cause = new Error("text holds a NUL character or a lone surrogate")
      return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
    }
  }
  return Effect.void
}
