/**
 * The status of merge queues: the pause, the queues, and one queued pull request with all its checks.
 *
 * The interface does not give these shapes; they are our choice, listed in `docs/explanation/what-is-not-specified.md`.
 */
import type * as CheckRun from "./CheckRun.ts"
import { Instant } from "@lazaret/domain"
import * as MergeEstimate from "./MergeEstimate.ts"
import type * as MergeQueue from "./MergeQueue.ts"
import type * as QueueCheck from "./QueueCheck.ts"
import type { QueuePause } from "@lazaret/domain"
import * as QueueView from "./QueueView.ts"

/** The pause and every queue that holds a pull request. */
export interface QueueStatus {
  readonly pause: QueuePause.QueuePause | null
  readonly queues: ReadonlyArray<QueueView.Queue>
}

/** The running round of checks with each of its checks. */
export interface Check extends QueueView.BriefMergeabilityCheck {
  readonly checks: ReadonlyArray<QueueCheck.QueueCheck>
  readonly evaluatedConditions: string
}

/** One queued pull request by itself: where it is queued, and every check of it. */
export interface Pull extends Omit<QueueView.PullRequestQueued, "mergeabilityCheck" | "speculativeCheckPullRequest"> {
  readonly branch: { readonly name: string }
  readonly mergeabilityCheck: Check | null
}

/**
 * A base branch that has a queue.
 *
 * **Details**
 *
 * - `queuedCount`: the number of pull requests in its queue, which may be 0.
 * - `medianChecksDuration`: the usual length of a round of checks in seconds, which the estimates come from; null before
 *   the first round has completed.
 */
export interface Branch {
  readonly name: string
  readonly queuedCount: number
  readonly medianChecksDuration: number | null
}

/** The pause, and the queues that hold a pull request, in code-point order of their branches. */
export const status = (queue: MergeQueue.MergeQueue, circumstances: MergeEstimate.Circumstances): QueueStatus => ({
  pause: circumstances.pause,
  queues: QueueView.queues(queue, circumstances)
})

/** One queued pull request by its number; null when it is in no queue. It is in one queue at most. */
export const pull = (
  queue: MergeQueue.MergeQueue,
  number: number,
  circumstances: MergeEstimate.Circumstances
): Pull | null => {
  for (const branch of queue.branches) {
    const position = branch.pullRequests.findIndex((each) => each.number === number)
    const view = position === -1 ? undefined : QueueView.pullRequests(branch, circumstances)[position]
    if (view === undefined) continue
    const { speculativeCheckPullRequest: _old, ...shared } = view
    const run = branch.pullRequests[position]?.run ?? null
    return { branch: { name: branch.branch }, ...shared, mergeabilityCheck: checkOf(run) }
  }
  return null
}

const checkOf = (run: CheckRun.CheckRun | null): Check | null =>
  run === null
    ? null
    : { ...QueueView.mergeabilityCheck(run), checks: run.checks, evaluatedConditions: run.evaluatedConditions }

/**
 * Every base branch that has had a pull request queued, in code-point order of the names.
 *
 * @example
 * ```ts
 * import { MergeQueue, QueueStatus } from "@lazaret/queue"
 *
 * const { queue } = MergeQueue.fold([{ id: "a", at: 0, branch: "main", pullRequest: 7, kind: "queued" }])
 * QueueStatus.branches(queue) // => [{ name: "main", queuedCount: 1, medianChecksDuration: null }]
 * ```
 */
export const branches = (queue: MergeQueue.MergeQueue): ReadonlyArray<Branch> =>
  queue.branches.map((each) => ({
    name: each.branch,
    queuedCount: each.pullRequests.length,
    medianChecksDuration: secondsOf(MergeEstimate.usualDuration(each.completed))
  }))

const secondsOf = (duration: number | null): number | null => (duration === null ? null : duration / Instant.second)
