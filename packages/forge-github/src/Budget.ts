/**
 * The share of GitHub's hourly limits that reads without news may take: 30 % of each.
 *
 * **Details**
 *
 * All repositories of an installation share its limits, and each answer says how much of a limit is used (`x-ratelimit-…`).
 * A sweep waits until the used part is below 30 % of the limit, times the share of the hour that has passed. What
 * deliveries, uploads and people ask for does not wait, and counts.
 */
import type { Octokit } from "@octokit/core"

/** A limit as an answer showed it; `resetAt` in milliseconds. */
export interface Limit {
  readonly limit: number
  readonly used: number
  readonly resetAt: number
}

/** The latest limits of each client, by the name of the resource: `core`, `graphql`. */
export type Budgets = Map<string, Map<string, Limit>>

/** No limit is known. */
export const make = (): Budgets => new Map()

const hour = 3_600_000

/** The share of a limit for sweeps, and the part of that share which may be used at once. */
export const share = 0.3
const burst = 0.1

/** Reads the limits of the answers that a client gets. */
export const install = (octokit: Octokit, budgets: Budgets, id: string): void => {
  octokit.hook.after("request", ({ headers }) => {
    const [limit, used, reset] = ["limit", "used", "reset"].map((name) => Number(headers[`x-ratelimit-${name}`]))
    if (limit === undefined || used === undefined || reset === undefined || !(limit > 0) || !(reset > 0)) return
    const known = budgets.get(id) ?? new Map<string, Limit>()
    known.set(String(headers["x-ratelimit-resource"] ?? "core"), { limit, used, resetAt: reset * 1000 })
    budgets.set(id, known)
  })
}

/** The moment from which a limit has room for a sweep. */
export const roomAt = ({ limit, resetAt, used }: Limit): number => {
  const allowed = limit * share
  const late = used - allowed * burst
  if (late <= 0) return 0
  const start = resetAt - hour
  return Math.min(resetAt, start + (late / (allowed * (1 - burst))) * hour)
}

/** The moment from which a client may sweep; in the past, or 0, when it may at once. */
export const sweepAt = (budgets: Budgets, id: string, now: number): number =>
  Math.max(0, ...[...(budgets.get(id)?.values() ?? [])].map((limit) => (limit.resetAt <= now ? 0 : roomAt(limit))))
