/** The verdicts on identities before a write, and those that have moved after it. */
import type { Event, HealthPolicy, HealthStatus, PullRef } from "@lazaret/domain"
import * as IdentityEntry from "./IdentityEntry.ts"

/** The verdicts before a write. */
export type Verdicts = Map<IdentityEntry.IdentityEntry, HealthStatus.HealthStatus>

type Identities = ReadonlyArray<IdentityEntry.IdentityEntry>

/** The verdicts on identities as they are now. */
export const of = (identities: Identities, policy: HealthPolicy.HealthPolicy): Verdicts => {
  const verdicts: Verdicts = new Map()
  note(verdicts, identities, policy)
  return verdicts
}

/**
 * Adds the verdicts on identities that are not there yet.
 *
 * **Gotchas**
 *
 * An identity that the write has changed already must have been there before.
 */
export const note = (verdicts: Verdicts, identities: Identities, policy: HealthPolicy.HealthPolicy): void => {
  for (const identity of identities) {
    if (!verdicts.has(identity)) verdicts.set(identity, IdentityEntry.stateOf(identity, policy).status)
  }
}

/** The verdicts that have moved since. */
export const moves = (
  verdicts: Verdicts,
  policy: HealthPolicy.HealthPolicy,
  pullOf: (commit: string) => PullRef.PullRef | null
): Array<Event.Move> => {
  const moved: Array<Event.Move> = []
  for (const [entry, from] of verdicts) {
    const { mover, rule, status } = IdentityEntry.stateOf(entry, policy)
    if (status === from) continue
    const commit = mover?.commit ?? null
    const pull = commit === null ? null : pullOf(commit)
    moved.push({ identity: entry.identity, from, to: status, rule, commit, pull })
  }
  return moved
}
