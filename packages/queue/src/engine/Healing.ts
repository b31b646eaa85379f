/**
 * Healing: a group for which the platform started no run is built again.
 *
 * **Details**
 *
 * GitHub loses the runs of single groups, while those built later have theirs (loopdive/js2#1357, FOGProject/fogproject#1523). A
 * new group gets them, so that its pull request is taken out of the queue and put into it again, once for each head.
 */
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import type { Member } from "./Observation.ts"
import * as Round from "./Round.ts"
import * as Work from "./Work.ts"

/** A lost group is known by a part of the time after which a check that does not start is missing: later groups have theirs. */
const part = 3

/**
 * Whether a group is being built again; begins that where its runs are lost.
 *
 * **Details**
 *
 * They are lost when no required check of the group exists and no run of it works, for a third of `missingAfter`, while a later
 * group has a required check or a run that works.
 */
export const heal = (work: Work.Work, group: EngineState.NativeGroup): boolean => {
  const { configuration, now, state } = work
  const required = EngineConfiguration.requiredOf(configuration)
  if (hasRun(group, required)) return false
  if (state.healed.some((each) => each.group === group.id)) return true
  const later = state.groups.slice(state.groups.indexOf(group) + 1)
  if (!later.some((each) => hasRun(each, required))) return false
  if (group.members.some((member) => wasHealed(state, member) || isLeaving(state, member))) return false
  const wait = configuration.failures.missingAfter / part
  if (Round.quietFor(group.round, EngineState.clock(state, now)) < wait) {
    const at = Round.quietAt(group.round, wait)
    if (at !== null) Work.wakeAtClock(work, at)
    return false
  }
  Work.emit(work, { kind: "group_healed", group: group.id, checks: required })
  for (const { number } of group.members) {
    Work.issue(work, { kind: "dequeue", id: `dequeue/${number}/${group.id}`, number })
  }
  return true
}

/**
 * Takes out a pull request that conflicts: the platform may keep such an entry, which holds up all behind it.
 *
 * **Details**
 *
 * The platform calls an entry unmergeable for other reasons, too: a conflict with one ahead, which may leave. So two reads of the pull
 * request itself must have shown the conflict, at the head of the entry. Nobody is taken out during a pause or an incident.
 */
export const removeConflict = (work: Work.Work, { at, head, number, reads }: EngineState.Conflicting): void => {
  const { incident, pause } = work.state
  if (reads < EngineState.conflictReads || pause !== null || incident !== null) return
  if (EngineState.isInflight(work.state, (command) => command.kind === "dequeue" && command.number === number)) return
  Work.emit(work, { kind: "entry_removed", member: { number, head } })
  Work.issue(work, { kind: "dequeue", id: `dequeue/${number}/conflict/${at}`, number })
}

/** Somebody asked for it to be taken out, which the platform may refuse for a while. */
const isLeaving = ({ removals }: EngineState.EngineState, { number }: Member): boolean =>
  removals.some((each) => each.number === number && each.reason.code === "dequeued_by")

const wasHealed = ({ healed }: EngineState.EngineState, { head, number }: Member): boolean =>
  healed.some((each) => each.number === number && each.head === head)

const hasRun = ({ round }: EngineState.NativeGroup, required: ReadonlyArray<string>): boolean =>
  round.checks.some(({ name }) => required.includes(name)) || Round.isWorking(round)
