/**
 * Estimates of the time of merge (interface 2.11).
 *
 * The interface leaves the estimate open; the rule here is our choice, explained in
 * `docs/explanation/what-is-not-specified.md`.
 */
import * as CheckRun from "./CheckRun.ts"
import { Instant } from "@lazaret/domain"
import type * as MergeQueue from "./MergeQueue.ts"
import type { QueuePause } from "@lazaret/domain"
import * as QueueRule from "./QueueRule.ts"

/** The circumstances of an estimate in addition to the queue. */
export interface Circumstances {
  readonly rules: ReadonlyArray<QueueRule.QueueRule>
  readonly pause: QueuePause.QueuePause | null
  readonly now: Instant.Instant
}

/**
 * The usual length of a round of checks in milliseconds: the median of the completed ones, null without any.
 *
 * **Details**
 *
 * Of an even number it is the mean of the two in the middle, rounded up.
 *
 * @example
 * ```ts
 * import { MergeEstimate } from "@lazaret/queue"
 *
 * const run = (endedAt: number) => ({ pullRequest: 1, startedAt: 0, endedAt })
 * MergeEstimate.usualDuration([run(90), run(10), run(20)]) // => 20
 * MergeEstimate.usualDuration([run(10), run(21)]) // => 16
 * MergeEstimate.usualDuration([]) // => null
 * ```
 */
export const usualDuration = (completed: ReadonlyArray<MergeQueue.CompletedRun>): number | null => {
  const durations = completed.map((run) => run.endedAt - run.startedAt).toSorted((a, b) => a - b)
  const upper = durations[Math.floor(durations.length / 2)]
  const lower = durations[Math.floor((durations.length - 1) / 2)]
  return upper === undefined || lower === undefined ? null : Math.ceil((lower + upper) / 2)
}

/**
 * The estimated time of merge of every pull request of a queue, by position.
 *
 * **Details**
 *
 * A round of checks is taken to last as long as the median of the completed ones. Pull requests merge in order, so
 * nobody merges before those ahead. One whose checks have passed needs no more time; one whose checks run needs the rest
 * of a round; the others wait for those ahead and then need a whole round, which up to `batchSize` neighbours of the
 * same rule share. All are null while the queue is paused and while no round has completed; none lies before `now`.
 */
export const estimate = (
  queue: MergeQueue.BranchQueue,
  { rules, pause, now }: Circumstances
): ReadonlyArray<Instant.Instant | null> => {
  const usual = usualDuration(queue.completed)
  if (usual === null || pause !== null) return queue.pullRequests.map(() => null)
  let free = now
  let batch: Batch = { rule: "", room: 0 }
  return queue.pullRequests.map(({ queueRule, run }) => {
    const passedAt = run === null ? null : expectedPass(run, usual, now)
    if (passedAt !== null) {
      batch = { rule: "", room: 0 }
      free = Math.max(free, passedAt)
    } else if (batch.rule === queueRule && batch.room > 0) {
      batch = { rule: queueRule, room: batch.room - 1 }
    } else {
      batch = { rule: queueRule, room: QueueRule.find(rules, queueRule).config.batchSize - 1 }
      free += usual
    }
    return Math.min(free, Instant.latest)
  })
}

/** The batch that waiting pull requests may still join. */
interface Batch {
  readonly rule: string
  readonly room: number
}

/** When a round is expected to have passed, which may lie before `now`; null where another round is needed. */
const expectedPass = (run: CheckRun.CheckRun, usual: number, now: Instant.Instant): Instant.Instant | null => {
  if (CheckRun.hasPassed(run)) return now
  return run.endedAt === null ? run.startedAt + usual : null
}
