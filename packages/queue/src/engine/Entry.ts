/** Entries: pull requests in the queue of the engine. */
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import type { Member, Pull } from "./Observation.ts"

/**
 * Why an entry is kept back.
 *
 * **Details**
 *
 * - `conflict`: it conflicts with entries ahead; `baseTree` is the base branch's tree when that was found.
 * - `refused`: a rule of the repository forbade its landing; held until somebody asks for a retry.
 * - `foreseen`: in the shadow, it would have landed; held until it is merged, or the queue is driven.
 */
export type Hold =
  | { readonly kind: "conflict"; readonly ahead: ReadonlyArray<number>; readonly baseTree: string }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "foreseen" }

/**
 * A pull request in the queue.
 *
 * **Details**
 *
 * `head` is pinned: only that commit is tested and merged. `readyAt` is when it was first seen ready, in active time;
 * null before. `confirmed` is the tested commit for which it was read again, since a landing needs a read that began
 * after the round ended. `reruns` counts the reruns of rounds that held it. `leaving` is who asked for it to leave.
 */
export interface Entry extends Member {
  readonly rule: string
  readonly priority: number
  readonly queuedAt: number
  readonly by: string
  readonly pull: Pull | null
  readonly readyAt: number | null
  readonly confirmed: string | null
  readonly overtaken: number
  readonly reruns: number
  readonly hold: Hold | null
  readonly leaving: string | null
}

/** The reason why a pull request is not ready, the first in the order of display; null when it is ready. */
export const obstacle = (
  entry: Entry,
  base: string
): "not_seen" | "closed" | "head_changed" | "base_changed" | "draft" | "approval" | "label" | "mergeable" | null => {
  const { pull } = entry
  if (pull === null) return "not_seen"
  if (pull.state !== "open") return "closed"
  if (pull.head !== entry.head) return "head_changed"
  if (pull.base !== base) return "base_changed"
  if (pull.draft) return "draft"
  if (!pull.approved) return "approval"
  if (pull.blockedBy !== null) return "label"
  return pull.mergeable === false ? "mergeable" : null
}

/** Whether an entry may join a batch: nothing is in its way, and it is not kept back. */
export const isReady = (entry: Entry, base: string): boolean =>
  entry.hold === null && entry.leaving === null && obstacle(entry, base) === null

/** Whether an entry has been overtaken so often that nobody may overtake it again. */
const isStarving = (entry: Entry, configuration: EngineConfiguration.EngineConfiguration): boolean =>
  entry.overtaken >= configuration.maxOvertakes

/**
 * The order of the queue: starving entries first, then priority, the rule's priority, the time of queueing, the number.
 *
 * **Details**
 *
 * Among starving entries only the time of queueing and the number count: any other key would let them overtake one
 * another.
 */
export const order =
  (configuration: EngineConfiguration.EngineConfiguration) =>
  (a: Entry, b: Entry): number => {
    const isStarved = isStarving(a, configuration)
    if (isStarved !== isStarving(b, configuration)) return isStarved ? -1 : 1
    const urgency = isStarved
      ? 0
      : b.priority - a.priority || rulePriority(b, configuration) - rulePriority(a, configuration)
    return urgency || a.queuedAt - b.queuedAt || a.number - b.number
  }

const rulePriority = (entry: Entry, { rules }: EngineConfiguration.EngineConfiguration): number =>
  rules.find(({ name }) => name === entry.rule)?.config.priority ?? 0

/** The entry after a snapshot of its pull request; one that is not newer changes nothing. */
export const see = (entry: Entry, pull: Pull, at: { readonly clock: number; readonly base: string }): Entry => {
  if (entry.pull !== null && pull.version <= entry.pull.version) return entry
  const seen = { ...entry, pull }
  return { ...seen, readyAt: entry.readyAt ?? (obstacle(seen, at.base) === null ? at.clock : null) }
}
