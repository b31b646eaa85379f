/** One mutable copy of the state per fold, so that a long history costs no garbage, and the facts that executions add to it. */
import type { Observation } from "../report/Execution.ts"
import * as Instant from "../time/Instant.ts"
import type { HealthPolicy } from "./HealthPolicy.ts"
import { failedBit, type Item, type Mark, passedBit, type State } from "./HealthState.ts"

/** A state that a fold changes in place. */
export interface Draft<Id, Commit> extends Mutable<Omit<State<Id, Commit>, "commits" | "outcomes" | "failedCommits">> {
  readonly commits: Array<Commit>
  readonly outcomes: Array<number>
  readonly failedCommits: Array<Commit>
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/** A copy of a state that a fold may change. */
export const draft = <Id, Commit>(state: State<Id, Commit>): Draft<Id, Commit> => ({
  ...state,
  commits: state.commits.slice(),
  outcomes: state.outcomes.slice(),
  failedCommits: state.failedCommits.slice()
})

/** The reference to an item. */
export const mark = <Id, Commit>({ at, commit, id }: Item<Id, Commit>): Mark<Id, Commit> => ({ id, at, commit })

/** Notes an execution on its commit, and yields whether the commit before it had a single failure. */
export const enter = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>): boolean => {
  const failed = execution.conclusion === "failed"
  if (state.latest === execution.commit) {
    state.single = false
    state.troubled ||= failed
    return false
  }
  const isSingle = state.single && !failed && !execution.flaky
  const wasClean = state.latest !== null && !state.troubled
  state.latest = execution.commit
  state.troubled = failed
  state.single = wasClean && failed && execution.outage !== true && !execution.excused && execution.many !== true
  return isSingle
}

/** The place of a commit among the remembered ones, -1 for a new one. Most executions are on the latest one, or on a new one. */
export const placeOf = <Commit>(commits: ReadonlyArray<Commit>, commit: Commit): number => {
  for (let index = commits.length - 1; index >= 0; index--) if (commits[index] === commit) return index
  return -1
}

/** Notes the conclusion of an execution on its commit, which becomes the latest of the remembered ones. */
export const remember = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  index: number,
  policy: HealthPolicy
): void => {
  const { commits, outcomes } = state
  const bit = bitOf(execution)
  if (index !== -1 && index === commits.length - 1) {
    outcomes[index] = (outcomes[index] ?? 0) | bit
    return
  }
  const known = index === -1 ? 0 : (outcomes[index] ?? 0)
  if (index !== -1) {
    commits.splice(index, 1)
    outcomes.splice(index, 1)
  } else if (commits.length >= policy.rememberedCommits) {
    commits.shift()
    outcomes.shift()
  }
  commits.push(execution.commit)
  outcomes.push(known | bit)
}

/** A failure that counts although it is part of an outage contradicts nothing. */
const bitOf = <Id, Commit>({ conclusion, outage }: Observation<Id, Commit>): number =>
  conclusion === "passed" ? passedBit : outage === true ? 0 : failedBit

/** Makes the counted executions weigh less with every UTC day. */
export const age = <Id, Commit>(state: Draft<Id, Commit>, at: Instant.Instant, policy: HealthPolicy): void => {
  const day = Instant.utcDay(at)
  if (day === state.day) return
  const factor = 0.5 ** ((day - state.day) / policy.halfLifeDays)
  state.failures = Math.round(state.failures * factor * weightSteps) / weightSteps
  state.runs = Math.round(state.runs * factor * weightSteps) / weightSteps
  state.day = day
}

/** Weights are kept in steps of this fraction, so that a store can pack them exactly. */
const weightSteps = 1024

/** Adds a failure that counts. */
export const recordFailure = <Id, Commit>(
  state: Draft<Id, Commit>,
  execution: Observation<Id, Commit>,
  policy: HealthPolicy
): void => {
  if (!state.failing) {
    state.failing = true
    state.episode = state.opening ?? mark(execution)
    state.opening = null
    if (execution.outage !== true) state.episodeAt = execution.at
    state.passes = 0
    state.passCommit = null
    state.passCommits = 0
  }
  if (state.failedCommits.length < policy.brokenCommitsMost && !state.failedCommits.includes(execution.commit)) {
    state.failedCommits.push(execution.commit)
  }
  openTrouble(state)
  state.row += 1
  state.isSingle = false
  state.cleanPasses = 0
  state.failureAt = execution.at
}

/** An identity that other branches made flaky fails on the default branch for the first time since. */
const openTrouble = <Id, Commit>(state: Draft<Id, Commit>): void => {
  if (state.status !== "healthy") state.onset ??= state.episode
}

/** Adds a pass. */
export const recordPass = <Id, Commit>(state: Draft<Id, Commit>, execution: Observation<Id, Commit>): void => {
  state.failures += state.row + (execution.flaky ? 1 : 0)
  state.runs += state.row + 1
  state.row = 0
  if (execution.flaky) {
    if (!state.failing) state.episode = state.opening ?? mark(execution)
    openTrouble(state)
    state.isSingle = false
    state.cleanPasses = 0
    state.failureAt = execution.at
  } else {
    state.cleanPasses += 1
  }
  state.opening = null
  if (state.failing) {
    state.failing = false
    state.failedCommits.length = 0
  }
  state.passes += 1
  if (state.passCommit === null) {
    state.passCommit = execution.commit
    state.passCommits = 1
  } else if (state.passCommit !== execution.commit) {
    state.passCommits = 2
  }
}
