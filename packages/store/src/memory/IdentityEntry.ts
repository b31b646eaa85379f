/** One identity in memory: its executions in order, and the verdict that the domain's fold gives them. */
import {
  Confidence,
  Contradiction,
  Execution,
  Flakiness,
  Health,
  HealthSeries,
  Impact,
  Instant,
  Rollup
} from "@lazaret/domain"
import type { HealthPolicy, Outage, Report, TestAlias, TestDetails, TestIdentity, TestSort } from "@lazaret/domain"
import type { RecordedExecution } from "../report/ExecutionStore.ts"
import * as Elsewhere from "./Elsewhere.ts"

/**
 * An execution in memory.
 *
 * `excused`, `outage` and `many` follow its run; `stoodFor` is how many reruns it stands for, as the last fold found. `stored` is
 * how the report names it where `fact` has another name, which stands for it; else null.
 */
export interface StoredExecution extends RecordedExecution {
  excused: boolean
  outage: boolean
  many: boolean
  stoodFor: number
  readonly stored: TestAlias.Stored | null
  readonly fact: Execution.Execution
  readonly run: Report.RunContext
}

/** The state that dropped executions of a branch led to. */
export interface Base extends HealthSeries.Base {
  readonly branch: string
  readonly firstAt: Instant.Instant
  readonly lastFailureAt: Instant.Instant | null
  readonly lastSuccessAt: Instant.Instant | null
}

/**
 * An identity in memory.
 *
 * `main` holds the executions of the default branch, `other` the rest, both in order. `dropped` is what the executions
 * before them led to, `base` the same while its branch is the default branch. `elsewhere` has the contradictions among
 * `other`. `state` is null when the fold has to start again; `row` is the search row of one UTC day.
 */
export interface IdentityEntry {
  readonly identity: TestIdentity.TestIdentity
  main: Array<StoredExecution>
  other: Array<StoredExecution>
  dropped: Base | null
  base: Base | null
  readonly elsewhere: Elsewhere.Elsewhere
  state: Health.State | null
  row: { readonly day: number; readonly row: IdentityRow } | null
}

/** A search row that leads back to its identity, with its file, since when it has its status, its row of failures, and the sum of its active days. */
export interface IdentityRow extends TestSort.Row {
  readonly entry: IdentityEntry
  readonly file: string | null
  readonly since: Instant.Instant | null
  readonly failuresInARow: number
  readonly rollup: Rollup.Rollup
}

/** An identity without executions. */
export const make = (identity: TestIdentity.TestIdentity, rules: Elsewhere.Rules): IdentityEntry => ({
  identity,
  main: [],
  other: [],
  dropped: null,
  base: null,
  elsewhere: Elsewhere.make(rules),
  state: null,
  row: null
})

/** Adds an execution at its place. In order it costs one step of the fold; a late one makes the fold start again. */
export const add = (
  entry: IdentityEntry,
  execution: StoredExecution,
  onDefaultBranch: boolean,
  policy: HealthPolicy.HealthPolicy
): void => {
  const list = onDefaultBranch ? entry.main : entry.other
  const late = insertInOrder(list, execution)
  if (!onDefaultBranch) {
    if (execution.fact.filepath !== null) entry.row = null
    if (Elsewhere.add(entry.elsewhere, execution)) forgetContradictions(entry)
    return
  }
  entry.row = null
  const isLast = !late && Elsewhere.isBefore(entry.elsewhere, execution)
  entry.state = !isLast || entry.state === null ? null : foldOnto(entry.state, [execution], policy)
}

/** Makes the next read look for contradictions on other branches again. */
export const forgetContradictions = (entry: IdentityEntry): void => {
  entry.elsewhere.found = null
  invalidate(entry)
}

/** The items of the fold: the executions of the default branch and the contradictions on other branches. */
const itemsOf = ({ elsewhere, main }: IdentityEntry): ReadonlyArray<StoredExecution | Contradiction.Found> =>
  Contradiction.merged(main, Elsewhere.contradictions(elsewhere))

/** Notes on an execution what is said of its run: it concerns failures alone. */
export const applyJudgement = (execution: StoredExecution, judgement: Outage.Judgement): void => {
  const failed = execution.conclusion === "failed"
  execution.excused = failed && judgement.excused
  execution.outage = failed && judgement.outage
  execution.many = failed && judgement.many
}

/** Makes the next read fold the executions again. */
export const invalidate = (entry: IdentityEntry): void => {
  entry.state = null
  entry.row = null
}

/** Sorts the executions into those of the default branch and the others, after the default branch changed. */
export const repartition = (
  entry: IdentityEntry,
  defaultBranch: string,
  isDefault: (run: Pick<Report.RunContext, "branch" | "baseBranch">) => boolean
): void => {
  entry.base = entry.dropped?.branch === defaultBranch ? entry.dropped : null
  const all = [...entry.main, ...entry.other].sort(Execution.order)
  entry.main = all.filter((execution) => isDefault(execution.run))
  entry.other = all.filter((execution) => !isDefault(execution.run))
  Elsewhere.keep(entry.elsewhere, ({ baseBranch, branch }) => !isDefault({ branch, baseBranch }))
  Elsewhere.fill(entry.elsewhere, entry.other)
  invalidate(entry)
}

/** Drops the executions that finished before a horizon, and keeps what they led to; without any left, nothing. */
export const drop = (
  entry: IdentityEntry,
  horizon: Instant.Instant,
  defaultBranch: string,
  policy: HealthPolicy.HealthPolicy
): void => {
  const old = itemsOf(entry).filter(({ at }) => at < horizon)
  Elsewhere.drop(entry.elsewhere, horizon)
  entry.main = entry.main.filter(({ at }) => at >= horizon)
  entry.other = entry.other.filter(({ at }) => at >= horizon)
  Elsewhere.fill(entry.elsewhere, entry.other)
  entry.base = entry.main.length === 0 ? null : baseAfter(entry.base, old, defaultBranch, policy)
  entry.dropped = entry.base
  invalidate(entry)
}

const baseAfter = (
  base: Base | null,
  items: ReadonlyArray<StoredExecution | Contradiction.Found>,
  branch: string,
  policy: HealthPolicy.HealthPolicy
): Base | null => {
  const old = Contradiction.executionsIn(items)
  const first = old[0]
  const series = HealthSeries.advance(base, items, policy, exceptionIn(old))
  if (series === null) return base
  const firstAt = base?.firstAt ?? first?.at
  if (firstAt === undefined) return base
  const last = (conclusion: Execution.Conclusion) => lastOf(old, conclusion)?.at ?? null
  return {
    ...series,
    branch,
    firstAt,
    lastFailureAt: last("failed") ?? base?.lastFailureAt ?? null,
    lastSuccessAt: last("passed") ?? base?.lastSuccessAt ?? null
  }
}

/** The changes of the verdict, the last one before the kept executions first. */
export const changesOf = (
  entry: IdentityEntry,
  policy: HealthPolicy.HealthPolicy
): ReadonlyArray<HealthSeries.Change> =>
  HealthSeries.changesSince(entry.base, itemsOf(entry), policy, exceptionIn(entry.main))

const exceptionIn = (executions: ReadonlyArray<StoredExecution>): ((id: string) => string | null) => {
  const exceptions = new Map(executions.map((execution) => [execution.id, execution.exceptionType]))
  return (id) => exceptions.get(id) ?? null
}

/** The state before the first kept execution. */
export const baseOf = ({ base }: IdentityEntry): Health.State => base?.state ?? Health.initial

/** The latest execution that passed or failed, or null. */
export const lastConcludedAt = (entry: IdentityEntry): Instant.Instant | null =>
  entry.main.findLast(({ conclusion }) => conclusion !== "skipped")?.at ?? concludedBefore(entry)

const concludedBefore = ({ base }: IdentityEntry): Instant.Instant | null => {
  const instants = [base?.lastFailureAt ?? null, base?.lastSuccessAt ?? null].filter((at) => at !== null)
  return instants.length === 0 ? null : Math.max(...instants)
}

/** The first execution, also a dropped one; the epoch for an identity without any. */
export const firstSeenAt = ({ base, main }: IdentityEntry): Instant.Instant => base?.firstAt ?? main[0]?.at ?? 0

/** The latest failed execution, also a dropped one. */
export const lastFailureAt = ({ base, main }: IdentityEntry): Instant.Instant | null =>
  lastOf(main, "failed")?.at ?? base?.lastFailureAt ?? null

/** The latest file that executions of the default branch name; where none does, the latest of other branches. */
const fileOf = ({ main, other }: IdentityEntry): string | null =>
  (main.findLast(hasFile) ?? other.findLast(hasFile))?.fact.filepath ?? null

const hasFile = ({ fact }: StoredExecution): boolean => fact.filepath !== null

const lastOf = (executions: ReadonlyArray<StoredExecution>, conclusion: Execution.Conclusion) =>
  executions.findLast((execution) => execution.conclusion === conclusion)

/** The state after every execution of the default branch. */
export const stateOf = (entry: IdentityEntry, policy: HealthPolicy.HealthPolicy): Health.State => {
  entry.state ??= foldOnto(baseOf(entry), itemsOf(entry), policy)
  return entry.state
}

/** The sum of the identity over the active days that end with the day of `now`. */
export const recent = (
  entry: IdentityEntry,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy,
  isFlaky: (execution: StoredExecution) => boolean = () => false
): Rollup.Rollup => {
  stateOf(entry, policy)
  const total = { ...Rollup.empty }
  for (const execution of recentExecutions(entry, now, policy)) {
    total.executions += 1
    total[execution.conclusion] += 1
    total.flaky += isFlaky(execution) ? 1 : 0
    total.reruns += execution.stoodFor
    total.durationUs += execution.conclusion === "skipped" ? 0 : Math.round(execution.durationMs * 1000)
  }
  return total
}

/** The executions of the active days that end with the day of `now`, in their order. */
export const recentExecutions = (
  { main }: IdentityEntry,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy
): ReadonlyArray<StoredExecution> => {
  const start = Instant.startOfLastDays(now, policy.activeDays)
  const end = Instant.startOfLastDays(now, 0)
  const [first, last] = [main[0], main.at(-1)]
  if (first === undefined || last === undefined || (first.at >= start && last.at < end)) return main
  return main.filter(({ at }) => start <= at && at < end)
}

/** The search row of the identity at `now`. */
export const rowOf = (entry: IdentityEntry, now: Instant.Instant, policy: HealthPolicy.HealthPolicy): IdentityRow => {
  const day = Instant.utcDay(now)
  if (entry.row?.day === day) return entry.row.row
  const { trigger, reruns, row: failuresInARow, status } = stateOf(entry, policy)
  const rollup = recent(entry, now, policy)
  const ratio = Rollup.failureRatio(rollup)
  const row: IdentityRow = {
    entry,
    rollup,
    file: fileOf(entry),
    since: trigger?.at ?? null,
    failuresInARow,
    ...entry.identity,
    executionsCount: rollup.executions,
    healthStatus: status,
    healthConfidence: Confidence.classify(Math.min(rollup.reruns, reruns), policy),
    failedExecutionsImpact: Impact.classify(status, ratio, policy),
    failedExecutionsRatio: ratio
  }
  entry.row = { day, row }
  return row
}

/** Everything known of the identity at `now`; it has at least one execution on the default branch. */
export const recordOf = (
  entry: IdentityEntry,
  first: StoredExecution,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy
): TestDetails.IdentityRecord => {
  const last = entry.main.at(-1) ?? first
  const latest = <A>(read: (execution: StoredExecution) => A | null): A | null =>
    entry.main.reduceRight<A | null>((found, execution) => found ?? read(execution), null)
  const isFlaky = Flakiness.among([...Flakiness.remembered(baseOf(entry)), ...entry.main])
  return {
    identity: entry.identity,
    state: stateOf(entry, policy),
    recent: recent(entry, now, policy, isFlaky),
    firstSeenAt: firstSeenAt(entry),
    lastAt: last.at,
    lastId: last.id,
    lastConclusion: last.conclusion,
    lastFailureAt: lastFailureAt(entry),
    lastSuccessAt: lastOf(entry.main, "passed")?.at ?? entry.base?.lastSuccessAt ?? null,
    framework: latest((execution) => execution.run.framework),
    frameworkVersion: latest((execution) => execution.run.frameworkVersion),
    language: latest((execution) => execution.run.language),
    filepath: latest((execution) => execution.fact.filepath),
    functionName: latest((execution) => execution.fact.functionName)
  }
}

const foldOnto = (
  state: Health.State,
  items: ReadonlyArray<StoredExecution | Contradiction.Found>,
  policy: HealthPolicy.HealthPolicy
): Health.State =>
  Health.walk(state, items, policy, (item, reruns) => {
    if (item.conclusion !== "contradicted") item.stoodFor = reruns
  })

/** Yields whether the execution came late, that is, not at the end. */
const insertInOrder = (list: Array<StoredExecution>, execution: StoredExecution): boolean => {
  const last = list.at(-1)
  if (last === undefined || Execution.order(last, execution) < 0) {
    list.push(execution)
    return false
  }
  const index = list.findLastIndex((other) => Execution.order(other, execution) < 0)
  list.splice(index + 1, 0, execution)
  return true
}
