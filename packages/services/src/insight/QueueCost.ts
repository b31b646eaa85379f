/** The cost of flakes in the merge queue: pull requests that left it, and rounds that ran again, from the logs of its engines. */
import { type Instant, type Repository, Week } from "@lazaret/domain"
import { DequeueReason, type EngineEvent } from "@lazaret/queue"
import { EngineStore } from "@lazaret/store"
import { Effect } from "effect"

/** The evictions and reruns of one event. */
export interface QueueCharge {
  readonly at: Instant.Instant
  readonly evictions: number
  readonly reruns: number
}

/** Reads the logs of all engines of a repository, the newest events first, back to an instant. */
export const make = Effect.map(EngineStore, (engines) =>
  Effect.fnUntraced(function* (ref: Repository.RepositoryRef, since: Instant.Instant) {
    const weeks = new Map<Instant.Instant, QueueCharge>()
    for (const branch of yield* engines.branches(ref)) {
      let before: number | null = null
      for (let read = 0; read < mostEvents; read += eventsAtOnce) {
        const events: ReadonlyArray<EngineEvent.Logged> = yield* engines.log(ref, branch, {
          before,
          limit: eventsAtOnce
        })
        for (const logged of events) if (logged.at >= since) add(weeks, logged)
        const last = events.at(-1)
        if (last === undefined || last.at < since || events.length < eventsAtOnce) break
        before = last.seq
      }
    }
    return [...weeks.values()]
  })
)

const eventsAtOnce = 500

/** Of one log at most this many events are read. */
const mostEvents = 50_000

const add = (weeks: Map<Instant.Instant, QueueCharge>, { at, event }: EngineEvent.Logged): void => {
  const evictions = evictionsOf(event)
  const reruns = event.kind === "round_rerun" ? 1 : 0
  if (evictions + reruns === 0) return
  const start = Week.startOf(at)
  const known = weeks.get(start) ?? { at: start, evictions: 0, reruns: 0 }
  weeks.set(start, { at: start, evictions: known.evictions + evictions, reruns: known.reruns + reruns })
}

/** How many pull requests leave the queue although no change was found to be the cause. */
const evictionsOf = (event: EngineEvent.EngineEvent): number => {
  if (event.kind === "dequeued") return isInnocent(event.reason) ? 1 : 0
  if (event.kind !== "group_concluded" || event.reason === null || event.returns === true) return 0
  return isInnocent(event.reason) ? (event.reason.members?.length ?? 1) : 0
}

const isInnocent = (reason: DequeueReason.DequeueReason): boolean =>
  DequeueReason.isFailure(reason) && (reason.class === "flaky" || reason.class === "infrastructure")
