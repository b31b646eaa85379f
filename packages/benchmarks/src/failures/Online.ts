/**
 * Judges a replayed history in order, as a service does: the calibration of each day is learned from the outcomes that were known
 * until then.
 */
import { FailureCalibration, FailureGate, FailurePolicy, FailureVerdict, Instant } from "@lazaret/domain"
import type { ReplayedFailure } from "./Replay.ts"

/** A failure of the history with its verdict. */
export interface JudgedFailure extends ReplayedFailure {
  readonly verdict: FailureVerdict.FailureVerdict
  readonly probability: number
}

/** The verdict on every failure, in order; `isCalibrated` says whether the calibration learns on the way. */
export const judge = (
  failures: ReadonlyArray<ReplayedFailure>,
  policy: FailurePolicy.FailurePolicy = FailurePolicy.defaults,
  isCalibrated = true
): ReadonlyArray<JudgedFailure> => {
  const found: Array<JudgedFailure> = []
  const first: Array<{ readonly failure: ReplayedFailure; readonly odds: number }> = []
  let offsets = FailureCalibration.none
  let day = 0
  for (const group of Map.groupBy(failures, ({ at }) => at).values()) {
    const now = Date.parse(group[0]?.at ?? "")
    if (isCalibrated && Instant.utcDay(now) !== day) {
      day = Instant.utcDay(now)
      const known = first.flatMap((one) => resolved(one, now)).slice(-FailureCalibration.bounds.outcomes)
      offsets = FailureCalibration.offsets(known, now, FailureCalibration.defaults)
    }
    const facts = group.map((failure) => failure.facts)
    const verdicts = FailureVerdict.judgeAll(facts, policy, FailureGate.defaults, offsets)
    for (const [index, failure] of group.entries()) {
      const verdict = verdicts[index]
      if (verdict === undefined) continue
      found.push({ ...failure, verdict, probability: verdict.probabilityFlaky })
      if (failure.isFirstSight) first.push({ failure, odds: verdict.odds })
    }
  }
  return found
}

/** The outcome of a failure that was known at an instant: the same code passed later, or failed again. */
const resolved = (
  { failure, odds }: { readonly failure: ReplayedFailure; readonly odds: number },
  now: Instant.Instant
): ReadonlyArray<FailureCalibration.Resolved> => {
  const later = failure.later.filter(({ at }) => at < now)
  if (later.length === 0) return []
  const { facts } = failure
  return [
    {
      at: facts.failure.at,
      commit: failure.commit,
      pipelineName: facts.failure.pipelineName,
      jobName: failure.job,
      base: FailureCalibration.baseState(facts),
      odds,
      isFlaky: later.some(({ outcome }) => outcome === "p")
    }
  ]
}
