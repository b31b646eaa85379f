/** Retention in memory. */
import { Retention } from "@lazaret/domain"
import { Effect } from "effect"
import { RetentionStore } from "../RetentionStore.ts"
import * as MemoryState from "./MemoryState.ts"
import * as Drop from "./Drop.ts"

/** The retention port over a memory state. */
export const make = (state: MemoryState.MemoryState): RetentionStore["Service"] =>
  RetentionStore.of({
    drop: (ref, horizon) =>
      Effect.sync(() => {
        const entry = MemoryState.find(state, ref)
        return entry === undefined ? Drop.nothing : Drop.before(entry, Retention.startOfWeek(horizon))
      }),
    tidy: () => Effect.succeed({ prepared: 0, released: 0, rewritten: 0 })
  })
