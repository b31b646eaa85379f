/**
 * The merge queues of a repository: a pure fold over queue events (interface 2.11, 3.5).
 *
 * The interface shows the queue and leaves open what moves it. The rules here are our choice and are listed in
 * `docs/explanation/what-is-not-specified.md`.
 */
import { Result } from "effect"
import * as CheckRun from "./CheckRun.ts"
import type { Instant } from "@lazaret/domain"
import type * as QueueCheck from "./QueueCheck.ts"
import * as QueueEvent from "./QueueEvent.ts"
import * as QueueOutcome from "./QueueOutcome.ts"
import * as QueuePriority from "./QueuePriority.ts"
import { Text } from "@lazaret/domain"

/** The name of the rule of a pull request that was queued without one. */
export const defaultRule = "default"

/**
 * How many completed rounds of checks a queue remembers: enough for a steady median, few enough to follow a change of
 * the pipeline within a day.
 */
export const completedKept = 20

/** A pull request in a queue. `run` is its latest round of checks, null before the first. */
export interface QueuedPullRequest {
  readonly number: number
  readonly queueRule: string
  readonly priority: number
  readonly queuedAt: Instant.Instant
  readonly run: CheckRun.CheckRun | null
}

/** A round of checks that ran to its end, for estimates. */
export interface CompletedRun {
  readonly pullRequest: number
  readonly startedAt: Instant.Instant
  readonly endedAt: Instant.Instant
}

/**
 * The queue of one base branch.
 *
 * **Details**
 *
 * `pullRequests` are in merge order: the index is the position. `completed` are the last {@link completedKept} completed
 * rounds, the newest last.
 */
export interface BranchQueue {
  readonly branch: string
  readonly pullRequests: ReadonlyArray<QueuedPullRequest>
  readonly completed: ReadonlyArray<CompletedRun>
}

/** The queues of a repository, in the order of their branches, and the event they were folded up to. */
export interface MergeQueue {
  readonly last: { readonly at: Instant.Instant; readonly id: string } | null
  readonly branches: ReadonlyArray<BranchQueue>
}

/** No queue yet. */
export const empty: MergeQueue = { last: null, branches: [] }

/**
 * The merge order of a queue: priority, the highest first, then the time of queueing, then the number.
 *
 * @example
 * ```ts
 * import { MergeQueue } from "@lazaret/queue"
 *
 * const early = { number: 1, priority: 2000, queuedAt: 10 }
 * const urgent = { number: 2, priority: 3000, queuedAt: 20 }
 * MergeQueue.order(early, urgent) // => 1
 * MergeQueue.order(early, { ...early, number: 3 }) // => -1
 * ```
 */
export const order = (
  a: Pick<QueuedPullRequest, "number" | "priority" | "queuedAt">,
  b: Pick<QueuedPullRequest, "number" | "priority" | "queuedAt">
): -1 | 0 | 1 => {
  if (a.priority !== b.priority) return a.priority > b.priority ? -1 : 1
  if (a.queuedAt !== b.queuedAt) return a.queuedAt < b.queuedAt ? -1 : 1
  return a.number === b.number ? 0 : a.number < b.number ? -1 : 1
}

/**
 * The queues after one more event, and the outcome of the event.
 *
 * **Details**
 *
 * Events must come in `QueueEvent.order`. One that lies before the last is ignored as `late` and leaves the queues as
 * they are: fold the whole log again then.
 */
export const step = (
  queue: MergeQueue,
  event: QueueEvent.QueueEvent
): { readonly queue: MergeQueue; readonly outcome: QueueOutcome.QueueOutcome } => {
  const place = queue.last === null ? 1 : QueueEvent.order(event, queue.last)
  if (place === 0) return { queue, outcome: QueueOutcome.ignored(event, "duplicate") }
  if (place < 0) return { queue, outcome: QueueOutcome.ignored(event, "late") }
  const seen = { ...queue, last: { at: event.at, id: event.id } }
  return Result.match(apply(queue, event), {
    onSuccess: (branches) => ({ queue: { ...seen, branches }, outcome: QueueOutcome.applied(event) }),
    onFailure: (reason) => ({ queue: seen, outcome: QueueOutcome.ignored(event, reason) })
  })
}

/**
 * The queues that a log of events gives, and the outcome of each event, in the order of the events.
 *
 * **Details**
 *
 * The same events give the same queues in whatever order they are delivered and however often. Of several events with
 * the same id the first in `QueueEvent.order` counts.
 *
 * @example
 * ```ts
 * import { MergeQueue } from "@lazaret/queue"
 *
 * const common = { branch: "main", pullRequest: 7 }
 * const { queue, outcomes } = MergeQueue.fold([
 *   { ...common, id: "b", at: 2, kind: "merged" },
 *   { ...common, id: "a", at: 1, kind: "queued" }
 * ])
 * queue.branches // => [{ branch: "main", pullRequests: [], completed: [] }]
 * outcomes.map((outcome) => outcome.status) // => ["applied", "applied"]
 * ```
 */
export const fold = (
  events: Iterable<QueueEvent.QueueEvent>
): { readonly queue: MergeQueue; readonly outcomes: ReadonlyArray<QueueOutcome.QueueOutcome> } => {
  const seen = new Set<string>()
  const outcomes: Array<QueueOutcome.QueueOutcome> = []
  let queue = empty
  for (const event of [...events].sort(QueueEvent.order)) {
    if (seen.has(event.id)) {
      outcomes.push(QueueOutcome.ignored(event, "duplicate"))
      continue
    }
    seen.add(event.id)
    const next = step(queue, event)
    queue = next.queue
    outcomes.push(next.outcome)
  }
  return { queue, outcomes }
}

type Branches = ReadonlyArray<BranchQueue>
type Applied = Result.Result<Branches, QueueOutcome.Reason>

const apply = ({ branches }: MergeQueue, event: QueueEvent.QueueEvent): Applied => {
  if (!QueueEvent.isKnown(event)) return Result.fail("unknown_kind")
  const branch = branches.find((each) => each.branch === event.branch)
  const pullRequest = branch?.pullRequests.find((each) => each.number === event.pullRequest)
  if (event.kind === "queued") {
    return pullRequest === undefined ? Result.succeed(enter(branches, event)) : Result.fail("already_queued")
  }
  if (branch === undefined || pullRequest === undefined) return Result.fail("not_queued")
  return Result.map(move(branch, pullRequest, event), (changed) =>
    branches.map((each) => (each === branch ? changed : each))
  )
}

/** A pull request has one base branch: entering one queue takes it out of every other. */
const enter = (branches: Branches, event: QueueEvent.Of<"queued">): Branches => {
  const others = branches.map((each) => without(each, event.pullRequest))
  const entering = others.find((each) => each.branch === event.branch)
  const target = entering ?? { branch: event.branch, pullRequests: [], completed: [] }
  const entered = withPullRequest(target, {
    number: event.pullRequest,
    queueRule: event.queueRule ?? defaultRule,
    priority: event.priority ?? QueuePriority.fallback,
    queuedAt: event.at,
    run: null
  })
  return entering === undefined
    ? [...others, entered].sort((a, b) => Text.compare(a.branch, b.branch))
    : others.map((each) => (each === entering ? entered : each))
}

const move = (
  branch: BranchQueue,
  pullRequest: QueuedPullRequest,
  event: Exclude<QueueEvent.Known, { readonly kind: "queued" }>
): Result.Result<BranchQueue, QueueOutcome.Reason> => {
  switch (event.kind) {
    case "priority_changed":
      return Result.succeed(withPullRequest(branch, { ...pullRequest, priority: event.priority }))
    case "checks_started":
      return startChecks(branch, pullRequest, event)
    case "check_updated":
      return Result.map(runOf(pullRequest, event), (run) =>
        withPullRequest(branch, { ...pullRequest, run: CheckRun.update(run, event) })
      )
    case "checks_ended":
      return Result.flatMap(runOf(pullRequest, event), (run) => endChecks(branch, { ...pullRequest, run }, event))
    case "merged":
      return Result.succeed(without(complete(branch, pullRequest.run, event.at), event.pullRequest))
    case "dequeued":
      return Result.succeed(without(branch, event.pullRequest))
  }
}

/** Only a draft pull request can stand in for the queued one. */
const startChecks = (
  branch: BranchQueue,
  pullRequest: QueuedPullRequest,
  event: QueueEvent.Of<"checks_started">
): Result.Result<BranchQueue, QueueOutcome.Reason> => {
  const run = CheckRun.start(event)
  return run.checkType !== "draft_pr" && run.pullRequest !== pullRequest.number
    ? Result.fail("not_in_place")
    : Result.succeed(withPullRequest(branch, { ...pullRequest, run }))
}

/** The round of checks that an event is about. */
const runOf = (
  { run }: QueuedPullRequest,
  event: QueueEvent.Of<"check_updated" | "checks_ended">
): Result.Result<CheckRun.CheckRun, QueueOutcome.Reason> => {
  if (run === null) return Result.fail("no_checks")
  return CheckRun.isMeant(run, event) ? Result.succeed(run) : Result.fail("other_round")
}

const endChecks = (
  branch: BranchQueue,
  pullRequest: QueuedPullRequest & { readonly run: CheckRun.CheckRun },
  event: QueueEvent.Of<"checks_ended">
): Result.Result<BranchQueue, QueueOutcome.Reason> => {
  const { run } = pullRequest
  if (run.endedAt !== null) return Result.fail("checks_already_ended")
  const verdict = CheckRun.verdict(run, event)
  if (verdict === "pending") return Result.fail("checks_pending")
  const ended = withPullRequest(branch, { ...pullRequest, run: CheckRun.end(run, event, verdict) })
  return Result.succeed(isInterrupted(verdict) ? ended : complete(ended, run, event.at))
}

const isInterrupted = (state: QueueCheck.EndState): boolean =>
  state === "cancelled" || state === "skipped" || state === "stale"

/**
 * Remembers a round that ran until `endedAt`. A merge ends the round that it finds running. A trusted round took no
 * time, and the round of a draft pull request that several queued ones share counts once.
 */
const complete = (branch: BranchQueue, run: CheckRun.CheckRun | null, endedAt: Instant.Instant): BranchQueue => {
  if (run === null || run.endedAt !== null || run.checkType === "trusted") return branch
  const isShared = branch.completed.some((each) => each.pullRequest === run.pullRequest && each.endedAt > run.startedAt)
  if (isShared) return branch
  const completed = { pullRequest: run.pullRequest, startedAt: run.startedAt, endedAt }
  return { ...branch, completed: [...branch.completed, completed].slice(-completedKept) }
}

const without = (branch: BranchQueue, number: number): BranchQueue => ({
  ...branch,
  pullRequests: branch.pullRequests.filter((each) => each.number !== number)
})

const withPullRequest = (branch: BranchQueue, changed: QueuedPullRequest): BranchQueue => ({
  ...branch,
  pullRequests: [...without(branch, changed.number).pullRequests, changed].sort(order)
})
