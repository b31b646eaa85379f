/** Everything that the in-memory layer holds, shared by its ports. */
import { Repository } from "@lazaret/domain"
import { Effect } from "effect"
import * as Rows from "../Rows.ts"
import type * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryTables from "./MemoryTables.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** The whole of the in-memory layer. */
export interface MemoryState {
  readonly repositories: Map<string, RepositoryEntry.RepositoryEntry>
  readonly tables: MemoryTables.MemoryTables
}

/** An empty state. */
export const make = (): MemoryState => ({ repositories: new Map(), tables: MemoryTables.make() })

/** The repository, undefined when nothing has been written for it. */
export const find = (state: MemoryState, ref: Repository.RepositoryRef): RepositoryEntry.RepositoryEntry | undefined =>
  state.repositories.get(Repository.key(ref))

/**
 * Runs a body in a repository, which is created when the body succeeds.
 *
 * **Details**
 *
 * Repositories are created one after another, so that a repository is created once.
 */
export const within = <A, E>(
  state: MemoryState,
  ref: Repository.RepositoryRef,
  at: number,
  body: (entry: RepositoryEntry.RepositoryEntry) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const found = find(state, ref)
    if (found !== undefined) return body(found)
    const create = Effect.suspend(() => {
      const meanwhile = find(state, ref)
      if (meanwhile !== undefined) return body(meanwhile)
      const made = RepositoryEntry.make(ref, at)
      return Effect.tap(body(made), () =>
        Effect.sync(() => {
          state.repositories.set(Repository.key(ref), made)
          note(state, made)
        })
      )
    })
    return state.tables.lock.withPermit(create)
  })

/** Writes the row of a repository, which is read like every other row. */
export const note = ({ tables }: MemoryState, { repository }: RepositoryEntry.RepositoryEntry): void =>
  MemoryTables.put(tables, Rows.repositories, [{ ...repository, key: Repository.key(repository) }])

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
