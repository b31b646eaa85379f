/** From probabilities to a verdict: which cause is probable enough to be named. */
import { Schema } from "effect"
import type * as Model from "./CauseModel.ts"
import * as Evidence from "./FailureEvidence.ts"
import * as Facts from "./FailureFacts.ts"
import * as Message from "./FailureMessage.ts"
import type { Cause, FailurePolicy } from "./FailurePolicy.ts"
import * as Instant from "../time/Instant.ts"

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

/** A verdict with the cause behind it, null when nothing decides. */
export interface Decision {
  readonly verdict: Verdict
  readonly cause: Cause | null
}

/** The verdict that follows from the probabilities of the causes. */
export const decide = (facts: Facts.FailureFacts, explanation: Model.Explanation, policy: FailurePolicy): Decision => {
  const { causes } = explanation
  const { decidedFrom } = policy
  const isNew = Facts.baseRow(facts) === null
  const outside = causes.environment + causes.dependency
  const isProven = Facts.provingReruns(facts).length > 0
  if (isProven && (outside < causes.flake || isAlone(facts))) return { verdict: "flaky", cause: "flake" }
  const undecided: Decision = isNew ? { verdict: "new_test", cause: null } : { verdict: "undecided", cause: null }
  const isEither = Math.max(outside, causes.base) < decidedFrom && outside + causes.base >= policy.eitherFrom
  if (isProven || outside >= outageFrom(facts, policy) || (isEither && outside > causes.base)) {
    if (!isProven && isOwnError(facts, explanation)) return undecided
    return { verdict: "outage", cause: causes.dependency > causes.environment ? "dependency" : "environment" }
  }
  if (causes.base >= decidedFrom || isEither) {
    return differsFromBase(facts) ? undecided : { verdict: "broken_on_base", cause: "base" }
  }
  if (causes.flake >= flakeFrom(facts, explanation, policy)) {
    const isError = isOwnMessage(facts) && !Message.mayBeFlake(kindOf(facts))
    return isError && isFirstFlake(facts, explanation, policy) ? undecided : { verdict: "flaky", cause: "flake" }
  }
  const isSure = causes.change >= (outside > policy.mayBeOutside ? policy.changeAgainst : decidedFrom)
  const isChange = isSure && !awaitsRerun(facts)
  if (isNew) return { verdict: "new_test", cause: isChange ? "change" : null }
  return isChange ? { verdict: "new_failure", cause: "change" } : undecided
}

/** Whether the message of a failure was seen on its own branch alone: what failed elsewhere for the same reason would say the same. */
const isOwnMessage = (facts: Facts.FailureFacts): boolean => {
  const { earlier, failure, seen } = facts
  return !Facts.isOnBase(failure) && seen !== null && seen <= earlier.same * (1 + Facts.siblingCounts(facts).failed)
}

/** Whether the base failed last with another message, and no other branch has shown this one. */
const differsFromBase = (facts: Facts.FailureFacts): boolean => {
  const onBase = Facts.baseRow(facts)?.signature ?? null
  return onBase !== null && onBase !== facts.failure.signature && isOwnMessage(facts)
}

/**
 * Whether the message, seen on its own branch alone, speaks of the code: by its words, or, where it names no service, because most of the run
 * fails with others or all of it in one file.
 */
const isOwnError = (facts: Facts.FailureFacts, { isOneFile, messageShare }: Model.Explanation): boolean => {
  if (!isOwnMessage(facts)) return false
  const kind = kindOf(facts)
  return !Message.mayBeOutage(kind) || (kind === "other" && messageShare < 1 / 3) || (kind !== "network" && isOneFile)
}

/** Whether a rerun has to fail before a failure is called new: its message names a service or a machine, and nobody is blamed for an outage. */
const awaitsRerun = (facts: Facts.FailureFacts): boolean =>
  kindOf(facts) === "network" && Facts.failedAttempts(facts) === facts.failure.attempts

const kindOf = ({ failure }: Facts.FailureFacts): Message.Kind => Message.kindOf(failure.exceptionType, failure.message)

/** Whether a test is known to flake: it contradicted itself, or is quarantined. */
export const isKnownFlake = (facts: Facts.FailureFacts, policy: FailurePolicy): boolean =>
  facts.quarantine !== null ||
  Facts.provingReruns(facts).length > 0 ||
  Evidence.recentFlakes(facts, policy.memoryDays).length > 0

/** Whether a failure is the only one of its job: an outage of one test that passes again is a flake of it. */
const isAlone = ({ job, run }: Facts.FailureFacts): boolean => job.failed === 0 && run.judgement?.isExcused !== true

/**
 * The probability from which a flake is the verdict: higher for the first flake of a test where nothing shows that tests flake here: another
 * test of the job flaked on the default branch, the message was seen before, or more tests fail in the same run. Without any commit of the
 * default branch nothing shows it.
 */
const flakeFrom = (facts: Facts.FailureFacts, explanation: Model.Explanation, policy: FailurePolicy): number => {
  const { commits, flakyTests } = explanation
  const isShown = commits > 0 && (flakyTests > 0 || facts.job.failed > 0 || (facts.seen ?? 0) > 0)
  return isShown || !isFirstFlake(facts, explanation, policy) ? policy.decidedFrom : policy.firstFlakeAgainst
}

/** Whether the failure would be the first flake of its test. */
const isFirstFlake = (facts: Facts.FailureFacts, { flakes }: Model.Explanation, policy: FailurePolicy): boolean =>
  flakes < 0.5 && !isKnownFlake(facts, policy)

/**
 * The probability from which something outside is the verdict: higher where health does not judge the run as an outage (`Outage.step`), until another
 * run shows the same.
 */
const outageFrom = (facts: Facts.FailureFacts, policy: FailurePolicy): number => {
  const { judgement, outages } = facts.run
  const isNear = outages.some(({ at }) => Math.abs(facts.failure.at - at) <= policy.elsewhereHours * Instant.hour)
  const isSeen = isNear || Facts.unrelatedRuns(facts, policy).length > 0
  if (isSeen || judgement?.isOutage !== false) return policy.decidedFrom
  return Message.isOwn(facts.failure.exceptionType, facts.failure.message)
    ? policy.ownOutageAgainst
    : policy.outageAgainst
}
