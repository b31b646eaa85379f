/** The remainder of dropped failures: the number of a group, and the time of the first of them. */
import { Failure, type Instant, Repository, TestId } from "@lazaret/domain"
import type { StoredExecution } from "./IdentityEntry.ts"
import type { RepositoryEntry } from "./RepositoryEntry.ts"

/** The dropped failures of one group on one branch. */
export interface FailureBase {
  readonly count: number
  readonly firstAt: Instant.Instant
}

/** The key of a group on a branch, '' where none was named. */
export const key = (testId: string, failureId: string, branch: string): string => `${testId} ${failureId} ${branch}`

/**
 * The dropped failures once everything before a horizon is dropped. Only groups that failed since, on
 * whatever branch, are kept.
 */
export const after = (entry: RepositoryEntry, horizon: Instant.Instant): Map<string, FailureBase> => {
  const sums = new Map(entry.failureBases)
  const kept = new Set<string>()
  for (const execution of entry.entries.flatMap(({ main, other }) => [...main, ...other])) {
    const group = groupOf(execution)
    if (group === null) continue
    if (execution.at >= horizon) kept.add(group)
    else {
      const branched = `${group} ${execution.run.branch ?? ""}`
      sums.set(branched, plus(sums.get(branched), execution))
    }
  }
  return new Map([...sums].filter(([branched]) => kept.has(branched.split(" ", 2).join(" "))))
}

const plus = (base: FailureBase | undefined, { at }: StoredExecution): FailureBase => ({
  count: (base?.count ?? 0) + 1,
  firstAt: Math.min(base?.firstAt ?? Infinity, at)
})

/** Null for what is in no group, or of no branch that can be the default one. */
const groupOf = ({ fact, run }: StoredExecution): string | null => {
  if (fact.exception === null || !Repository.isDefaultBranch(run, run.branch ?? "")) return null
  const testId = TestId.of(fact.testName)
  return `${testId} ${Failure.groupOf(testId, fact.exception).id}`
}
