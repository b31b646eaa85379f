/**
 * The naive fold: the verdict after each execution of one identity, each from all the executions before it.
 */
import type { Execution, Health, HealthPolicy, HealthStatus } from "@lazaret/domain"
import { Instant } from "@lazaret/domain"

/** An execution that passed or failed; the excused ones among them do not count in health. */
export interface Concluded {
  readonly id: string
  readonly at: number
  readonly commit: string
  readonly isFailed: boolean
  readonly isInJobFlaky: boolean
  readonly isExcused: boolean
  readonly isInOutage: boolean
  readonly isAmongMany: boolean
}

/** A contradiction on another branch. */
export interface OnBranch {
  readonly id: string
  readonly at: number
  readonly branch: string
}

/** The executions of a history that passed or failed, in order. */
export const concluded = (history: ReadonlyArray<Execution.Observation>): ReadonlyArray<Concluded> =>
  history
    .filter(({ conclusion }) => conclusion !== "skipped")
    .map((execution) => ({
      id: execution.id,
      at: execution.at,
      commit: execution.commit,
      isFailed: execution.conclusion === "failed",
      isInJobFlaky: execution.flaky,
      isExcused: execution.excused,
      isInOutage: execution.outage === true,
      isAmongMany: execution.many === true
    }))

/** The verdict after an execution or a contradiction. */
export interface Verdict {
  readonly status: HealthStatus.HealthStatus
  readonly rule: Health.Rule
  readonly trigger: Pick<Concluded, "id" | "at">
  readonly onset: Concluded | null
}

type Policy = HealthPolicy.HealthPolicy
type History = ReadonlyArray<Concluded>

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

/** The executions that count in health. */
const counting = (history: History): History => history.filter(({ isExcused }) => !isExcused)

/** The first failing execution of the latest episode: the excused failures right before it belong to it. */
export const episodeOf = (history: History): Concluded | null => {
  const start = attributedStarts(counting(history)).at(-1)
  if (start === undefined) return null
  const before = history.slice(0, history.indexOf(start))
  return before[before.findLastIndex(({ isExcused }) => !isExcused) + 1] ?? start
}

export const failureEpisodeOf = (history: History): Concluded | null => episodeStarts(history).at(-1) ?? null

export const failuresInARow = (history: History): History => tail(history, true)

export const passesInARow = (history: History): History => tail(history, false)

/** The last execution with a failed attempt, and the passes after it. */
export const sinceFailure = (
  history: History
): { readonly failure: Concluded | null; readonly cleanPasses: number } => {
  const index = history.findLastIndex((execution) => execution.isFailed || execution.isInJobFlaky)
  return { failure: history[index] ?? null, cleanPasses: history.length - index - 1 }
}

/** The executions at the end of a history that ran on one commit. */
const onLastCommit = (history: History): History =>
  history.slice(history.findLastIndex(({ commit }) => commit !== history.at(-1)?.commit) + 1)

/** Whether the commit before an execution had one failure alone, between commits without any. */
const isAfterSingleFailure = (before: History, execution: Concluded): boolean => {
  const latest = onLastCommit(before)
  const earlier = onLastCommit(before.slice(0, before.length - latest.length))
  const [only] = latest
  if (only === undefined || latest.length > 1 || only.commit === execution.commit || execution.isFailed) return false
  const isAlone = only.isFailed && !only.isExcused && !only.isInOutage && !only.isAmongMany
  return isAlone && earlier.length > 0 && earlier.every(({ isFailed }) => !isFailed)
}

const evidence = (all: History, execution: Concluded, policy: Policy): Health.Rule | null => {
  const before = counting(all)
  if (execution.isInJobFlaky) return "in_job_rerun"
  if (isAfterSingleFailure(all, execution)) {
    const isContradiction = isContradicted(before, execution, policy)
    return isContradiction ? "contradiction" : "single_failure"
  }
  if (execution.isInOutage) return null
  if (isContradicted(before, execution, policy)) return "contradiction"
  if (episodeStarts([...before, execution]).at(-1) !== execution) return null
  const previous = episodeStarts(before).findLast(({ isInOutage }) => !isInOutage)
  if (previous === undefined) return null
  return execution.at - previous.at <= policy.episodeDays * Instant.day ? "repeated_episode" : null
}

/** Whether the commit of an execution has the opposite conclusion; failures of outages contradict nothing. */
const isContradicted = (before: History, execution: Concluded, policy: Policy): boolean =>
  remembered(before, execution.commit, policy).some(
    (other) => other.isFailed !== execution.isFailed && !other.isInOutage
  )

/** The share of failures before the current row of failures, each execution weighted by its age. */
const failureRate = (history: History, policy: Policy): number => {
  let [failed, ran, row, day] = [0, 0, 0, 0]
  for (const { at, isFailed, isInJobFlaky } of history) {
    const today = Math.floor(at / Instant.day)
    const weight = (count: number) => Math.round(count * 0.5 ** ((today - day) / policy.halfLifeDays) * 1024) / 1024
    if (today !== day) [failed, ran, day] = [weight(failed), weight(ran), today]
    if (isFailed) row += 1
    else [failed, ran, row] = [failed + row + Number(isInJobFlaky), ran + row + 1, 0]
  }
  return Math.min(policy.mostRate, Math.max(policy.leastRate, (failed + 0.5) / (ran + 1.5)))
}

const next = (
  verdict: Verdict,
  all: History,
  execution: Concluded,
  policy: Policy,
  resets: ReadonlyArray<OnBranch>
): readonly [HealthStatus.HealthStatus, Health.Rule] | null => {
  if (execution.isExcused) return null
  const history = counting([...all, execution])
  if (verdict.status !== "flaky") {
    const rule = evidence(all, execution, policy)
    if (rule !== null) return ["flaky", rule]
  }
  switch (verdict.status) {
    case "healthy":
      return execution.isFailed ? ["broken", "failure"] : null
    case "broken": {
      const passes = passesInARow(history)
      const commits = distinct(passes.map(({ commit }) => commit))
      const isRecovered = passes.length >= policy.recoveryPasses && commits.length >= policy.recoveryCommits
      return isRecovered ? ["healthy", "passes_in_a_row"] : null
    }
    case "flaky":
      return execution.isFailed
        ? isPersistent(history, policy)
          ? ["broken", "persistent_failure"]
          : null
        : isClean(verdict, history, policy, resets)
          ? ["healthy", "clean_passes"]
          : null
  }
}

const isPersistent = (history: History, policy: Policy): boolean => {
  const commits = distinct(failuresInARow(history).map(({ commit }) => commit)).length
  const isUnlikely = failureRate(history, policy) ** commits <= policy.brokenChance
  return commits >= policy.brokenCommits && (isUnlikely || commits >= policy.brokenCommitsMost)
}

/** The last failed attempt or evidence from another branch, and the clean passes after it. */
const sinceTrouble = (history: History, resets: ReadonlyArray<OnBranch>) => {
  const { cleanPasses, failure } = sinceFailure(history)
  const reset = resets.at(-1)
  if (reset === undefined || (failure !== null && isBefore(reset, failure)))
    return { cleanPasses, at: failure?.at ?? null }
  return { cleanPasses: history.filter((execution) => isBefore(reset, execution)).length, at: reset.at }
}

const isClean = (
  { trigger, rule }: Verdict,
  history: History,
  policy: Policy,
  resets: ReadonlyArray<OnBranch>
): boolean => {
  const { at, cleanPasses } = sinceTrouble(history, resets)
  const last = history.at(-1)
  if (at === null || last === undefined || cleanPasses < policy.cleanPasses) return false
  const days = (last.at - at) / Instant.day
  const { failure } = sinceFailure(history)
  const isUntouched = resets.every((reset) => isBefore(reset, trigger))
  const isSingle = rule === "single_failure" && failure !== null && isBefore(failure, trigger) && isUntouched
  const isUnlikely = (1 - failureRate(history, policy)) ** cleanPasses <= policy.cleanChance
  return days >= policy.cleanDays && (isSingle || isUnlikely || days >= policy.cleanDaysMost)
}

/** Whether a contradiction is evidence: after a failure, or after one on another branch. */
const isEvidence = (
  before: History,
  earlier: ReadonlyArray<OnBranch>,
  { at, branch }: OnBranch,
  policy: Policy
): boolean =>
  before.some(
    ({ at: failedAt, isFailed }) => isFailed && at - failedAt <= policy.otherBranchFailureDays * Instant.day
  ) || earlier.some((other) => other.branch !== branch && at - other.at <= policy.otherBranchDays * Instant.day)

type Timed = Pick<Concluded, "id" | "at">

const isBefore = (a: Timed, b: Timed): boolean => a.at < b.at || (a.at === b.at && a.id < b.id)

/** The verdict after each execution, and after each contradiction on another branch since the first one. */
export const verdicts = (
  history: History,
  policy: Policy,
  contradictions: ReadonlyArray<OnBranch> = []
): ReadonlyArray<Verdict> => {
  const found: Array<Verdict> = []
  const resets: Array<OnBranch> = []
  const known: Array<OnBranch> = []
  const merged = [...history, ...contradictions].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  for (const item of merged) {
    const before = history.filter((execution) => isBefore(execution, item))
    const last: Verdict = found.at(-1) ?? { status: "healthy", rule: "start", trigger: item, onset: null }
    if ("branch" in item) {
      const acts = isEvidence(before, known, item, policy)
      known.push(item)
      if (!acts) continue
      resets.push(item)
      const onset = last.status === "healthy" ? null : last.onset
      found.push(last.status === "flaky" ? last : { status: "flaky", rule: "other_branch", trigger: item, onset })
      continue
    }
    const opened = openedBy(last, [...before, item], item)
    const moved = next(opened, before, item, policy, resets)
    if (moved === null) {
      found.push(opened)
      continue
    }
    const [status, rule] = moved
    const onset = opened.status === "healthy" ? episodeOf([...before, item]) : opened.onset
    found.push({ status, rule, trigger: item, onset })
  }
  return found
}

/** An unhealthy verdict without a failure of its own gets the first one that follows. */
const openedBy = (last: Verdict, history: History, { isExcused, isFailed, isInJobFlaky }: Concluded): Verdict =>
  last.status === "healthy" || last.onset !== null || isExcused || !(isFailed || isInJobFlaky)
    ? last
    : { ...last, onset: episodeOf(history) }
