/** The rules by which an execution moves the status of a test identity. */
import type { Observation } from "../report/Execution.ts"
import * as Instant from "../time/Instant.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import { failedBit, failureRate, passedBit, type Rule, type State } from "./HealthState.ts"
import type { HealthStatus } from "./HealthStatus.ts"

/** The evidence of flakiness in an execution, before it is remembered; `index` is the place of its commit. */
export const evidenceIn = <Id, Commit>(
  state: State<Id, Commit>,
  execution: Observation<Id, Commit>,
  index: number,
  policy: HealthPolicy
): Rule | null => {
  if (execution.flaky) return "in_job_rerun"
  const failed = execution.conclusion === "failed"
  if (failed && execution.outage === true) return null
  if (index !== -1 && ((state.outcomes[index] ?? 0) & (failed ? passedBit : failedBit)) !== 0) return "contradiction"
  if (!failed || state.failing || state.episodeAt === null) return null
  return execution.at - state.episodeAt <= policy.episodeDays * Instant.day ? "repeated_episode" : null
}

/** The rule that moves the status after an execution; null when it stays. */
export const ruleFor = <Id, Commit>(
  state: State<Id, Commit>,
  execution: Observation<Id, Commit>,
  evidence: Rule | null,
  policy: HealthPolicy
): Rule | null => {
  const failed = execution.conclusion === "failed"
  if (state.status === "flaky") {
    if (failed) return isPersistent(state, policy) ? "persistent_failure" : null
    return isClean(state, execution.at, policy) ? "clean_passes" : null
  }
  if (evidence !== null) return evidence
  if (state.status === "healthy") return failed ? "failure" : null
  return !failed && state.passes >= policy.recoveryPasses && state.passCommits >= policy.recoveryCommits
    ? "passes_in_a_row"
    : null
}

const isPersistent = <Id, Commit>(state: State<Id, Commit>, policy: HealthPolicy): boolean => {
  const commits = state.failedCommits.length
  if (commits < policy.brokenCommits) return false
  return commits >= policy.brokenCommitsMost || failureRate(state, policy) ** commits <= policy.brokenChance
}

const isClean = <Id, Commit>(state: State<Id, Commit>, at: Instant.Instant, policy: HealthPolicy): boolean => {
  if (state.cleanPasses < policy.cleanPasses) return false
  const sinceFailure = state.failureAt === null ? Infinity : at - state.failureAt
  if (sinceFailure < policy.cleanDays * Instant.day) return false
  return state.isSingle || sinceFailure >= policy.cleanDaysMost * Instant.day || isUnlikely(state, policy)
}

/** Whether the clean passes in a row are unlikely for the estimated failure rate. */
const isUnlikely = <Id, Commit>(state: State<Id, Commit>, policy: HealthPolicy): boolean =>
  (1 - failureRate(state, policy)) ** state.cleanPasses <= policy.cleanChance

/** The status that each rule leads to. */
export const statusAfter: { readonly [R in Rule]: HealthStatus } = {
  start: "healthy",
  failure: "broken",
  in_job_rerun: "flaky",
  contradiction: "flaky",
  repeated_episode: "flaky",
  single_failure: "flaky",
  other_branch: "flaky",
  persistent_failure: "broken",
  passes_in_a_row: "healthy",
  clean_passes: "healthy"
}
