/** Judging: what follows from the checks of every round, wherever its batch stands. */
import type * as Batch from "./Batch.ts"
import * as EngineConfiguration from "./EngineConfiguration.ts"
import * as EngineState from "./EngineState.ts"
import * as Incident from "./Incident.ts"
import * as RerunBudget from "./RerunBudget.ts"
import * as Round from "./Round.ts"
import * as RoundVerdict from "./RoundVerdict.ts"
import * as Work from "./Work.ts"

/**
 * Decides rounds: passed, failed, run again, or open.
 *
 * **Details**
 *
 * A round that passed is judged again until it lands: a check that turns red or a new required check reopens it.
 */
export const pass: Work.Pass = (work) => {
  for (const { id } of work.state.batches) {
    const batch = work.state.batches.find((each) => each.id === id)
    if (batch === undefined || batch.round === null) continue
    if (batch.phase === "testing" || batch.phase === "green") judge(work, batch, batch.round)
  }
}

const judge = (work: Work.Work, batch: Batch.Batch, round: Round.Round): void => {
  const { configuration, now, state } = work
  const timeout = RoundVerdict.timeoutOf(EngineConfiguration.ruleOf(configuration, batch.rule).checksTimeout)
  const verdict = RoundVerdict.of(round, { configuration, timeout, clock: EngineState.clock(state, now) })
  if (verdict.kind === "green") {
    if (batch.phase === "testing") passed(work, batch)
    return
  }
  if (batch.phase === "green") {
    Work.emit(work, reopened(work, batch.id, round))
    return
  }
  if (verdict.kind === "pending") {
    if (verdict.until !== null) Work.wakeAtClock(work, verdict.until)
  } else if (verdict.kind === "red") red(work, batch, round, verdict)
  else {
    const nobody = { class: "unknown", probability: null, failures: [] } as const
    Work.emit(work, { kind: "round_failed", batch: batch.id, outcome: verdict.kind, checks: verdict.checks, ...nobody })
  }
}

/** A round that passed other required checks than today's is made again: nobody ran the new ones on it. */
const reopened = ({ configuration, state }: Work.Work, batch: string, round: Round.Round) => {
  const passedFor = state.greens.find(({ tree }) => tree === round.tree)?.required
  return passedFor === EngineConfiguration.requiredDigest(configuration)
    ? ({ kind: "round_reopened", batch } as const)
    : ({ kind: "round_voided", batch, reason: "configuration" } as const)
}

const passed = (work: Work.Work, batch: Batch.Batch): void => {
  const required = EngineConfiguration.requiredDigest(work.configuration)
  Work.emit(work, { kind: "round_passed", batch: batch.id, required })
  if (work.state.incident === null) return
  Work.emit(work, { kind: "incident_ended", cause: "passed" })
  for (const { id, phase } of work.state.batches) {
    if (phase === "red") Work.emit(work, { kind: "round_voided", batch: id, reason: "incident" })
  }
}

const red = (
  work: Work.Work,
  batch: Batch.Batch,
  round: Round.Round,
  verdict: Extract<RoundVerdict.RoundVerdict, { readonly kind: "red" }>
): void => {
  const { checks, class: of, failures, probability } = verdict
  const judged = { checks, failures, class: of, probability }
  const question = { round, members: batch.members, red: judged, now: work.now }
  const rerun = RerunBudget.decide(work.state, question, work.configuration)
  if (rerun === "none") {
    Work.emit(work, { kind: "round_failed", batch: batch.id, outcome: "red", ...judged })
    detect(work)
    return
  }
  Work.emit(work, { kind: "round_rerun", batch: batch.id, isFree: rerun === "free", ...judged })
  const id = `rerun/${round.sha}/${round.attempt}`
  // A rerun that somebody else asked for counts for the check, and not for the round.
  const attempt = Round.lastAttempt(round, checks)
  Work.issue(work, { kind: "rerun", id, sha: round.sha, attempt, checks })
}

const detect = (work: Work.Work): void => {
  const found = Incident.detect(work.state, work.configuration, work.now)
  if (found === null) return
  Work.emit(work, { kind: "incident_began", ...found })
  if (work.configuration.incident.action === "pause") {
    Work.emit(work, { kind: "pause_set", by: "lazaret", reason: `unrelated rounds fail alike: ${found.signature}` })
  }
}
