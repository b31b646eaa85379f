/** Pause of the merge queues of a repository (interface 2.11, 3.4). */
import { Schema } from "effect"
import * as Instant from "../time/Instant.ts"
import * as Text from "../execution/Text.ts"

/** Schema of the reason of a pause: up to 255 characters (interface 8). */
export const Reason = Text.between(0, 255)

/** Schema of a pause (interface 2.11), with the encoding of instants that the caller needs. */
export const withTime = <At extends Schema.Codec<Instant.Instant, unknown>>(at: At) =>
  Schema.Struct({ reason: Reason, pause_date: at })

/** Schema of a pause, instants being numbers. */
export const QueuePause = withTime(Instant.Instant)

/** A pause (interface 2.11): why, and since when. */
export type QueuePause = typeof QueuePause.Type

/**
 * The pause after somebody pauses at `now`: one that holds already keeps its date and takes the new reason.
 *
 * @example
 * ```ts
 * import { QueuePause } from "@lazaret/domain"
 *
 * const first = QueuePause.pause(null, "release", 10)
 * first // => { reason: "release", pause_date: 10 }
 * QueuePause.pause(first, "hotfix", 20) // => { reason: "hotfix", pause_date: 10 }
 * ```
 */
export const pause = (current: QueuePause | null, reason: string, now: Instant.Instant): QueuePause => ({
  reason,
  pause_date: current === null ? now : current.pause_date
})

/**
 * The answer to "is the queue paused" (interface 4.2.4): the pause, or an empty list.
 *
 * @example
 * ```ts
 * import { QueuePause } from "@lazaret/domain"
 *
 * QueuePause.view(null) // => []
 * QueuePause.view({ reason: "release", pause_date: 10 }) // => [{ reason: "release", pause_date: 10 }]
 * ```
 */
export const view = (current: QueuePause | null): ReadonlyArray<QueuePause> => (current === null ? [] : [current])
