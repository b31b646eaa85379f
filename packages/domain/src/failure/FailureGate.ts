/** The gate: which failures may pass, as settings of a repository. */
import { Schema } from "effect"
import { testRun } from "../report/TestIdentity.ts"
import * as Facts from "./FailureFacts.ts"
import type { Cause, PerCause } from "./FailurePolicy.ts"
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
 * - `flaky`, `brokenOnBase`, `outage`, `dependency` (null): failures with this verdict pass from this certainty on; null lets none
 *   pass. An outage that a release of a dependency caused is `dependency` alone: it stays until somebody mends it. Off by default: a gate that excuses by probability is a decision of the team.
 * - `quarantineLimit` (null): a quarantine holds only for failures that it was made for: those with one of its signatures,
 *   or with at least this probability to be flaky. null holds for every failure of the test. A quarantine without a
 *   limit hides a new fault of the same test.
 * - `leastPrecision` (0.9): excuses by verdict end while `flaky` is right less often than this (`FailurePrecision`); 0 never
 *   ends them. One wrong excuse in ten is what people put up with (our judgement); on the history of `FailureWeights` the
 *   verdict is more precise.
 * - `missing` (`pass`): whether a run passes in which expected tests did not run (`MissedTests`). Tests that a change deletes are
 *   missing, too, in its own runs: to block them is a decision of the team.
 */
export const FailureGate = Schema.Struct({
  quarantined: Schema.Boolean,
  flaky: threshold,
  brokenOnBase: threshold,
  outage: threshold,
  dependency: threshold,
  quarantineLimit: threshold,
  leastPrecision: fraction,
  missing: Schema.Literals(["pass", "block"])
})

/** The settings of the gate. */
export type FailureGate = typeof FailureGate.Type

/** The gate as it was before there were verdicts: quarantined failures pass, and no others. */
export const defaults: FailureGate = {
  quarantined: true,
  flaky: null,
  brokenOnBase: null,
  outage: null,
  dependency: null,
  quarantineLimit: null,
  leastPrecision: 0.9,
  missing: "pass"
}

/** The gate that is recommended once verdicts have been right for some weeks: nearly all that pass are proven by a rerun. */
export const recommended: FailureGate = { ...defaults, flaky: 0.95, brokenOnBase: 0.95, quarantineLimit: 0.8 }

/** A gate as it holds: `suspended` says why its excuses by verdict do not hold at the moment, in a clause. */
export interface GateInForce extends FailureGate {
  readonly suspended?: string
}

/** Whether a gate lets a failure pass for its verdict. */
export const excuses = ({ brokenOnBase, dependency, flaky, outage }: FailureGate): boolean =>
  flaky !== null || brokenOnBase !== null || outage !== null || dependency !== null

/** Whether a failure blocks, and why in a clause. */
export interface GateDecision {
  readonly isBlocking: boolean
  readonly reason: string
}

/** The fields of a verdict that the gate reads. */
export interface Judged {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly causes: PerCause
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
 * - `outage`: the probability that the cause is the environment, or the dependency where it is one.
 */
export const certainty = (facts: Facts.FailureFacts, { cause, causes, probabilityFlaky, verdict }: Judged): number => {
  if (verdict === "flaky") return probabilityFlaky
  if (verdict === "outage") return causes[cause === "dependency" ? "dependency" : "environment"]
  if (verdict !== "broken_on_base") return 0
  const { signature } = facts.failure
  return signature !== null && Facts.baseRow(facts)?.signature === signature ? 1 : 0.5
}

/**
 * Whether the gate stops for a failure.
 *
 * **Details**
 *
 * A failure of the run itself (`TestIdentity.testRun`) always blocks. Otherwise a quarantine that holds comes first, then the
 * excuse by verdict.
 */
export const decide = (facts: Facts.FailureFacts, judged: Judged, gate: GateInForce): GateDecision => {
  const { quarantine } = facts
  if (facts.failure.testName === testRun) return blocks("the run failed outside of its tests, and some may be missing")
  if (quarantine !== null && gate.quarantined && isMadeFor(facts, judged, gate))
    return passes("the test is quarantined")
  const least = excuseOf(gate, judged)
  const sure = certainty(facts, judged)
  const failures = judged.cause === "dependency" ? "failures of a dependency" : nouns[judged.verdict]
  const isExcused = least !== null && sure >= least
  if (isExcused && gate.suspended === undefined)
    return passes(`the gate lets ${failures} pass from ${percent(least)} on`)
  if (isExcused) return blocks(`the gate lets no ${failures} pass at the moment: ${gate.suspended}`)
  if (quarantine !== null && gate.quarantined) return blocks("the test is quarantined, but not for this failure")
  return blocks(
    least === null
      ? `the gate does not let ${failures} pass`
      : `the gate lets ${failures} pass from ${percent(least)} on, and this is ${percent(sure)}`
  )
}

const passes = (reason: string): GateDecision => ({ isBlocking: false, reason })

const blocks = (reason: string): GateDecision => ({ isBlocking: true, reason })

const nouns: { readonly [V in Verdict]: string } = {
  flaky: "flaky failures",
  broken_on_base: "failures of the base branch",
  outage: "failures of an outage",
  new_failure: "new failures",
  new_test: "failures of new tests",
  undecided: "undecided failures"
}

const excuseOf = (gate: FailureGate, { cause, verdict }: Judged): number | null => {
  if (verdict === "outage") return cause === "dependency" ? gate.dependency : gate.outage
  return verdict === "broken_on_base" ? gate.brokenOnBase : verdict === "flaky" ? gate.flaky : null
}

const isMadeFor = (facts: Facts.FailureFacts, judged: Judged, gate: FailureGate): boolean =>
  gate.quarantineLimit === null ||
  judged.probabilityFlaky >= gate.quarantineLimit ||
  (facts.failure.signature !== null && (facts.quarantine?.signatures ?? []).includes(facts.failure.signature))

const percent = (share: number): string => `${Math.round(share * 100)} %`
