/**
 * The gate: the hosting platform's own queue forms and merges groups, and one check decides about each.
 *
 * **Details**
 *
 * Only `lazaret/queue` is required there, so a red check of the pipeline evicts nobody by itself. A group passes when
 * every required check of the configuration is green on its commit and nothing is paused.
 */
import type { Failed } from "./Batch.ts"
import type * as DequeueReason from "./DequeueReason.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import type { NativeGroup } from "./EngineState.ts"
import * as EngineState from "./EngineState.ts"
import * as Healing from "./Healing.ts"
import * as Incident from "./Incident.ts"
import { Instant } from "@lazaret/domain"
import * as RerunBudget from "./RerunBudget.ts"
import * as Round from "./Round.ts"
import * as RoundVerdict from "./RoundVerdict.ts"
import * as SameTree from "./SameTree.ts"
import * as Work from "./Work.ts"

/** How long the platform may take to remove a group whose check failed, before the engine takes its members out. */
const removalWait = 5 * Instant.minute

/** Decides the checks of heads and groups, and puts back what the platform gave up on during a pause. */
export const pass: Work.Pass = (work) => {
  expire(work)
  for (const head of work.state.heads) judgeHead(work, head)
  for (const { id } of work.state.groups) {
    const group = work.state.groups.find((each) => each.id === id)
    if (group !== undefined) judgeGroup(work, group)
  }
  for (const each of work.state.leaving) leave(work, each)
  for (const each of work.state.conflicting) Healing.removeConflict(work, each)
  reenqueue(work)
}

/** Takes out what somebody asked to leave, also during a pause. */
const leave = (work: Work.Work, { at, number }: EngineState.Leaving): void =>
  Work.issue(work, { kind: "dequeue", id: `dequeue/${number}/${at}`, number })

const show = (work: Work.Work, sha: string, state: "in_progress" | "success" | "failure", title: string): void => {
  if (work.state.shown[sha] === `${state} ${title}`) return
  Work.issue(work, { kind: "set_check", id: `check/${sha}/${work.state.seq + 1}`, sha, state, title })
}

const verdictOf = ({ configuration, now, state }: Work.Work, round: NativeGroup["round"]) =>
  RoundVerdict.of(round, { configuration, timeout: null, clock: EngineState.clock(state, now) })

/** A pull request may enter the queue when the required checks of its head are green. */
const judgeHead = (work: Work.Work, { round, sha }: EngineState.Head): void => {
  const verdict = verdictOf(work, round)
  if (verdict.kind === "green") return show(work, sha, "success", "The required checks passed")
  if (verdict.kind === "red") return show(work, sha, "failure", `${verdict.checks.join(", ")} failed`)
  show(work, sha, "in_progress", "Waiting for the required checks")
}

const judgeGroup = (work: Work.Work, group: NativeGroup): void => {
  if (group.gone !== null) return cancel(work, group)
  if (group.concluded === "failure") return requestRemoval(work, group)
  const verdict = verdictOf(work, group.round)
  if (verdict.kind === "green") SameTree.remember(work, group)
  const { pause } = work.state
  if (pause !== null) {
    // The platform may keep a green group, and merge it later: until enough others are green, or those ahead are.
    if (group.concluded === "success") Work.emit(work, { kind: "group_reopened", group: group.id })
    return show(work, group.id, "in_progress", `Paused by ${pause.by}: ${pause.reason}`)
  }
  if (group.concluded === "success") return
  const tested = isOpen(verdict) ? SameTree.find(work, group) : undefined
  if (tested !== undefined) return reuse(work, group, tested)
  if (verdict.kind !== "green" && Healing.heal(work, group)) {
    return show(work, group.id, "in_progress", "The platform started no run: it is queued again")
  }
  switch (verdict.kind) {
    case "green":
      return passed(work, group)
    case "pending":
      if (verdict.until !== null) Work.wakeAtClock(work, verdict.until)
      return show(
        work,
        group.id,
        "in_progress",
        group.round.attempt > 1 ? "Running again" : "Waiting for the required checks"
      )
    case "red":
      return red(work, group, verdict)
    default:
      return absent(work, group, verdict.checks)
  }
}

/** Nothing speaks against a group yet. */
const isOpen = (verdict: RoundVerdict.RoundVerdict): boolean =>
  verdict.kind === "missing" || (verdict.kind === "pending" && !verdict.isFailing)

/** The same tree was green before: the group passes at once. That says nothing about an incident. */
const reuse = (work: Work.Work, group: NativeGroup, sha: string): void => {
  Work.emit(work, { kind: "round_reused", batch: group.id, sha })
  Work.emit(work, { kind: "group_concluded", group: group.id, conclusion: "success", reason: null })
  show(work, group.id, "success", `The same tree passed as ${sha.slice(0, 10)}`)
  SameTree.cancel(work, group)
}

/** A check that does not start holds the group first: few pull requests are the cause of that. */
const absent = (work: Work.Work, group: NativeGroup, checks: ReadonlyArray<string>): void => {
  if (group.failed === null) {
    const nobody = { class: "unknown", probability: null, failures: [] } as const
    fail(work, { kind: "round_failed", batch: group.id, outcome: "missing", checks, ...nobody })
  }
  const what = `${checks.join(", ")} never started`
  if (work.state.incident !== null) return show(work, group.id, "in_progress", `Held: ${what}`)
  if (isBehindUndecided(work.state, group)) {
    return show(work, group.id, "in_progress", `${what}; waiting for the group ahead`)
  }
  conclude(work, group, missing(group, checks))
}

const missing = ({ id, tree }: NativeGroup, checks: ReadonlyArray<string>): DequeueReason.DequeueReason => ({
  code: "missing_check",
  round: id,
  tree,
  checks
})

/** A failed round may show an incident. */
const fail = (work: Work.Work, event: EngineEvent.Of<"round_failed">): void => {
  Work.emit(work, event)
  const found = Incident.detect(work.state, work.configuration, work.now)
  if (found !== null) Work.emit(work, { kind: "incident_began", ...found })
}

/** The platform does not cancel the runs of a group that it has thrown away. */
const cancel = (work: Work.Work, { gone, id }: NativeGroup): void => {
  if (gone === "invalidated" || gone === "dequeued") Work.issue(work, { kind: "cancel", id: `cancel/${id}`, sha: id })
}

/** The platform sometimes keeps a group whose check failed. */
const requestRemoval = (work: Work.Work, group: NativeGroup): void => {
  const at = group.concludedAt + removalWait
  if (group.isRemoved) return
  if (work.now < at) return Work.wake(work, at)
  for (const { number } of group.members) {
    Work.issue(work, { kind: "dequeue", id: `dequeue/${number}/${group.id}`, number })
  }
}

const passed = (work: Work.Work, group: NativeGroup): void => {
  Work.emit(work, { kind: "group_concluded", group: group.id, conclusion: "success", reason: null })
  const runs = group.round.attempt > 1 ? ` after ${group.round.attempt} attempts` : ""
  show(work, group.id, "success", `The required checks passed${runs}`)
  if (work.state.incident === null) return
  Work.emit(work, { kind: "incident_ended", cause: "passed" })
  for (const each of work.state.groups) {
    if (each.failed !== null && each.concluded === null && each.gone === null) release(work, each, each.failed)
  }
}

/** After an incident a round runs again; one whose check never started can only be built again. */
const release = (work: Work.Work, group: NativeGroup, failed: Failed): void => {
  if (failed.outcome === "missing") {
    const { kind } = verdictOf(work, group.round)
    return kind === "missing" ? conclude(work, group, missing(group, failed.checks), true) : undefined
  }
  if (group.round.attempt <= work.configuration.rerun.perRound) rerun(work, group, true)
}

const red = (
  work: Work.Work,
  group: NativeGroup,
  verdict: Extract<RoundVerdict.RoundVerdict, { readonly kind: "red" }>
): void => {
  const { checks, class: of, failures, probability } = verdict
  if (group.failed?.outcome !== "red") {
    const event = { checks, failures, class: of, probability }
    const question = { round: group.round, members: group.members, red: event, now: work.now }
    const answer = isInTime(work, group) ? RerunBudget.decide(work.state, question, work.configuration) : "none"
    if (answer !== "none") return rerun(work, group, answer === "free", event)
    fail(work, { kind: "round_failed", batch: group.id, outcome: "red", ...event })
  }
  if (work.state.incident !== null) return show(work, group.id, "in_progress", "Held: unrelated groups fail alike")
  if (isBehindUndecided(work.state, group)) {
    return show(work, group.id, "in_progress", `${checks.join(", ")} failed; waiting for the group ahead`)
  }
  conclude(work, group, {
    code: "checks_failed",
    round: group.id,
    tree: group.tree,
    members: group.members.map(({ number }) => number),
    class: of,
    probability,
    checks,
    failures,
    attempts: group.round.attempt
  })
}

type Judged = Pick<
  Extract<RoundVerdict.RoundVerdict, { readonly kind: "red" }>,
  "checks" | "failures" | "class" | "probability"
>

const rerun = (work: Work.Work, group: NativeGroup, isFree: boolean, judged: Judged | null = group.failed): void => {
  if (judged === null) return
  const { checks, class: of, failures, probability } = judged
  const id = `rerun/${group.id}/${group.round.attempt}`
  // A rerun that somebody else asked for counts for the check, and not for the round.
  const attempt = Round.lastAttempt(group.round, checks)
  Work.emit(work, { kind: "round_rerun", batch: group.id, isFree, checks, failures, class: of, probability })
  Work.issue(work, { kind: "rerun", id, sha: group.id, attempt, checks })
  show(work, group.id, "in_progress", "Running again")
}

/** A rerun must end before the platform gives up on the check; it takes as long as the attempt before at most. */
const isInTime = ({ configuration, now }: Work.Work, group: NativeGroup): boolean => {
  const deadline = group.seenAt + configuration.responseTimeout
  const attempt = now - Math.max(group.seenAt, group.rerunAt)
  return now + attempt <= deadline
}

/** A failure counts only when the group ahead passed: one that failed or was removed makes the platform build again. */
const isBehindUndecided = ({ groups }: EngineState.EngineState, { onto }: NativeGroup): boolean => {
  const ahead = groups.find(({ id }) => id === onto)
  if (ahead === undefined || ahead.gone === "merged") return false
  return ahead.gone !== null || ahead.concluded !== "success"
}

const conclude = (work: Work.Work, group: NativeGroup, reason: DequeueReason.DequeueReason, returns = false): void => {
  const fate = returns ? { returns } : {}
  Work.emit(work, { kind: "group_concluded", group: group.id, conclusion: "failure", reason, ...fate })
  const what = (reason.checks ?? []).join(", ")
  show(work, group.id, "failure", reason.code === "missing_check" ? `${what} never started` : `${what} failed`)
}

/** An incident that no group ends is over after its longest time, or when the check that does not start is not required. */
const expire = (work: Work.Work): void => {
  const { incident } = work.state
  if (incident === null || work.state.pause !== null) return
  const absentCheck = Incident.absentCheck(incident)
  if (absentCheck !== null && !EngineConfiguration.requiredOf(work.configuration).includes(absentCheck)) {
    return Work.emit(work, { kind: "incident_ended", cause: "configuration" })
  }
  const ends = incident.at + work.configuration.incident.longest
  if (work.now < ends) return Work.wake(work, ends)
  Work.emit(work, { kind: "incident_ended", cause: "expired" })
}

/** One after the other, in the order of their places before the hold; one that the platform refuses delays no other. */
const reenqueue = (work: Work.Work): void => {
  const { incident, inflight, parked, pause, queue } = work.state
  if (pause !== null) return
  if (inflight.some(({ command, refusal }) => command.kind === "enqueue" && refusal === null)) return
  const [next] = parked
    .filter(({ number, pausedAt }) => pausedAt !== incident?.at && !queue.some((member) => member.number === number))
    .toSorted((a, b) => a.place - b.place || a.number - b.number)
  if (next === undefined) return
  const { head, number } = next
  Work.issue(work, { kind: "enqueue", id: `enqueue/${number}/${next.pausedAt}`, member: { number, head } })
}
