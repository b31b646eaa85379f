/** Departures: pull requests that leave the queue because of what people or the hosting platform did to them. */
import type * as DequeueReason from "./DequeueReason.ts"
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import * as Work from "./Work.ts"

/**
 * Dequeues what cannot be merged any more.
 *
 * **Details**
 *
 * A draft, a missing approval and a blocking label only keep a pull request waiting until it was ready once; after that
 * they end its stay. What is being landed is decided by the answer of the landing. A conflict is an eviction, so a pause
 * defers it.
 */
export const pass: Work.Pass = (work) => {
  for (const entry of work.state.entries) {
    if (EngineState.batchOf(work.state, entry.number)?.phase === "landing") continue
    const { head, number } = entry
    if (entry.pull?.state === "merged") {
      Work.emit(work, { kind: "merged_elsewhere", number, head })
      continue
    }
    const reason = reasonOf(entry, work)
    if (reason !== null) Work.emit(work, { kind: "dequeued", number, head, reason })
  }
}

/** Dequeues everybody: the queue is not driven any more. */
export const everybody: Work.Pass = (work) => {
  for (const { head, number, pull } of work.state.entries) {
    if (pull?.state === "merged") Work.emit(work, { kind: "merged_elsewhere", number, head })
    else Work.emit(work, { kind: "dequeued", number, head, reason: { code: "mode_changed" } })
  }
}

const reasonOf = (entry: Entry.Entry, { configuration, state }: Work.Work): DequeueReason.DequeueReason | null => {
  if (entry.leaving !== null) return { code: "dequeued_by", who: entry.leaving }
  const wasReady = entry.readyAt !== null
  switch (Entry.obstacle(entry, configuration.branch)) {
    case "closed":
      return { code: "closed" }
    case "head_changed":
      return { code: "head_changed", who: entry.pull?.head ?? "" }
    case "base_changed":
      return { code: "base_changed", who: entry.pull?.base ?? "" }
    case "draft":
      return wasReady ? { code: "draft" } : null
    case "approval":
      return wasReady ? { code: "approval_lost" } : null
    case "label":
      return wasReady ? { code: "blocked_by_label", who: entry.pull?.blockedBy ?? "" } : null
    case "mergeable":
      return state.pause === null ? { code: "conflict" } : null
    default:
      return null
  }
}
