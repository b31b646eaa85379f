/**
 * The verdict on a failure: is it the change's, the test's, the base branch's, or the environment's?
 *
 * Health says whether a test can be trusted; this says whose one failure is (see `docs/explanation/failure-verdict.md`).
 */
import { Array as Arr } from "effect"
import * as Likelihoods from "./CauseLikelihoods.ts"
import * as Model from "./CauseModel.ts"
import * as Calibration from "./FailureCalibration.ts"
import * as Choice from "./FailureDecision.ts"
import * as Evidence from "./FailureEvidence.ts"
import * as Facts from "./FailureFacts.ts"
import * as Gate from "./FailureGate.ts"
import * as Message from "./FailureMessage.ts"
import type { Cause, FailurePolicy, PerCause } from "./FailurePolicy.ts"
import { jobKey } from "./JobRun.ts"
import * as TestId from "../report/TestId.ts"

/** Schema of the verdicts. */
export const Verdict = Choice.Verdict

/** A verdict on a failure. */
export type Verdict = Choice.Verdict

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
 * - `causes`: the probability of each cause; they sum to 1. `cause`: the one behind the verdict, null when it is undecided.
 * - `probabilityFlaky`: calibrated probability that the same code passes when it is run again; the verdict may have
 *   another reason. `odds`: its log-odds in bits before the calibration of the repository.
 * - `score`: the sum of the weights of `evidence`: how much the best other cause is more probable than the change, in bits.
 * - `title`: the verdict in words. `flaky` has the probability of its cause there, which is that of the verdict; `probabilityFlaky` may
 *   be lower, because a test that flakes often fails again.
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
  readonly cause: Cause | null
  readonly causes: PerCause
  readonly probabilityFlaky: number
  readonly odds: number
  readonly score: number
  readonly title: string
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
 * Judges one failure that is known without the others of its job run (see {@link judgeAll}).
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
export const judge = (
  facts: Facts.FailureFacts,
  policy: FailurePolicy,
  gate: Gate.GateInForce,
  offsets: Calibration.Offsets = Calibration.none
): FailureVerdict => judged(Model.explain([facts], policy)[0], { policy, gate, offsets, run: togetherOf([facts]) })

/**
 * Judges failures, those of one job run together; in their order.
 *
 * **Details**
 *
 * The verdict is that of the most probable cause, `undecided` when it has less than `decidedFrom`, or when it is a flake and nothing shows that
 * tests flake here. The order of the failures and of
 * their facts does not matter. What belongs to a run must be given together: its failures explain each other.
 */
export const judgeAll = (
  failures: ReadonlyArray<Facts.FailureFacts>,
  policy: FailurePolicy,
  gate: Gate.GateInForce,
  offsets: Calibration.Offsets = Calibration.none
): ReadonlyArray<FailureVerdict> => {
  const found = new Map<Facts.FailureFacts, FailureVerdict>()
  for (const run of Object.values(Arr.groupBy(failures, runKey))) {
    const context = { policy, gate, offsets, run: togetherOf(run) }
    for (const explained of Model.explain(run, policy)) found.set(explained[0], judged(explained, context))
  }
  return failures.flatMap((facts) => found.get(facts) ?? [])
}

/** A text that is equal for failures of one job run only. */
const runKey = ({ failure }: Facts.FailureFacts): string =>
  [jobKey(failure), failure.commit, failure.runId, failure.branch, failure.at].join("\0")

interface Context {
  readonly policy: FailurePolicy
  readonly gate: Gate.GateInForce
  readonly offsets: Calibration.Offsets
  readonly run: Together
}

/** How many failures of a job run there are, in all and by message. */
interface Together {
  readonly failures: number
  readonly bySignature: ReadonlyMap<string | null, number>
}

const togetherOf = (run: ReadonlyArray<Facts.FailureFacts>): Together => {
  const bySignature = new Map<string | null, number>()
  for (const { failure } of run) bySignature.set(failure.signature, (bySignature.get(failure.signature) ?? 0) + 1)
  return { failures: run.length, bySignature }
}

const judged = ([facts, model]: readonly [Facts.FailureFacts, Model.Explanation], context: Context): FailureVerdict => {
  const { gate, offsets, policy, run } = context
  const { failure } = facts
  const isProven = Facts.provingReruns(facts).length > 0
  const odds = logit(passesAgain(model, policy, isProven))
  const offset = isProven ? 0 : Calibration.offsetOf(facts, offsets)
  const explanation = Model.calibrated(model, offset)
  const { causes } = explanation
  const probability = isProven ? 0.99 : 1 / (1 + 2 ** -(odds + offset))
  const rival = Likelihoods.mostOf(causes, (cause) => cause !== "change")
  const explained: Evidence.Explained = { facts, explanation, policy, run: together(facts, run) }
  const evidence = Evidence.of(explained, rival)
  const decision = Choice.decide(facts, explanation, policy)
  const named = titleOf(facts, decision, isProven ? probability : causes.flake)
  const reason = reasonOf(explained, evidence, { ...decision, probability })
  const line = `${failure.testName}: ${named}: ${reason}`
  const gated = Gate.decide(facts, { ...decision, causes, probabilityFlaky: probability }, gate)
  return {
    executionId: failure.id === "" ? null : failure.id,
    testId: TestId.of(failure.testName),
    testName: failure.testName,
    pipelineName: failure.pipelineName,
    jobName: failure.jobName,
    verdict: decision.verdict,
    cause: decision.cause,
    causes,
    probabilityFlaky: probability,
    odds,
    score: evidence.reduce((sum, { weight }) => sum + weight, 0),
    title: named,
    reason,
    evidence,
    quarantined: facts.quarantine !== null,
    isKnownFlake: Choice.isKnownFlake(facts, policy),
    isBlocking: gated.isBlocking,
    gateReason: gated.reason,
    message: failure.message,
    exceptionType: failure.exceptionType,
    file: failure.file,
    jobUrl: failure.jobUrl,
    line: decision.verdict === "new_test" ? (missingTests(facts) ?? line) : line
  }
}

/**
 * The probability that the same code passes when it is run again. A proven flake fails again once in a hundred; a test that flakes often
 * fails again more often, since it does so in bursts.
 */
const passesAgain = (
  { causes, flakeRate }: Model.Explanation,
  { passes }: FailurePolicy,
  isProven: boolean
): number => {
  if (isProven) return 0.99
  const passing = { ...passes, flake: passes.flake * (1 - flakeRate) ** 1.5 }
  return Math.min(
    0.99,
    Likelihoods.causes.reduce((sum, cause) => sum + causes[cause] * passing[cause], 0)
  )
}

/** The odds of a probability of at most 0.99, in bits. */
const logit = (probability: number): number => {
  const held = Math.max(1e-6, probability)
  return Math.log2(held / (1 - held))
}

const together = ({ failure }: Facts.FailureFacts, { bySignature, failures }: Together): Evidence.Explained["run"] => ({
  failures,
  sameMessage: bySignature.get(failure.signature) ?? 1
})

/** How a verdict is called in a sentence, where nothing else is known of the failure; `certainty` is the probability of its cause. */
export const title = (verdict: Verdict, certainty: number): string =>
  verdict === "flaky" ? `flaky (${percent(certainty)})` : titles[verdict]

const percent = (share: number): string => `${Math.round(share * 100)} %`

const titles: { readonly [V in Exclude<Verdict, "flaky">]: string } = {
  broken_on_base: "broken on the base branch",
  outage: "outage of the environment",
  new_failure: "new failure (probably this change)",
  new_test: "new test that fails",
  undecided: "undecided"
}

const titleOf = (facts: Facts.FailureFacts, { cause, verdict }: Choice.Decision, certainty: number): string => {
  const { failure, unloaded } = facts
  const isOnBase = Facts.isOnBase(failure)
  if (verdict === "new_failure" && isOnBase) return `new on ${failure.branch} since ${failure.commit.slice(0, 7)}`
  if (verdict === "broken_on_base" && isOnBase) return `broken on ${failure.branch} before this commit`
  if (cause === "dependency") return "changed outside of this repository (a dependency)"
  if (verdict !== "new_test") return title(verdict, certainty)
  if (unloaded !== null) return "file did not load"
  return Facts.previousRun(facts) === null
    ? title(verdict, certainty)
    : `new in job ${failure.jobName}, and fails there`
}

/** The reason: the pieces that speak most for the verdict, in words. */
const reasonOf = (
  explained: Evidence.Explained,
  evidence: ReadonlyArray<Evidence.Evidence>,
  decision: Choice.Decision & { readonly probability: number }
): string => {
  const { explanation, facts } = explained
  if (Facts.provingReruns(facts).length > 0) return provenReason(explained, decision)
  const cause = decision.cause ?? Likelihoods.mostOf(explanation.causes, () => true)
  const second = Likelihoods.mostOf(explanation.causes, (other) => other !== cause)
  const speaking = evidence
    .filter(({ kind }) => facts.unloaded === null || kind === "attempts")
    .filter(({ kind }) => kind !== "changes" && kind !== "calibration" && kind !== "history" && kind !== "base")
    .map((one) => ({ ...one, gain: one.causes[cause] - one.causes[one.kind === "attempts" ? "flake" : second] }))
    .filter(({ gain }) => gain >= 0.5 || decision.cause === null)
    .sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain))
    .slice(0, 2)
    .map(({ sentence }) => sentence)
  const jobs = facts.siblings.length === 0 ? [] : [Evidence.jobsSentence(Facts.siblingCounts(facts))]
  const clauses = [...firstClauses(explained, decision), ...jobs, ...speaking, ...closing(explained, decision)]
  return [...new Set(clauses)].join("; ")
}

const firstClauses = (explained: Evidence.Explained, { verdict }: Choice.Decision): ReadonlyArray<string> => {
  const { facts } = explained
  const row = Facts.baseRow(facts)
  const base = Evidence.baseSentence(facts)
  const history = Evidence.historySentence(explained)
  if (row === null) return newTestClauses(facts)
  if (verdict === "broken_on_base" || row.conclusion === "failed") return [base ?? history]
  const isClean = history.startsWith("never failed")
  return verdict === "flaky" || isClean
    ? [history]
    : [base ?? history, ...(explained.explanation.flakes >= 0.5 ? [history] : [])]
}

/** The tests that did not run because their file did not load, and why. */
const missingTests = ({ failure, unloaded }: Facts.FailureFacts): string | null => {
  if (unloaded === null) return null
  const why = Message.headline(failure.message)
  return `${Evidence.counted(unloaded.tests, "test")} of \`${unloaded.file}\` did not run${why === null ? "" : `: ${why}`}`
}

const newTestClauses = (facts: Facts.FailureFacts): ReadonlyArray<string> => {
  const { failure } = facts
  const missing = missingTests(facts)
  if (missing !== null) return [missing]
  return Facts.previousRun(facts) === null
    ? [`never ran on ${failure.base}`]
    : [`never ran in job ${failure.jobName} of ${failure.base}, but in other jobs`]
}

/** How little is known, between which causes it does not decide, and what would. */
const closing = (
  explained: Evidence.Explained,
  { cause, probability, verdict }: Choice.Decision & { readonly probability: number }
): ReadonlyArray<string> => {
  const { explanation, facts, policy } = explained
  return [
    ...(cause === null ? [undecided(rivalsOf(explained), facts, probability)] : []),
    ...(explanation.commits < policy.coldRuns && verdict !== "broken_on_base"
      ? [`only ${Evidence.counted(explanation.commits, "commit")} of ${facts.defaultBranch} known`]
      : [])
  ]
}

/**
 * The two causes between which nothing decides, the change first: the two most probable, or, where one is probable enough and not named all
 * the same (`FailureDecision.decide`), this one and what it may be instead.
 */
const rivalsOf = ({ explanation: { causes }, policy }: Evidence.Explained): readonly [Cause, Cause] => {
  const first = Likelihoods.mostOf(causes, () => true)
  const isDoubted = causes[first] >= policy.decidedFrom
  const doubt = first === "change" ? "environment" : "change"
  const second = isDoubted ? doubt : Likelihoods.mostOf(causes, (cause) => cause !== first)
  return second === "change" ? [second, first] : [first, second]
}

/** Two causes and the next step that decides between them: a run of the base between causes that last, else a rerun. */
const undecided = (rivals: readonly [Cause, Cause], { failure }: Facts.FailureFacts, probability: number): string => {
  const named = rivals.map((cause) => Evidence.called(cause, failure)).join(" or ")
  return rivals.every((cause) => cause !== "flake" && cause !== "environment")
    ? `${named}: the next run of ${failure.base} would decide`
    : `${named}: ${percent(probability)} to pass when run again, which would decide`
}

const provenReason = (
  { facts, explanation, policy, run }: Evidence.Explained,
  { verdict }: Choice.Decision
): string => {
  const passed = `passed on this commit in job ${facts.failure.jobName}`
  if (verdict === "outage") return facts.run.judgement?.isExcused === true ? `${passed} after the outage` : passed
  const flakes = Evidence.recentFlakes(facts, policy.memoryDays).length
  return flakes === 0 ? passed : `${passed}; ${Evidence.historySentence({ facts, explanation, policy, run })}`
}
