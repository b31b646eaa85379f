/** Copies of what a store holds, which stay in the process as long as they are the same there. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"

/** Copies of repositories, of at most `mostCopies`: those that were asked for last. */
export interface Copies<A> {
  /** The copy with this version; without one it is read. */
  readonly get: <E, R>(
    ref: Repository.RepositoryRef,
    version: string,
    read: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
}

/** How many repositories have a copy. */
const mostCopies = 20

/** No copies so far. */
export const make = <A>(): Copies<A> => {
  const held = new Map<string, { readonly version: string; readonly copy: A }>()
  return {
    get: Effect.fnUntraced(function* <E, R>(
      ref: Repository.RepositoryRef,
      version: string,
      read: Effect.Effect<A, E, R>
    ) {
      const key = Repository.key(ref)
      const known = held.get(key)
      const found = known?.version === version ? known : { version, copy: yield* read }
      held.delete(key)
      held.set(key, found)
      for (const oldest of [...held.keys()].slice(0, Math.max(0, held.size - mostCopies))) held.delete(oldest)
      return found.copy
    })
  }
}
