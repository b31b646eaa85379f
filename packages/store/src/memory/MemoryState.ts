/** Everything that the in-memory layer holds, shared by its ports. */
import { type ApplicationKey, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import { StoreError } from "../StoreError.ts"
import type * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** The whole of the in-memory layer. */
export interface MemoryState {
  readonly repositories: Map<string, RepositoryEntry.RepositoryEntry>
  readonly keys: Array<ApplicationKey.ApplicationKey>
}

/** An empty state. */
export const make = (): MemoryState => ({ repositories: new Map(), keys: [] })

/** The repository, undefined when nothing has been written for it. */
export const find = (state: MemoryState, ref: Repository.RepositoryRef): RepositoryEntry.RepositoryEntry | undefined =>
  state.repositories.get(Repository.key(ref))

/** The repository, made when nothing has been written for it. */
export const ensure = (
  state: MemoryState,
  ref: Repository.RepositoryRef,
  at: number
): RepositoryEntry.RepositoryEntry => {
  const found = find(state, ref)
  if (found !== undefined) return found
  const made = RepositoryEntry.make(ref, at)
  state.repositories.set(Repository.key(ref), made)
  return made
}

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

/** Every text of a value, however deep it lies. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* textsIn(part)
}

/** Refuses text that no store can keep, so that memory is as strict as a database. */
export const requireStorable = (operation: string, texts: Iterable<string | null>): Effect.Effect<void, StoreError> => {
  for (const text of texts) {
    if (text !== null && (text.includes("\0") || !text.isWellFormed())) {
      const cause = new Error("text holds a NUL character or a lone surrogate")
      return Effect.fail(new StoreError({ operation, reason: "invalid", cause }))
    }
  }
  return Effect.void
}
