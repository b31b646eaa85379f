/** Long work on the blocks of a repository, in small transactions. A damaged block does not stop it. */
import type { StoreError } from "@lazaret/store"
import { Effect } from "effect"

/**
 * Works on the blocks from 0 to `count`, `size` at a time, and yields the results.
 *
 * **Details**
 *
 * When a group fails with damage, each of its blocks is tried alone. After all groups are done, the first damage is the
 * failure of the whole.
 */
export const forEach = Effect.fnUntraced(function* <A>(
  count: number,
  size: number,
  work: (blocks: ReadonlyArray<number>) => Effect.Effect<A, StoreError>
) {
  const results: Array<A> = []
  const damaged: Array<StoreError> = []
  const attempt = (blocks: ReadonlyArray<number>, onDamage: (error: StoreError) => Effect.Effect<void, StoreError>) =>
    work(blocks).pipe(
      Effect.map((result) => {
        results.push(result)
      }),
      Effect.catchIf(isDamage, onDamage)
    )
  const alone = (block: number) =>
    attempt([block], (error) =>
      Effect.sync(() => {
        damaged.push(error)
      })
    )
  for (let start = 0; start < count; start += size) {
    const blocks = Array.from({ length: Math.min(size, count - start) }, (_, index) => start + index)
    yield* attempt(blocks, () => Effect.forEach(blocks, alone, { discard: true }))
  }
  const [first] = damaged
  return first === undefined ? results : yield* Effect.fail(first)
})

const isDamage = ({ reason }: StoreError): boolean => reason === "damaged"
