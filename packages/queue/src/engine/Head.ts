/** The head of the queue: the one place where a failure is split, inferred or ends a stay. */
import type * as Batch from "./Batch.ts"
import * as Bisection from "./Bisection.ts"
import type * as DequeueReason from "./DequeueReason.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as Work from "./Work.ts"

/**
 * Resolves a red head: everything ahead of it is decided, so its failure is its own.
 *
 * **Details**
 *
 * A red batch that is not the head is held. Nothing is resolved while an incident lasts.
 */
export const pass: Work.Pass = (work) => {
  const [head] = work.state.batches
  if (head === undefined || work.state.base === null || work.state.incident !== null) return
  if (Bisection.isInferable(head, work.state.base.tree, work.configuration)) {
    Work.emit(work, { kind: "round_inferred", batch: head.id })
  }
  const [red] = work.state.batches
  if (red === undefined || red.phase !== "red" || red.failed === null) return
  if (red.members.length === 1) evict(work, red, codes[red.failed.outcome])
  else split(work, red)
}

const codes = { red: "checks_failed", timeout: "checks_timeout", missing: "missing_check" } as const

const split = (work: Work.Work, red: Batch.Batch): void => {
  const { batchMaxFailureResolutionAttempts: most } = EngineConfiguration.ruleOf(work.configuration, red.rule)
  if (most === null || red.splits < most) Work.emit(work, { kind: "batch_split", batch: red.id })
  else evict(work, red, most === 0 ? "batch_failed" : "not_resolved")
}

/** The members leave, and the parts that remain of the same root are joined. */
const evict = (work: Work.Work, red: Batch.Batch, code: DequeueReason.Code): void => {
  const { failed } = red
  if (failed === null) return
  const reason: DequeueReason.DequeueReason = {
    code,
    round: failed.sha,
    tree: failed.tree,
    members: failed.members,
    inferred: failed.members.length > red.members.length,
    class: failed.class,
    probability: failed.probability,
    checks: failed.checks,
    failures: failed.failures,
    attempts: failed.attempts
  }
  for (const { head, number } of red.members) Work.emit(work, { kind: "dequeued", number, head, reason })
  if (work.state.batches.some(({ root }) => root === red.root)) {
    Work.emit(work, { kind: "parts_joined", root: red.root })
  }
}
