/** Application keys in memory. */
import type { ApplicationKey } from "@lazaret/domain"
import { Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import { KeyStore } from "../KeyStore.ts"
import * as MemoryState from "./MemoryState.ts"

/** The key port over a memory state. */
export const make = (state: MemoryState.MemoryState): KeyStore["Service"] =>
  KeyStore.of({
    insert: (key) =>
      Effect.andThen(
        MemoryState.requireStorable("KeyStore.insert", MemoryState.textsIn(key)),
        Effect.sync(() => {
          if (state.keys.some((other) => other.id === key.id || other.hash === key.hash)) return false
          state.keys.push(key)
          return true
        })
      ),
    find: (hash) => Effect.sync(() => Option.fromUndefinedOr(state.keys.find((key) => key.hash === hash))),
    list: Effect.sync(() => state.keys.toSorted(order)),
    revoke: (id, at) =>
      Effect.sync(() => {
        const index = state.keys.findIndex((key) => key.id === id && key.revokedAt === null)
        const found = state.keys[index]
        if (found === undefined) return false
        state.keys[index] = { ...found, revokedAt: at }
        return true
      })
  })

const order = (a: ApplicationKey.ApplicationKey, b: ApplicationKey.ApplicationKey): number =>
  a.createdAt - b.createdAt || Text.compare(a.id, b.id)
