/** The versions of repositories whose facts are in this process. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"

/** Versions of repositories. */
export interface Versions {
  /** The version of a repository now. */
  readonly get: (ref: Repository.RepositoryRef) => string
  /** Raises the version of a repository where a write says so, and again when the write has ended. */
  readonly around: <A, E>(
    ref: Repository.RepositoryRef,
    write: (raise: Effect.Effect<void>) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/** Versions that begin with the id of this process: another one has never had any of them. */
export const make = (process: string): Versions => {
  const counts = new Map<string, number>()
  const raise = (ref: Repository.RepositoryRef) =>
    Effect.sync(() => {
      const key = Repository.key(ref)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    })
  return {
    get: (ref) => `${process}.${counts.get(Repository.key(ref)) ?? 0}`,
    around: (ref, write) => Effect.ensuring(write(raise(ref)), raise(ref))
  }
}
