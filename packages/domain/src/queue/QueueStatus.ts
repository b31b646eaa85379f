/**
 * Merge queues as newer readers see them: the same state as the interface's views, without what is deprecated there.
 *
 * The interface does not give these shapes; they are our choice, listed in `docs/explanation/what-is-not-specified.md`.
 */
import { Schema } from "effect"
import type * as CheckRun from "./CheckRun.ts"
import * as Instant from "../time/Instant.ts"
import * as MergeEstimate from "./MergeEstimate.ts"
import type * as MergeQueue from "./MergeQueue.ts"
import * as QueueCheck from "./QueueCheck.ts"
import * as QueuePause from "./QueuePause.ts"
import * as QueueView from "./QueueView.ts"

type Time = Schema.Codec<Instant.Instant, unknown>

/** What both views of a queued pull request show: all of the interface's fields but the deprecated one. */
const sharedWithTime = <At extends Time>(at: At) => {
  const {
    mergeability_check: _brief,
    speculative_check_pull_request: _old,
    ...shared
  } = QueueView.pullRequestWithTime(at).fields
  return shared
}

/** Schema of a queued pull request in the status, with the encoding of instants that the caller needs. */
export const pullRequestWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    ...sharedWithTime(at),
    mergeability_check: Schema.NullOr(QueueView.mergeabilityCheckWithTime(at))
  })

/**
 * Schema of the check that is currently processed with everything that is known of it, with the encoding of instants
 * that the caller needs.
 */
export const checkWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    ...QueueView.mergeabilityCheckWithTime(at).fields,
    checks: Schema.Array(QueueCheck.QueueCheck),
    evaluated_conditions: Schema.String
  })

/** Schema of one queued pull request by itself, with the encoding of instants that the caller needs. */
export const pullWithTime = <At extends Time>(at: At) =>
  Schema.Struct({
    branch: Schema.Struct({ name: Schema.String }),
    ...sharedWithTime(at),
    mergeability_check: Schema.NullOr(checkWithTime(at))
  })

/**
 * Schema of a base branch that has a queue.
 *
 * **Details**
 *
 * - `queued_count`: how many pull requests are in its queue, which may be none.
 * - `median_checks_duration`: seconds that a round of checks usually takes, which the estimates come from; null before
 *   the first round has completed.
 */
export const Branch = Schema.Struct({
  name: Schema.String,
  queued_count: Schema.Int,
  median_checks_duration: Schema.NullOr(Schema.Finite)
})

/** A base branch that has a queue. */
export type Branch = typeof Branch.Type

/** Schema of the pause and every queue, with the encoding of instants that the caller needs. */
export const withTime = <At extends Time>(at: At) =>
  Schema.Struct({
    pause: Schema.NullOr(QueuePause.withTime(at)),
    queues: Schema.Array(
      Schema.Struct({
        branch: Schema.Struct({ name: Schema.String }),
        pull_requests: Schema.Array(pullRequestWithTime(at))
      })
    )
  })

/** Schema of the status, instants being numbers. */
export const QueueStatus = withTime(Instant.Instant)

/** The pause and every queue that holds a pull request, instants being numbers. */
export type QueueStatus = typeof QueueStatus.Type

/** Schema of one queued pull request by itself, instants being numbers. */
export const Pull = pullWithTime(Instant.Instant)

/** One queued pull request by itself: where it is queued, and every check of it, instants being numbers. */
export type Pull = typeof Pull.Type

/** The pause, and the queues that hold a pull request, in code-point order of their branches. */
export const status = (queue: MergeQueue.MergeQueue, circumstances: MergeEstimate.Circumstances): QueueStatus => ({
  pause: circumstances.pause,
  queues: QueueView.queues(queue, circumstances).map(({ branch, pull_requests: pullRequests }) => ({
    branch,
    pull_requests: pullRequests.map(({ speculative_check_pull_request: _old, ...each }) => each)
  }))
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
    const { speculative_check_pull_request: _old, ...shared } = view
    const run = branch.pullRequests[position]?.run ?? null
    return { branch: { name: branch.branch }, ...shared, mergeability_check: checkOf(run) }
  }
  return null
}

const checkOf = (run: CheckRun.CheckRun | null): Pull["mergeability_check"] =>
  run === null
    ? null
    : { ...QueueView.mergeabilityCheck(run), checks: run.checks, evaluated_conditions: run.evaluatedConditions }

/**
 * Every base branch that has had a pull request queued, in code-point order of the names.
 *
 * @example
 * ```ts
 * import { MergeQueue, QueueStatus } from "@lazaret/domain"
 *
 * const { queue } = MergeQueue.fold([{ id: "a", at: 0, branch: "main", pullRequest: 7, kind: "queued" }])
 * QueueStatus.branches(queue) // => [{ name: "main", queued_count: 1, median_checks_duration: null }]
 * ```
 */
export const branches = (queue: MergeQueue.MergeQueue): ReadonlyArray<Branch> =>
  queue.branches.map((each) => ({
    name: each.branch,
    queued_count: each.pullRequests.length,
    median_checks_duration: secondsOf(MergeEstimate.usualDuration(each.completed))
  }))

const secondsOf = (duration: number | null): number | null => (duration === null ? null : duration / Instant.second)
