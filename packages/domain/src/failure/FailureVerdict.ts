/**
 * The verdict on a failure: is it the change's, the test's, the base branch's, or the environment's?
 *
 * Health says whether a test can be trusted; this says whose one failure is (see `docs/explanation/failure-verdict.md`).
 */
import { Schema } from "effect"
import * as Evidence from "./FailureEvidence.ts"
import * as Facts from "./FailureFacts.ts"
import * as Features from "./FailureFeatures.ts"
import { calibrate, type FailurePolicy } from "./FailurePolicy.ts"
import * as Gate from "./FailureGate.ts"
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import * as TestId from "../report/TestId.ts"

/**
 * Schema of the verdicts.
 *
 * **Details**
 *
 * - `flaky`: a rerun of the same code would probably pass.
 * - `broken_on_base`: the base branch already fails, and this change is not the cause.
 * - `outage`: the environment failed.
 * - `new_failure`: probably caused by this change.
 * - `new_test`: no execution on the base branch, and it fails.
 * - `undecided`: the evidence does not decide.
 */
export const Verdict = Schema.Literals(["flaky", "broken_on_base", "outage", "new_failure", "new_test", "undecided"])

/** A verdict on a failure. */
export type Verdict = typeof Verdict.Type

/** The verdicts in the order of lists: first those that a developer has to act on. */
export const listed: ReadonlyArray<Verdict> = [
  "new_failure",
  "new_test",
  "undecided",
  "broken_on_base",
  "outage",
  "flaky"
]

/**
 * The answer to "is this failure mine?".
 *
 * **Details**
 *
 * - `executionId`: null for a failure that no report has brought.
 * - `probabilityFlaky`: calibrated probability that the same code passes when it is run again; the verdict may have
 *   another reason.
 * - `score`: the sum of the weights of `evidence` and the prior, in bits.
 * - `reason`: what decided the verdict, in a clause.
 * - `isKnownFlake`: whether the test has contradicted itself (it failed and passed on one commit, this one or another within the
 *   memory) or is quarantined. It may be false where the verdict is `flaky`.
 * - `isBlocking`, `gateReason`: whether the gate stops for it, and why.
 * - `line`: the whole answer in one line for a person.
 */
export interface FailureVerdict {
  readonly executionId: string | null
  readonly testId: TestId.TestId
  readonly testName: string
  readonly pipelineName: string
  readonly jobName: string
  readonly verdict: Verdict
  readonly probabilityFlaky: number
  readonly score: number
  readonly reason: string
  readonly evidence: ReadonlyArray<Evidence.Evidence>
  readonly quarantined: boolean
  readonly isKnownFlake: boolean
  readonly isBlocking: boolean
  readonly gateReason: string
  readonly message: string | null
  readonly exceptionType: string | null
  readonly file: string | null
  readonly jobUrl: string | null
  readonly line: string
}

/**
 * Judges one failure.
 *
 * **Details**
 *
 * Precedence: a pass on the same code makes it `flaky`; then the last outcome on the base makes it `broken_on_base`; then a
 * missing base makes it `new_test`; then an `outage`; then the score decides between `flaky`, `new_failure` and
 * `undecided`. The order of the facts does not matter.
 *
 * @example
 * ```ts
 * import { FailureFacts, FailureGate, FailurePolicy, FailureVerdict } from "@lazaret/domain"
 *
 * const failure = {
 *   id: "e1", testName: "Cart > sorts", pipelineName: "CI", jobName: "unit", at: 0, commit: "c2", branch: "main",
 *   base: "main", isPullRequest: false, runId: "7", attempts: 1, exceptionType: null, message: null, file: null,
 *   jobUrl: null, signature: null
 * }
 * const facts = FailureFacts.of(failure, { reruns: [{ id: "e2", runId: "8", at: 1, conclusion: "passed" }] })
 * const answer = FailureVerdict.judge(facts, FailurePolicy.defaults, FailureGate.defaults)
 * answer.verdict // => "flaky"
 * answer.line // => "Cart > sorts: flaky (99 %): passed on this commit in job unit"
 * ```
 */
export const judge = (facts: Facts.FailureFacts, policy: FailurePolicy, gate: Gate.GateInForce): FailureVerdict => {
  const { failure } = facts
  const evidence = Evidence.of(facts, policy)
  const score = evidence.reduce((sum, { weight }) => sum + weight, policy.prior)
  const probability = calibrate(score, policy.calibration)
  const { reason, verdict } = decide(facts, policy, { evidence, probability })
  const decision = Gate.decide(facts, { verdict, probabilityFlaky: probability }, gate)
  return {
    executionId: failure.id === "" ? null : failure.id,
    testId: TestId.of(failure.testName),
    testName: failure.testName,
    pipelineName: failure.pipelineName,
    jobName: failure.jobName,
    verdict,
    probabilityFlaky: probability,
    score,
    reason,
    evidence,
    quarantined: facts.quarantine !== null,
    isKnownFlake: isKnownFlake(facts, policy),
    isBlocking: decision.isBlocking,
    gateReason: decision.reason,
    message: failure.message,
    exceptionType: failure.exceptionType,
    file: failure.file,
    jobUrl: failure.jobUrl,
    line: `${failure.testName}: ${title(verdict, probability)}: ${reason}`
  }
}

const isKnownFlake = (facts: Facts.FailureFacts, policy: FailurePolicy): boolean =>
  facts.quarantine !== null ||
  Facts.provingReruns(facts).length > 0 ||
  Features.recentFlakes(facts, policy.memoryDays).length > 0

/** How a verdict is called in a sentence. */
export const title = (verdict: Verdict, probability: number): string =>
  verdict === "flaky" ? `flaky (${Math.round(probability * 100)} %)` : titles[verdict]

const titles: { readonly [V in Exclude<Verdict, "flaky">]: string } = {
  broken_on_base: "broken on the base branch",
  outage: "outage of the environment",
  new_failure: "new failure (probably this change)",
  new_test: "new test that fails",
  undecided: "undecided"
}

interface Scored {
  readonly evidence: ReadonlyArray<Evidence.Evidence>
  readonly probability: number
}

interface Decision {
  readonly verdict: Verdict
  readonly reason: string
}

const decide = (facts: Facts.FailureFacts, policy: FailurePolicy, scored: Scored): Decision => {
  const row = Facts.baseRow(facts)
  if (Facts.provingReruns(facts).length > 0) return { verdict: "flaky", reason: flakyReason(facts, policy, scored) }
  if (row?.conclusion === "failed") return { verdict: "broken_on_base", reason: brokenReason(facts, row) }
  if (row === null) return { verdict: "new_test", reason: newTestReason(facts) }
  const outage = outageReason(facts, policy)
  if (outage !== null) return { verdict: "outage", reason: outage }
  if (scored.probability >= policy.flakyFrom) {
    return { verdict: "flaky", reason: flakyReason(facts, policy, scored) }
  }
  const verdict = scored.probability <= policy.newFailureTo ? "new_failure" : "undecided"
  return { verdict, reason: reasonOf(facts, scored.evidence) }
}

/** Why the environment failed, null when it did not. */
const outageReason = (facts: Facts.FailureFacts, policy: FailurePolicy): string | null => {
  const tests = facts.job.failed + facts.job.passed + 1
  const silent = facts.job.silent + (Facts.isSilent(facts.failure) ? 1 : 0)
  if (Facts.isSilent(facts.failure) && tests >= policy.silentTests && silent >= policy.silentShare * tests) {
    return `${silent} of ${tests} tests of job ${facts.failure.jobName} failed without a message`
  }
  const [first] = facts.elsewhere
    .filter((run) => run.shared >= policy.outageTests && isAtTheSameTime(facts, run, policy))
    .sort((a, b) => b.shared - a.shared || Text.compare(a.branch, b.branch) || Text.compare(a.commit, b.commit))
  return first === undefined
    ? null
    : `${first.shared} of the failed tests failed at about the same time on ${first.branch}, which shares no change with this one`
}

const isAtTheSameTime = (
  facts: Facts.FailureFacts,
  run: Facts.JobRunElsewhere,
  policy: Pick<FailurePolicy, "elsewhereHours">
): boolean =>
  Facts.isUnrelated(facts.failure, run) &&
  run.commit !== facts.failure.commit &&
  Math.abs(run.at - facts.failure.at) <= policy.elsewhereHours * Instant.hour

const flakyReason = (facts: Facts.FailureFacts, policy: FailurePolicy, { evidence }: Scored): string => {
  const main = evidence.filter(({ weight }) => weight > 0).slice(0, 1)
  const isNamed = main.some(({ kind }) => kind === "flakes_before") || facts.test.flakes.length === 0
  const reasons = main.length === 0 ? [reasonOf(facts, [])] : main.map(({ sentence }) => sentence)
  return [...reasons, ...(isNamed ? [] : [Evidence.flakeSentence(facts, policy)])].join("; ")
}

const brokenReason = (facts: Facts.FailureFacts, row: Facts.BranchRow): string => {
  const sentence = Evidence.baseSentence(facts) ?? ""
  const isOther =
    row.signature !== null && facts.failure.signature !== null && row.signature !== facts.failure.signature
  return isOther ? `${sentence}, there with another message` : sentence
}

const newTestReason = (facts: Facts.FailureFacts): string => {
  const { failed, passed } = Features.siblingCounts(facts)
  const missing = `never ran in job ${facts.failure.jobName} of ${facts.failure.base}`
  return failed + passed === 0 ? missing : `${missing}; ${siblings(facts)}`
}

/** How the test does on the base and in the other jobs, what a person asks first, and what else weighs a bit or more. */
const reasonOf = (facts: Facts.FailureFacts, evidence: ReadonlyArray<Evidence.Evidence>): string => {
  const heavy = evidence.find(({ kind, weight }) => clauses.has(kind) && Math.abs(weight) >= 1)
  const sentences = [Evidence.baseSentence(facts), siblings(facts), heavy?.sentence ?? null].filter(
    (sentence) => sentence !== null
  )
  return sentences.length === 0 ? "there is no data about it" : sentences.join("; ")
}

/** The kinds that say something a base and its jobs do not say. */
const clauses: ReadonlySet<string> = new Set(["attempts", "real_before", "flakes_before", "job_failures", "elsewhere"])

const siblings = (facts: Facts.FailureFacts): string | null =>
  facts.siblings.length === 0 ? null : Evidence.jobsSentence(Features.siblingCounts(facts))
