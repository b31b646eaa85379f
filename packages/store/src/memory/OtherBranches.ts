/** Job runs of other branches in memory. */
import { BranchRun, type Instant, Repository, TestSet } from "@lazaret/domain"
import type { IdentityEntry } from "./IdentityEntry.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as RunIndex from "./RunIndex.ts"

/** How an identity ended in the latest runs of its job on other branches that finished at an instant or later. */
export const ofIdentity = (
  entry: RepositoryEntry.RepositoryEntry,
  { identity }: IdentityEntry,
  since: Instant.Instant
): ReadonlyArray<BranchRun.BranchRun> => {
  const { testName } = identity
  const number = entry.numbers.get(testName)
  const job = entry.runs.byJob.get(RepositoryEntry.jobKey(identity))
  if (number === undefined || job === undefined) return []
  return RunIndex.since(job, Math.max(since, entry.horizon))
    .filter(({ context }) => !Repository.isDefaultBranch(context, entry.defaultBranch))
    .slice(-BranchRun.bounds.runsPerJob)
    .flatMap(({ context, failed, passed, totals }) => {
      const hasPassed = TestSet.has(passed, number)
      if (!hasPassed && !TestSet.has(failed, number)) return []
      const run = { ...context, branch: context.branch ?? entry.defaultBranch, at: totals.at }
      return [{ testName, conclusion: hasPassed ? "passed" : "failed", run }]
    })
}

/** The totals of the identities that have no execution on the default branch. */
export const only = (
  entry: RepositoryEntry.RepositoryEntry,
  since: Instant.Instant
): ReadonlyArray<BranchRun.BranchTotals> =>
  BranchRun.totals(
    entry.entries
      .filter(({ base, main }) => main.length === 0 && base === null)
      .flatMap((identity) => ofIdentity(entry, identity, since))
  )
