/** The oracle's memory: the facts of every repository, and the keys. */
import { type ApplicationKey, Repository } from "@lazaret/domain"
import { StoreError } from "@lazaret/store"
import { Effect } from "effect"
import { compareText, type Facts } from "./Facts.ts"

export type Ref = Repository.RepositoryRef

export interface World {
  readonly repositories: Map<string, Facts>
  keys: ReadonlyArray<ApplicationKey.ApplicationKey>
}

export const keyOf = (ref: Ref): string => `${ref.owner}/${ref.repository}`.toLowerCase()

export const find = (world: World, ref: Ref): Facts | undefined => world.repositories.get(keyOf(ref))

export const ensure = (world: World, ref: Ref, at: number): Facts => {
  const found = find(world, ref)
  if (found !== undefined) return found
  const made: Facts = {
    owner: ref.owner,
    repository: ref.repository,
    createdAt: at,
    settings: Repository.defaultSettings,
    reports: [],
    pulls: new Map(),
    quarantines: [],
    events: [],
    pause: null,
    configuration: null,
    log: [],
    lastPosition: 0
  }
  world.repositories.set(keyOf(ref), made)
  return made
}

/** Text with NUL or half a character is refused wherever it hides. */
export const requireText = (operation: string, value: unknown): Effect.Effect<void, StoreError> => {
  const isFaulty = (part: unknown): boolean =>
    typeof part === "string"
      ? part.includes("\0") || !part.isWellFormed()
      : typeof part === "object" && part !== null && Object.values(part).some(isFaulty)
  if (!isFaulty(value)) return Effect.void
  return Effect.fail(new StoreError({ operation, reason: "invalid", cause: "text that no store can keep" }))
}

/** A repository of which nothing is known. */
export const empty: Facts = {
  owner: "",
  repository: "",
  createdAt: 0,
  settings: Repository.defaultSettings,
  reports: [],
  pulls: new Map(),
  quarantines: [],
  events: [],
  pause: null,
  configuration: null,
  log: [],
  lastPosition: 0
}

/** Creation time, then id. */
export const byCreation = (a: { createdAt: number; id: string }, b: { createdAt: number; id: string }): number =>
  a.createdAt - b.createdAt || compareText(a.id, b.id)
