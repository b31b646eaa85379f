/** Pause of the merge queues of a repository (interface 2.11, 3.4). */
import type * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"

/** Schema of the reason of a pause: up to 255 characters (interface 8). */
export const Reason = Text.between(0, 255)

/** A pause (interface 2.11): why, and since when. */
export interface QueuePause {
  readonly reason: string
  readonly pauseDate: Instant.Instant
}

/**
 * The pause after somebody pauses at `now`: one that holds already keeps its date and takes the new reason.
 *
 * @example
 * ```ts
 * import { QueuePause } from "@lazaret/domain"
 *
 * const first = QueuePause.pause(null, "release", 10)
 * first // => { reason: "release", pauseDate: 10 }
 * QueuePause.pause(first, "hotfix", 20) // => { reason: "hotfix", pauseDate: 10 }
 * ```
 */
export const pause = (current: QueuePause | null, reason: string, now: Instant.Instant): QueuePause => ({
  reason,
  pauseDate: current === null ? now : current.pauseDate
})

/**
 * The answer to "is the queue paused" (interface 4.2.4): the pause, or an empty list.
 *
 * @example
 * ```ts
 * import { QueuePause } from "@lazaret/domain"
 *
 * QueuePause.view(null) // => []
 * QueuePause.view({ reason: "release", pauseDate: 10 }) // => [{ reason: "release", pauseDate: 10 }]
 * ```
 */
export const view = (current: QueuePause | null): ReadonlyArray<QueuePause> => (current === null ? [] : [current])
