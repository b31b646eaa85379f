/** Dropping old executions in memory. */
import { type Instant, Outage, Repository } from "@lazaret/domain"
import type { Dropped } from "../RetentionStore.ts"
import * as FailureBase from "./FailureBase.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** What a drop does that finds nothing. */
export const nothing: Dropped = { reports: 0, identities: 0 }

/** Drops everything of a repository that finished before a horizon. */
export const before = (entry: RepositoryEntry.RepositoryEntry, horizon: Instant.Instant): Dropped => {
  if (horizon <= entry.horizon) return nothing
  entry.horizon = horizon
  entry.active = null
  entry.failureBases = FailureBase.after(entry, horizon)
  const identities = dropExecutions(entry, horizon)
  for (const runs of entry.jobs.values()) dropRuns(entry, runs, horizon)
  entry.jobs.forEach((runs) => RepositoryEntry.judge(entry, runs))
  RepositoryEntry.forgetEmpty(entry)
  return { reports: dropUploads(entry, horizon), identities }
}

const dropExecutions = (entry: RepositoryEntry.RepositoryEntry, horizon: Instant.Instant): number => {
  let forgotten = 0
  for (const identity of entry.entries) {
    const wasKnown = identity.main.length > 0
    IdentityEntry.drop(identity, horizon, entry.defaultBranch, entry.policies.health)
    if (wasKnown && identity.main.length === 0) forgotten += 1
  }
  return forgotten
}

/** The last run and the last one on another commit stand before whatever runs later. */
const dropRuns = (
  entry: RepositoryEntry.RepositoryEntry,
  runs: Map<string, RepositoryEntry.RunEntry>,
  horizon: Instant.Instant
): void => {
  const old = [...runs.entries()].filter(([, run]) => run.totals.at < horizon)
  const predecessors = Outage.predecessors(
    old.filter(([, run]) => Repository.isDefaultBranch(run.context, entry.defaultBranch)).map(([, run]) => run.totals)
  )
  for (const [key, run] of old) if (!predecessors.has(run.totals.key)) runs.delete(key)
  for (const run of runs.values()) RepositoryEntry.keepSince(run, horizon)
}

const dropUploads = (entry: RepositoryEntry.RepositoryEntry, horizon: Instant.Instant): number => {
  let forgotten = 0
  for (const { content, key, latestAt } of entry.uploads.values()) {
    if (latestAt >= horizon) continue
    entry.uploads.delete(key)
    entry.contents.delete(content)
    forgotten += 1
  }
  return forgotten
}
