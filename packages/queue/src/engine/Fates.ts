/** Fates of pull requests in the platform's own queue: each eviction and each repair is decided once, with its evidence. */
import type { Failed } from "./Batch.ts"
import type * as DequeueReason from "./DequeueReason.ts"
import * as EngineState from "./EngineState.ts"
import * as Fate from "./Fate.ts"
import type * as FailureClass from "./FailureClass.ts"
import { Instant } from "@lazaret/domain"
import type { Member } from "./Observation.ts"
import * as RoundVerdict from "./RoundVerdict.ts"
import * as Work from "./Work.ts"

/** The platform says within this time why it took a pull request out. */
export const reasonLag = 10 * Instant.minute

/** A gate in the shadow waits so long for the reports of a group that the platform has evicted already. */
export const evidenceLag = 5 * Instant.minute

/** Fates of stays that ended before this time are not decided: the log is older than fates. */
const oldest = Instant.hour

type Group = EngineState.NativeGroup
type Evidence = Pick<Fate.Fate, "attempts" | "checks" | "class" | "failures">

/** Decides the fates that are due. In the shadow nothing is healed. */
export const pass: Work.Pass = (work) => {
  for (const evicted of work.state.evicted) ofEvicted(work, evicted)
  if (work.configuration.shadow) return
  for (const group of work.state.groups) ofPassed(work, group)
  for (const returned of work.state.lastReenqueue) ofReturned(work, returned)
}

/** The fate, once; with a comment where the gate acts and comments are on. */
const decide = (work: Work.Work, fate: Fate.Fate): void => {
  Work.emit(work, { kind: "fate", ...fate })
  if (work.configuration.shadow || work.configuration.comments === "off" || !Fate.isNews(fate)) return
  const { number } = fate
  Work.issue(work, { kind: "tell", id: `tell/${number}/${work.state.seq}`, number, text: Fate.lines(fate).join("\n") })
}

const isDecided = (work: Work.Work, key: string): boolean => work.state.fates.includes(key)

const groupOf = ({ groups }: EngineState.EngineState, { number }: Pick<Member, "number">): Group | undefined =>
  groups.findLast(({ members }) => members.some((member) => member.number === number))

/** Whether the evidence of a group that the platform evicted may still come. */
export const isAwaited = (
  { fates, groups }: EngineState.EngineState,
  { at, cause, number }: EngineState.Evicted,
  now: number
): boolean =>
  cause === "checks_failed" &&
  now - at < evidenceLag &&
  !fates.includes(keyOf({ number, at })) &&
  groups.findLast(({ members }) => members.some((member) => member.number === number))?.reason === null

const keyOf = ({ at, number }: Pick<EngineState.Evicted, "at" | "number">): string => `evicted/${number}/${at}`

const ofEvicted = (work: Work.Work, evicted: EngineState.Evicted): void => {
  const { at, cause, head, number } = evicted
  const key = keyOf(evicted)
  if (isDecided(work, key) || work.now - at > oldest) return
  const group = groupOf(work.state, evicted)
  // The pull request was removed in order to be queued again.
  if (group !== undefined && work.state.healed.some((each) => each.group === group.id) && cause !== "checks_failed") {
    if (!work.configuration.shadow) return
  }
  if (cause === "unknown" && work.now - at < reasonLag) return Work.wake(work, at + reasonLag)
  const evidence = evidenceOf(work, group)
  if (work.configuration.shadow && evidence.class === null && isAwaited(work.state, evicted, work.now)) {
    return Work.wake(work, at + evidenceLag)
  }
  const { by, reason } = reasonOf(work.state, evicted, group)
  const isSaved = work.configuration.shadow && wouldKeep(work.state, { evidence, group, reason })
  const wasted = group === undefined || !Fate.isNews({ reason }) ? 0 : testedBefore(work.state, group, at)
  const subject = { number, head, group: group?.id ?? null, url: urlOf(group, evidence.checks) }
  const own = !Fate.isNews({ reason }) || reason === "conflict" ? nothing(group) : evidence
  decide(work, { key, outcome: "evicted", reason, ...subject, ...own, by, isSaved, wasted })
}

const nothing = (group: Group | undefined): Evidence => ({
  class: null,
  checks: [],
  failures: [],
  attempts: group?.round.attempt ?? 1
})

/** The evidence of the failure of a group: the decision of the gate, else its checks and reports as they are now. */
const evidenceOf = (work: Work.Work, group: Group | undefined): Evidence => {
  if (group === undefined) return nothing(group)
  const { failed, reason, round } = group
  const known: Failed | DequeueReason.DequeueReason | null = reason ?? failed
  if (known !== null) return { ...evidence(known.checks, known.failures, known.class ?? null), attempts: round.attempt }
  const clock = EngineState.clock(work.state, work.now)
  const verdict = RoundVerdict.of(round, { configuration: work.configuration, timeout: null, clock })
  if (verdict.kind === "red") {
    return { ...evidence(verdict.checks, verdict.failures, verdict.class), attempts: round.attempt }
  }
  const last = round.reds.at(-1)
  return last === undefined
    ? nothing(group)
    : { ...evidence(last.checks, last.failures, last.class), attempts: round.attempt }
}

const evidence = (
  checks: ReadonlyArray<string> = [],
  failures: Evidence["failures"] = [],
  of: FailureClass.FailureClass | null = null
): Omit<Evidence, "attempts"> => ({ checks, failures: failures.slice(0, Fate.mostFailures), class: of })

const reasons = {
  checks_failed: "checks_failed",
  checks_timeout: "checks_timeout",
  conflict: "conflict",
  closed: "closed",
  by_hand: "by_hand",
  other: "other",
  unknown: "other"
} as const

/** The reason of the platform, unless the engine took it out itself: the platform then calls it a removal by hand. */
const reasonOf = (
  { removals }: EngineState.EngineState,
  { by, cause, number }: EngineState.Evicted,
  group: Group | undefined
): Pick<Fate.Fate, "by" | "reason"> => {
  const own = removals.find((each) => each.number === number)?.reason
  const isOwn = cause === "by_hand" || cause === "other" || cause === "unknown"
  if (isOwn && own?.code === "conflict") return { reason: "conflict", by: null }
  if (isOwn && own?.code === "dequeued_by") return { reason: "by_hand", by: own.who ?? null }
  const isMissing = cause === "checks_failed" && group?.reason?.code === "missing_check"
  return { reason: isMissing ? "missing_check" : reasons[cause], by: cause === "by_hand" ? (by ?? null) : null }
}

interface Kept {
  readonly evidence: Evidence
  readonly group: Group | undefined
  readonly reason: Fate.Reason
}

/** Whether a gate in the shadow would have kept what the platform evicted: it had decided to run it again or to queue it again. */
const wouldKeep = ({ healed }: EngineState.EngineState, { evidence: { class: of }, group, reason }: Kept): boolean => {
  if (group === undefined || group.concluded === "failure") return false
  if (reason === "checks_timeout") return healed.some((each) => each.group === group.id)
  return reason === "checks_failed" && (group.round.reds.length > 0 || of === "flaky" || of === "infrastructure")
}

/** For how long a group and those behind it had been tested at an instant. */
const testedBefore = ({ groups }: EngineState.EngineState, group: Group, at: number): number =>
  groups
    .slice(groups.indexOf(group))
    .filter(({ seenAt }) => seenAt < at)
    .reduce((sum, { seenAt }) => sum + (at - seenAt), 0)

const urlOf = (group: Group | undefined, checks: ReadonlyArray<string>): string | null =>
  group?.round.checks.find(({ name, url }) => checks.includes(name) && url !== undefined && url !== null)?.url ?? null

/** A group that passed after a failure: without the gate its pull requests would have left. */
const ofPassed = (work: Work.Work, group: Group): void => {
  const { round } = group
  if (group.concluded !== "success" || round.reds.length === 0 || work.now - group.concludedAt > oldest) return
  const checks = [...new Set(round.reds.flatMap((red) => red.checks))]
  const failures = round.reds.flatMap((red) => red.failures)
  const last = round.reds.at(-1)?.class ?? null
  for (const { head, number } of group.members) {
    const key = `passed/${group.id}/${number}`
    if (isDecided(work, key)) continue
    decide(work, {
      key,
      outcome: "healed",
      reason: "rerun_passed",
      number,
      head,
      group: group.id,
      ...evidence(checks, failures, last),
      attempts: round.attempt,
      url: urlOf(group, checks),
      by: null,
      isSaved: true,
      wasted: testedBefore(work.state, group, group.rerunAt)
    })
  }
}

/** A pull request that was queued again without a request, and is in the queue. */
const ofReturned = (work: Work.Work, { cause, head, number, pausedAt }: EngineState.Parked): void => {
  const key = `returned/${number}/${pausedAt}`
  const isQueued = work.state.queue.some((member) => member.number === number)
  if (cause === "asked" || !isQueued || isDecided(work, key) || work.now - pausedAt > Instant.day) return
  const lost =
    cause === "lost" ? work.state.healed.find((each) => each.number === number && each.head === head) : undefined
  decide(work, {
    key,
    outcome: "healed",
    reason: cause === "lost" ? "no_run" : "hold_over",
    number,
    head,
    group: lost?.group ?? null,
    ...evidence(lost?.checks ?? []),
    attempts: 1,
    url: null,
    by: null,
    isSaved: true,
    wasted: 0
  })
}
