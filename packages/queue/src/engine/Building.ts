/** Building: batches are planned, and built on what is ahead of them, while there are places for checks. */
import * as Batch from "./Batch.ts"
import * as BatchPlan from "./BatchPlan.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import type * as QueueRule from "../QueueRule.ts"
import type { Tip } from "./Observation.ts"
import * as Work from "./Work.ts"

/**
 * Starts as many rounds as there are places for, in the order of the queue.
 *
 * **Details**
 *
 * A part that is known to fail with the parts before it waits for them, and so does everything behind a batch that is being
 * split. During an incident one round at a time begins, after a wait, to see whether it is over.
 */
export const pass: Work.Pass = (work) => {
  const { base } = work.state
  if (base === null) return
  if (!mayBegin(work)) return
  for (const { id } of work.state.batches) build(work, id, base)
  while (places(work) > 0 && form(work)) {
    const formed = work.state.batches.at(-1)
    if (formed !== undefined) build(work, formed.id, base)
  }
}

const places = ({ configuration, state }: Work.Work): number =>
  (state.incident === null ? configuration.maxParallelChecks : 1) - state.batches.filter(Batch.isRunning).length

/** During an incident the head is tried again after each wait. */
const mayBegin = (work: Work.Work): boolean => {
  const { configuration, now, state } = work
  const { incident } = state
  if (incident === null) return true
  const ends = incident.at + configuration.incident.longest
  if (now >= ends) {
    Work.emit(work, { kind: "incident_ended", cause: "expired" })
    return true
  }
  Work.wake(work, ends)
  const next = incident.probedAt + configuration.incident.within
  if (places(work) <= 0) return false
  if (now < next) {
    Work.wake(work, next)
    return false
  }
  const [head] = state.batches
  if (head?.phase === "red") Work.emit(work, { kind: "round_voided", batch: head.id, reason: "incident" })
  Work.emit(work, { kind: "incident_probed", batch: head?.id ?? "" })
  return true
}

const form = (work: Work.Work): boolean => {
  const { configuration, now, state } = work
  if (Batch.unresolved(state.batches).length > 0) return false
  const plan = BatchPlan.next(state, configuration, EngineState.clock(state, now))
  if (plan.kind === "wait") Work.wakeAtClock(work, plan.until)
  if (plan.kind !== "form") return false
  const { members, overtaken, rule } = plan
  Work.emit(work, { kind: "batch_formed", members, overtaken, rule })
  return true
}

const build = (work: Work.Work, id: string, base: Tip): void => {
  const { batches } = work.state
  const index = batches.findIndex((batch) => batch.id === id)
  const batch = batches[index]
  if (batch === undefined || batch.phase !== "planned" || places(work) <= 0) return
  if (batch.suspect !== null && batch.suspect.left !== null) return
  if (Batch.isBehindUnresolved(batches, batch)) return
  if (work.now < batch.notBefore) return Work.wake(work, batch.notBefore)
  const foundation = Batch.beneath(batches, index, base)
  if (foundation === null || foundation.base.tree !== base.tree) return
  const rule = EngineConfiguration.ruleOf(work.configuration, batch.rule)
  Work.issue(work, {
    kind: "build",
    id: `build/${batch.id}/${batch.generation + 1}`,
    batch: batch.id,
    onto: foundation.onto,
    members: batch.members,
    method: rule.mergeMethod,
    template: rule.commitMessageTemplate,
    inPlace: isInPlace(batch, foundation, rule)
  })
}

/**
 * Whether a head may be tested itself: it is alone, nothing is ahead of it, and landing makes the history that the rule asks for. A
 * fast-forward landing of the head would leave out the merge commit, or the squashed one.
 */
const isInPlace = ({ members }: Batch.Batch, { under }: Batch.Foundation, rule: QueueRule.QueueConfig): boolean =>
  rule.allowInplaceChecks &&
  members.length === 1 &&
  under.length === 0 &&
  (rule.queueBranchMergeMethod === null || rule.mergeMethod === "fast-forward")
