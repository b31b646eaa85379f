/** Everything that the in-memory layer holds, shared by its ports. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** The facts of all repositories. */
export interface MemoryState {
  readonly repositories: Map<string, RepositoryEntry.RepositoryEntry>
}

/** No facts. */
export const make = (): MemoryState => ({ repositories: new Map() })

/** The facts of a repository; undefined for an unknown repository. */
export const find = (state: MemoryState, ref: Repository.RepositoryRef): RepositoryEntry.RepositoryEntry | undefined =>
  state.repositories.get(Repository.key(ref))

/** The facts of a repository; empty for an unknown repository. */
export const ensure = (state: MemoryState, ref: Repository.RepositoryRef): RepositoryEntry.RepositoryEntry => {
  const found = find(state, ref)
  if (found !== undefined) return found
  const made = RepositoryEntry.make()
  state.repositories.set(Repository.key(ref), made)
  return made
}

/** Removes the facts of a repository. */
export const forget = (state: MemoryState, ref: Repository.RepositoryRef): Effect.Effect<void> =>
  Effect.sync(() => void state.repositories.delete(Repository.key(ref)))

/**
 * The answer to a question about the facts of a repository; undefined stands for an unknown repository.
 *
 * **Details**
 *
 * Waits while the facts are changed: a change is applied in slices, and no answer sees a part of it.
 */
export const read = <A>(
  state: MemoryState,
  ref: Repository.RepositoryRef,
  answer: (repository: RepositoryEntry.RepositoryEntry | undefined) => A
): Effect.Effect<A> =>
  Effect.suspend(() => {
    const repository = find(state, ref)
    const answered = Effect.sync(() => answer(repository))
    return repository === undefined ? answered : repository.lock.withPermit(answered)
  })

/** Changes the facts of a repository, in slices and to the end, while nobody else reads or changes them. */
export const change = <A, E>(
  state: MemoryState,
  ref: Repository.RepositoryRef,
  body: (repository: RepositoryEntry.RepositoryEntry) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const repository = ensure(state, ref)
    return repository.lock.withPermit(Effect.uninterruptible(body(repository)))
  })

/** The policies of a repository, the defaults when nothing has been written for it. */
export const policiesOf = (repository: RepositoryEntry.RepositoryEntry | undefined): Repository.Policies =>
  repository?.policies ?? Repository.policies(Repository.defaultSettings)

/** The identities of a test that have executions on the default branch, each with its first one. */
export const identitiesOf = (
  repository: RepositoryEntry.RepositoryEntry | undefined,
  testId: string
): ReadonlyArray<readonly [IdentityEntry.IdentityEntry, IdentityEntry.StoredExecution]> => {
  const test = repository === undefined ? undefined : RepositoryEntry.testById(repository, testId)
  if (test === undefined) return []
  return test.flatMap((entry) => {
    const first = entry.main[0]
    return first === undefined ? [] : [[entry, first] as const]
  })
}
