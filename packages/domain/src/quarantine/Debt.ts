/** The debt of quarantines: how old they are, whose, how often each would have blocked, and what it hid (beyond the interface). */
import type * as Execution from "../report/Execution.ts"
import type * as HealthStatus from "../health/HealthStatus.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import type { Quarantine } from "./Quarantine.ts"

/** An execution of a quarantined test on the default branch. */
export type Run = Pick<Execution.Observation, "at" | "conclusion"> & { readonly runId: string }

/**
 * The facts on an active quarantine.
 *
 * **Details**
 *
 * - `executions`: those of the default branch on which it holds, of the last 30 days, in any order.
 * - `owners`: the owner of its life, else the owners of the file of its test.
 * - `newFailures`: how many kinds of failure the test has had only since the quarantine began, on every branch;
 *   `latestFailure` is the last one of them on the default branch, as text.
 */
export interface Facts {
  readonly quarantine: Quarantine
  readonly executions: ReadonlyArray<Run>
  readonly status: HealthStatus.HealthStatus | null
  readonly owners: ReadonlyArray<string>
  readonly newFailures: number
  readonly latestFailure: string | null
}

/** The debt of a quarantine: its facts, its age, and the CI runs of the default branch that it would have blocked. */
export interface Item extends Omit<Facts, "executions"> {
  readonly ageDays: number
  readonly blockedRuns: number
  readonly lastBlockedAt: Instant.Instant | null
}

/** The debt of an owner; null stands for quarantines without one. */
export interface OwnerDebt {
  readonly owner: string | null
  readonly quarantines: number
  readonly blockedRuns: number
  readonly oldestAt: Instant.Instant
}

/**
 * The debt of a quarantine.
 *
 * **Details**
 *
 * A run counts once, however many identities of the test failed in it, from the beginning of the quarantine on (inclusive).
 */
export const itemOf = ({ executions, ...facts }: Facts, now: Instant.Instant): Item => {
  const { createdAt } = facts.quarantine
  const failed = executions.filter(({ at, conclusion }) => conclusion === "failed" && at >= createdAt)
  return {
    ...facts,
    ageDays: Math.max(0, Math.floor((now - createdAt) / Instant.day)),
    blockedRuns: new Set(failed.map(({ runId }) => runId)).size,
    lastBlockedAt: failed.length === 0 ? null : Math.max(...failed.map(({ at }) => at))
  }
}

/** The order of a report: those that would have blocked most come first, then the oldest. */
export const order = (a: Item, b: Item): number =>
  b.blockedRuns - a.blockedRuns ||
  a.quarantine.createdAt - b.quarantine.createdAt ||
  Text.compare(a.quarantine.id, b.quarantine.id)

/**
 * The debt of each owner, the largest number of quarantines first; quarantines without an owner last.
 *
 * A quarantine counts for each of its owners.
 */
export const byOwner = (items: ReadonlyArray<Item>): ReadonlyArray<OwnerDebt> => {
  const found = new Map<string | null, OwnerDebt>()
  for (const { blockedRuns, owners, quarantine } of items) {
    for (const owner of owners.length === 0 ? [null] : new Set(owners)) {
      const held = found.get(owner)
      found.set(owner, {
        owner,
        quarantines: (held?.quarantines ?? 0) + 1,
        blockedRuns: (held?.blockedRuns ?? 0) + blockedRuns,
        oldestAt: Math.min(held?.oldestAt ?? quarantine.createdAt, quarantine.createdAt)
      })
    }
  }
  return [...found.values()].sort(
    (a, b) =>
      Number(a.owner === null) - Number(b.owner === null) ||
      b.quarantines - a.quarantines ||
      Text.compare(a.owner ?? "", b.owner ?? "")
  )
}
