/** The gate: which failures may pass, as settings of a repository. */
import { Schema } from "effect"
import * as Facts from "./FailureFacts.ts"
import type { Verdict } from "./FailureVerdict.ts"

const fraction = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** From which certainty a verdict passes; null means never. */
const threshold = Schema.NullOr(fraction)

/**
 * Schema of the settings of the gate. In brackets the defaults and the reason for each.
 *
 * **Details**
 *
 * - `quarantined` (true): failures of quarantined tests pass, as before there were verdicts.
 * - `flaky`, `brokenOnBase`, `outage` (null): failures with this verdict pass from this certainty on; null lets none
 *   pass. Off by default: a gate that excuses by probability is a decision of the team.
 * - `quarantineLimit` (null): a quarantine holds only for failures that it was made for: those with one of its signatures,
 *   or with at least this probability to be flaky. null holds for every failure of the test. A quarantine without a
 *   limit hides a new fault of the same test.
 */
export const FailureGate = Schema.Struct({
  quarantined: Schema.Boolean,
  flaky: threshold,
  brokenOnBase: threshold,
  outage: threshold,
  quarantineLimit: threshold
})

/** The settings of the gate. */
export type FailureGate = typeof FailureGate.Type

/** The gate as it was before there were verdicts: quarantined failures pass, and no others. */
export const defaults: FailureGate = {
  quarantined: true,
  flaky: null,
  brokenOnBase: null,
  outage: null,
  quarantineLimit: null
}

/** The same gate without its excuses by verdict: what holds while their precision is too low (`FailurePrecision`). */
export const withoutExcuses = (gate: FailureGate): FailureGate => ({
  ...gate,
  flaky: null,
  brokenOnBase: null,
  outage: null
})

/** Whether a failure blocks, and why in a clause. */
export interface GateDecision {
  readonly isBlocking: boolean
  readonly reason: string
}

/** What the gate reads of a verdict. */
export interface Judged {
  readonly verdict: Verdict
  readonly probabilityFlaky: number
}

/**
 * How certain a verdict is, for the thresholds of the gate.
 *
 * **Details**
 *
 * - `flaky`: the calibrated probability.
 * - `broken_on_base`: 1 when the base fails with the same signature, ½ otherwise: the change may have added a fault of its
 *   own under the same name.
 * - `outage`: 1; its facts are hard.
 */
export const certainty = (facts: Facts.FailureFacts, { probabilityFlaky, verdict }: Judged): number => {
  if (verdict === "flaky") return probabilityFlaky
  if (verdict === "outage") return 1
  if (verdict !== "broken_on_base") return 0
  const { signature } = facts.failure
  return signature !== null && Facts.baseRow(facts)?.signature === signature ? 1 : 0.5
}

/**
 * Whether the gate stops for a failure.
 *
 * **Details**
 *
 * A quarantine that holds comes first, then the excuse by verdict.
 */
export const decide = (facts: Facts.FailureFacts, judged: Judged, gate: FailureGate): GateDecision => {
  const { quarantine } = facts
  if (quarantine !== null && gate.quarantined && isMadeFor(facts, judged, gate)) {
    return { isBlocking: false, reason: "the test is quarantined" }
  }
  const least = excuseOf(gate, judged.verdict)
  const sure = certainty(facts, judged)
  if (least !== null && sure >= least) {
    return { isBlocking: false, reason: `the gate lets ${judged.verdict} pass from ${percent(least)} on` }
  }
  if (quarantine !== null && gate.quarantined) {
    return { isBlocking: true, reason: "the test is quarantined, but not for this failure" }
  }
  return {
    isBlocking: true,
    reason:
      least === null
        ? `the gate does not let ${judged.verdict} pass`
        : `the gate lets ${judged.verdict} pass from ${percent(least)} on, and this is ${percent(sure)}`
  }
}

const excuseOf = (gate: FailureGate, verdict: Verdict): number | null =>
  verdict === "broken_on_base" ? gate.brokenOnBase : verdict === "flaky" || verdict === "outage" ? gate[verdict] : null

const isMadeFor = (facts: Facts.FailureFacts, judged: Judged, gate: FailureGate): boolean =>
  gate.quarantineLimit === null ||
  judged.probabilityFlaky >= gate.quarantineLimit ||
  (facts.failure.signature !== null && (facts.quarantine?.signatures ?? []).includes(facts.failure.signature))

const percent = (share: number): string => `${Math.round(share * 100)} %`
