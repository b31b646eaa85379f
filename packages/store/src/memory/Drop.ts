/** Dropping old executions in memory. */
import { type Instant, Outage } from "@lazaret/domain"
import { Effect } from "effect"
import type { Dropped } from "../repository/RetentionStore.ts"
import * as FailureBase from "./FailureBase.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/** The result of a drop that finds nothing. */
export const nothing: Dropped = { reports: 0, identities: 0 }

/** Drops everything of a repository that finished before a horizon. */
export const before = Effect.fnUntraced(function* (
  entry: RepositoryEntry.RepositoryEntry,
  horizon: Instant.Instant
): Effect.fn.Return<Dropped> {
  if (horizon <= entry.horizon) return nothing
  entry.horizon = horizon
  entry.active = null
  entry.failureBases = FailureBase.after(entry, horizon)
  const identities = dropExecutions(entry, horizon)
  dropRuns(entry, horizon)
  for (const job of entry.runs.byJob.values()) yield* RepositoryEntry.judge(entry, job)
  RepositoryEntry.forgetEmpty(entry)
  return { reports: dropUploads(entry, horizon), identities }
})

const dropExecutions = (entry: RepositoryEntry.RepositoryEntry, horizon: Instant.Instant): number => {
  let forgotten = 0
  for (const identity of entry.entries) {
    const wasKnown = identity.main.length > 0
    IdentityEntry.drop(identity, horizon, entry.defaultBranch, entry.policies.health)
    if (wasKnown && identity.main.length === 0) forgotten += 1
  }
  return forgotten
}

/** Of the runs before the horizon those stay that the next judgement depends on. */
const dropRuns = (entry: RepositoryEntry.RepositoryEntry, horizon: Instant.Instant): void => {
  const jobs = [...entry.runs.byJob.values()]
  const kept = new Map(
    jobs.map((job) => [job, new Set(Outage.keysOf(RepositoryEntry.stateBefore(entry, job, horizon)))])
  )
  RunIndex.remove(entry.runs, (job, run) => run.totals.at < horizon && kept.get(job)?.has(run.key) !== true)
  for (const job of jobs) for (const run of job.ordered) RepositoryEntry.keepSince(run, horizon)
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
