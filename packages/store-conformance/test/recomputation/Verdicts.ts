/**
 * The naive fold: the verdict after each execution of one identity, each from all the executions before it.
 */
import type { Health, HealthPolicy, HealthStatus } from "@lazaret/domain"
import { Instant } from "@lazaret/domain"

/** An execution that counts in health: neither skipped nor excused. */
export interface Counting {
  readonly id: string
  readonly at: number
  readonly commit: string
  readonly isFailed: boolean
  readonly isInJobFlaky: boolean
}

/** What is known after an execution. */
export interface Verdict {
  readonly status: HealthStatus.HealthStatus
  readonly rule: Health.Rule
  readonly mover: Counting
  readonly onset: Counting | null
}

type Policy = HealthPolicy.HealthPolicy
type History = ReadonlyArray<Counting>

const distinct = (commits: ReadonlyArray<string>): ReadonlyArray<string> => Array.from(new Set(commits))

/** The most recently used distinct commits, latest last. */
export const recentCommits = (before: History, policy: Policy): ReadonlyArray<string> =>
  distinct(before.map(({ commit }) => commit).reverse())
    .slice(0, policy.rememberedCommits)
    .reverse()

/** The executions on a commit, back to where the commit had been forgotten. */
export const remembered = (before: History, commit: string, policy: Policy): History => {
  const index = before.findLastIndex((execution) => execution.commit === commit)
  if (index === -1) return []
  const since = distinct(before.slice(index).map((execution) => execution.commit))
  if (since.length > policy.rememberedCommits) return []
  const found = before.slice(index, index + 1)
  return [...remembered(before.slice(0, index), commit, policy), ...found]
}

/** The executions at the end of a history that all are (or are not) failed. */
const tail = (history: History, isFailed: boolean): History =>
  history.slice(history.findLastIndex((execution) => execution.isFailed !== isFailed) + 1)

/** The first executions of the failure episodes: failed, with a pass or nothing before. */
const episodeStarts = (history: History): History =>
  history.filter((execution, index) => execution.isFailed && history[index - 1]?.isFailed !== true)

/** As `episodeStarts`, where an in-job flaky execution is an episode of its own when nothing was failing. */
const attributedStarts = (history: History): History =>
  history.filter(
    (execution, index) => (execution.isFailed || execution.isInJobFlaky) && history[index - 1]?.isFailed !== true
  )

export const episodeOf = (history: History): Counting | null => attributedStarts(history).at(-1) ?? null

export const failureEpisodeOf = (history: History): Counting | null => episodeStarts(history).at(-1) ?? null

export const failuresInARow = (history: History): History => tail(history, true)

export const passesInARow = (history: History): History => tail(history, false)

/** The last execution with a failed attempt, and the passes after it. */
export const sinceFailure = (history: History): { readonly failure: Counting | null; readonly cleanPasses: number } => {
  const index = history.findLastIndex((execution) => execution.isFailed || execution.isInJobFlaky)
  return { failure: history[index] ?? null, cleanPasses: history.length - index - 1 }
}

const evidence = (before: History, execution: Counting, policy: Policy): Health.Rule | null => {
  if (execution.isInJobFlaky) return "in_job_rerun"
  const onCommit = remembered(before, execution.commit, policy)
  if (onCommit.some((other) => other.isFailed !== execution.isFailed)) return "contradiction"
  const [latest, previous] = episodeStarts([...before, execution]).toReversed()
  if (latest !== execution || previous === undefined) return null
  return execution.at - previous.at <= policy.episodeDays * Instant.day ? "repeated_episode" : null
}

const next = (
  status: HealthStatus.HealthStatus,
  before: History,
  execution: Counting,
  policy: Policy
): readonly [HealthStatus.HealthStatus, Health.Rule] | null => {
  const history = [...before, execution]
  if (status !== "flaky") {
    const rule = evidence(before, execution, policy)
    if (rule !== null) return ["flaky", rule]
  }
  switch (status) {
    case "healthy":
      return execution.isFailed ? ["broken", "failure"] : null
    case "broken": {
      const passes = passesInARow(history)
      const commits = distinct(passes.map(({ commit }) => commit))
      const isRecovered = passes.length >= policy.recoveryPasses && commits.length >= policy.recoveryCommits
      return isRecovered ? ["healthy", "passes_in_a_row"] : null
    }
    case "flaky": {
      const commits = distinct(failuresInARow(history).map(({ commit }) => commit))
      if (commits.length >= policy.brokenCommits) return ["broken", "persistent_failure"]
      const { cleanPasses, failure } = sinceFailure(history)
      if (failure === null || cleanPasses < policy.cleanPasses) return null
      return execution.at - failure.at >= policy.cleanDays * Instant.day ? ["healthy", "clean_passes"] : null
    }
  }
}

/** The verdict after each execution of a history. */
export const verdicts = (history: History, policy: Policy): ReadonlyArray<Verdict> => {
  const found: Array<Verdict> = []
  for (const [index, execution] of history.entries()) {
    const last: Verdict = found.at(-1) ?? { status: "healthy", rule: "start", mover: execution, onset: null }
    const moved = next(last.status, history.slice(0, index), execution, policy)
    if (moved === null) {
      found.push(last)
      continue
    }
    const [status, rule] = moved
    const onset = last.status === "healthy" ? episodeOf(history.slice(0, index + 1)) : last.onset
    found.push({ status, rule, mover: execution, onset })
  }
  return found
}
