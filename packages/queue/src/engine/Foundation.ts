/** Foundations: rounds count only as long as what they were built on is what they would land on. */
import * as Batch from "./Batch.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import type { Tip } from "./Observation.ts"
import * as QueueBranch from "./QueueBranch.ts"
import * as Work from "./Work.ts"

/**
 * Voids the rounds that stand on something that is gone, and frees what waited for something that is decided.
 *
 * **Details**
 *
 * A base branch with another commit and the same tree voids nothing. A batch that is being landed is decided by the
 * answer of the landing.
 */
export const pass: Work.Pass = (work) => {
  const { base } = work.state
  if (base === null) return
  for (const { id } of work.state.batches) {
    const index = work.state.batches.findIndex((batch) => batch.id === id)
    const reason = voidReason(work.state.batches, index, base)
    if (reason !== null) Work.emit(work, { kind: "round_voided", batch: id, reason })
  }
  free(work, base)
  protect(work)
}

const voidReason = (
  batches: ReadonlyArray<Batch.Batch>,
  index: number,
  base: Tip
): EngineEvent.Of<"round_voided">["reason"] | null => {
  const batch = batches[index]
  if (batch === undefined || batch.foundation === null || batch.phase === "landing") return null
  if (batch.foundation.base.tree !== base.tree) return "base_moved"
  return Batch.isSame(batch.foundation.under, Batch.ahead(batches, index)) ? null : "ahead_changed"
}

const free = (work: Work.Work, base: Tip): void => {
  const numbers = new Set(work.state.entries.map(({ number }) => number))
  for (const { hold, number } of work.state.entries) {
    if (hold?.kind !== "conflict") continue
    const isChanged = hold.baseTree !== base.tree || hold.ahead.some((ahead) => !numbers.has(ahead))
    if (isChanged) Work.emit(work, { kind: "conflict_freed", number })
  }
}

/** A queue branch that somebody else changed is built again once; then its members leave. */
const protect = (work: Work.Work): void => {
  for (const batch of work.state.batches) {
    const branch = work.state.branches.find(({ name }) => name === QueueBranch.nameOf(batch, work.configuration))
    const expected = batch.steps.at(-1)?.commit
    const isEdited = batch.phase === "testing" || batch.phase === "green"
    if (!isEdited || branch === undefined || branch.sha === null || branch.sha === expected) continue
    if (batch.edits === 0) Work.emit(work, { kind: "round_voided", batch: batch.id, reason: "edited" })
    else if (work.state.pause === null) {
      for (const { head, number } of batch.members) {
        Work.emit(work, { kind: "dequeued", number, head, reason: { code: "queue_branch_edited" } })
      }
    }
  }
}
