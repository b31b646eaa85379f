/** What a store says about packed bytes that it cannot read. */
import { StoreError } from "@lazaret/store"
import { Effect, Result } from "effect"
import type { LayoutError } from "./LayoutError.ts"

/** The unpacked value; fails when the layout is unknown. */
export const orFail = <A>(result: Result.Result<A, LayoutError>): Effect.Effect<A, StoreError> =>
  Effect.fromResult(
    Result.mapError(result, (cause) => new StoreError({ operation: `${cause.codec}.decode`, reason: "failed", cause }))
  )

/** All unpacked values, in order; fails when one layout is unknown. */
export const allOrFail = <A, B>(
  packed: ReadonlyArray<A>,
  unpack: (packed: A) => Result.Result<B, LayoutError>
): Effect.Effect<ReadonlyArray<B>, StoreError> => orFail(Result.all(packed.map(unpack)))
