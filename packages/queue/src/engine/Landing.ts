/** Landing: the head of the queue becomes the base branch, as it was tested. */
import type * as Batch from "./Batch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import type { Round } from "./Round.ts"
import type { Tip } from "./Observation.ts"
import * as Work from "./Work.ts"

/**
 * Lands the head if its round passed.
 *
 * **Details**
 *
 * The pull requests are read again first, by a read that begins after the round ended. With the fast-forward landing the
 * tested commits become the base branch by compare-and-set; where the base branch has another commit with the same
 * tree, they are made again first. Otherwise the pull requests are merged one by one, each compared with its step.
 */
export const pass: Work.Pass = (work) => {
  const { base, batches } = work.state
  const [head] = batches
  if (head === undefined || base === null || head.phase !== "green" || head.round === null) return
  if (isFrozen(work, head)) return
  if (work.now < head.notBefore) return Work.wake(work, head.notBefore)
  if (!isConfirmed(work, head, head.round)) return read(work, head, head.round)
  if (!isFastForward(head, work.configuration)) return merge(work, head, base)
  if (head.foundation?.onto !== base.sha) {
    return Work.emit(work, { kind: "round_voided", batch: head.id, reason: "base_renamed" })
  }
  land(work, head, base)
}

/** The reason of a freeze that holds a batch at an instant; null: none. */
export const freezeOf = (
  state: EngineState.EngineState,
  batch: Batch.Batch,
  { freezes }: EngineConfiguration.EngineConfiguration,
  now: number
): EngineConfiguration.Freeze | null => {
  const priorities = batch.members.map(({ number }) => EngineState.entryOf(state, number)?.priority ?? 0)
  const lowest = Math.min(...priorities)
  const holds = ({ exceptPriority, from, to }: EngineConfiguration.Freeze) =>
    from <= now && now < to && (exceptPriority === null || lowest < exceptPriority)
  return freezes.find(holds) ?? null
}

const isFrozen = (work: Work.Work, head: Batch.Batch): boolean => {
  for (const { from } of work.configuration.freezes) Work.wake(work, from)
  const freeze = freezeOf(work.state, head, work.configuration, work.now)
  if (freeze !== null) Work.wake(work, freeze.to)
  return freeze !== null
}

/** Whether the tested commits themselves become the base branch. */
export const isFastForward = (batch: Batch.Batch, configuration: EngineConfiguration.EngineConfiguration): boolean => {
  const rule = EngineConfiguration.ruleOf(configuration, batch.rule)
  return rule.queueBranchMergeMethod === "fast-forward" || rule.mergeMethod === "fast-forward"
}

const isConfirmed = ({ state }: Work.Work, batch: Batch.Batch, round: Round): boolean =>
  batch.members.every(({ number }) => EngineState.entryOf(state, number)?.confirmed === round.sha)

const read = (work: Work.Work, batch: Batch.Batch, { sha }: Round): void => {
  if (EngineState.isInflight(work.state, (command) => command.kind === "read" && command.round === sha)) return
  const numbers = batch.members.map(({ number }) => number)
  Work.issue(work, { kind: "read", id: `read/${batch.id}/${work.state.seq + 1}`, numbers, round: sha })
}

const idOf = (kind: string, { generation, id, tries }: Batch.Batch): string => `${kind}/${id}-${generation}/${tries}`

const land = (work: Work.Work, batch: Batch.Batch, base: Tip): void => {
  const last = batch.steps.at(-1)
  if (last === undefined) return
  Work.issue(work, {
    kind: "land",
    id: idOf("land", batch),
    batch: batch.id,
    members: batch.members,
    from: base.sha,
    to: last.commit,
    tree: last.tree,
    closes: EngineConfiguration.ruleOf(work.configuration, batch.rule).mergeMethod === "squash"
  })
}

const merge = (work: Work.Work, batch: Batch.Batch, base: Tip): void => {
  const [member] = batch.members
  const [step] = batch.steps
  if (member === undefined || step === undefined) return
  const rule = EngineConfiguration.ruleOf(work.configuration, batch.rule)
  Work.issue(work, {
    kind: "merge",
    id: idOf("merge", batch),
    batch: batch.id,
    member,
    from: base.sha,
    tree: step.tree,
    method: rule.mergeMethod,
    template: rule.commitMessageTemplate
  })
}
