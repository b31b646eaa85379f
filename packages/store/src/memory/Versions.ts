/** The versions of repositories whose facts are in this process. */
import { Repository } from "@lazaret/domain"
import { Effect, Option } from "effect"

/** Versions of repositories. */
export interface Versions {
  /**
   * The version of a repository now; none if it does not exist. `isKnown` is asked once for each version: what is created or
   * erased raises the version before and after.
   */
  readonly of: <E>(
    ref: Repository.RepositoryRef,
    isKnown: Effect.Effect<boolean, E>
  ) => Effect.Effect<Option.Option<string>, E>
  /** Raises the version of a repository where a write says so, and again when the write has ended. */
  readonly around: <A, E>(
    ref: Repository.RepositoryRef,
    write: (raise: Effect.Effect<void>) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Versions that begin with the id of this process: another one has never had any of them. */
export const make = (process: string): Versions => {
  const counts = new Map<string, number>()
  /** The versions at which repositories were known to exist. */
  const existing = new Map<string, Option.Option<string>>()
  const raise = (ref: Repository.RepositoryRef) =>
    Effect.sync(() => {
      const key = Repository.key(ref)
      counts.set(key, (counts.get(key) ?? 0) + 1)
      existing.delete(key)
    })
  return {
    of: (ref, isKnown) =>
      Effect.suspend(() => {
        const key = Repository.key(ref)
        const found = existing.get(key)
        if (found !== undefined) return Effect.succeed(found)
        const count = counts.get(key) ?? 0
        return Effect.map(isKnown, (known) => {
          if (!known) return Option.none()
          const version = Option.some(`${process}.${count}`)
          if (count === (counts.get(key) ?? 0)) existing.set(key, version)
          return version
        })
      }),
    around: (ref, write) => Effect.ensuring(write(raise(ref)), raise(ref))
  }
}
