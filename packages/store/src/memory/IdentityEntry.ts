/**
 * One identity in memory: its executions in order, and the verdict that the domain's fold gives them.
 *
 * @since 0.1.0
 */
import { Confidence, Execution, Flakiness, Health, Impact, Instant, Rollup } from "@lazaret/domain"
import type { HealthPolicy, Report, TestDetails, TestIdentity, TestSort } from "@lazaret/domain"
import type { RecordedExecution } from "../ExecutionStore.ts"

/**
 * An execution in memory.
 *
 * `excused` follows its run; `stoodFor` is how many reruns it stands for, as the last fold found.
 *
 * @category models
 * @since 0.1.0
 */
export interface StoredExecution extends RecordedExecution {
  excused: boolean
  stoodFor: number
  readonly fact: Execution.Execution
  readonly run: Report.RunContext
}

/**
 * An identity in memory.
 *
 * `main` holds the executions of the default branch, `other` the rest, both in order. `state` is null when the fold has
 * to start again; `row` is the search row of one UTC day.
 *
 * @category models
 * @since 0.1.0
 */
export interface IdentityEntry {
  readonly identity: TestIdentity.TestIdentity
  main: Array<StoredExecution>
  other: Array<StoredExecution>
  state: Health.State | null
  row: { readonly day: number; readonly row: IdentityRow } | null
}

/**
 * A search row that leads back to its identity.
 *
 * @category models
 * @since 0.1.0
 */
export interface IdentityRow extends TestSort.Row {
  readonly entry: IdentityEntry
}

/**
 * An identity without executions.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (identity: TestIdentity.TestIdentity): IdentityEntry => ({
  identity,
  main: [],
  other: [],
  state: null,
  row: null
})

/**
 * Adds an execution at its place. In order it costs one step of the fold; a late one makes the fold start again.
 *
 * @category operations
 * @since 0.1.0
 */
export const add = (
  entry: IdentityEntry,
  execution: StoredExecution,
  onDefaultBranch: boolean,
  policy: HealthPolicy.HealthPolicy
): void => {
  const list = onDefaultBranch ? entry.main : entry.other
  const late = insertInOrder(list, execution)
  if (!onDefaultBranch) return
  entry.row = null
  entry.state = late || entry.state === null ? null : foldOnto(entry.state, [execution], policy)
}

/**
 * Makes the next read fold the executions again.
 *
 * @category operations
 * @since 0.1.0
 */
export const invalidate = (entry: IdentityEntry): void => {
  entry.state = null
  entry.row = null
}

/**
 * Sorts the executions into those of the default branch and the others, after the default branch changed.
 *
 * @category operations
 * @since 0.1.0
 */
export const repartition = (entry: IdentityEntry, isDefault: (run: Report.RunContext) => boolean): void => {
  const all = [...entry.main, ...entry.other].sort(Execution.order)
  entry.main = all.filter((execution) => isDefault(execution.run))
  entry.other = all.filter((execution) => !isDefault(execution.run))
  invalidate(entry)
}

/**
 * The state after every execution of the default branch.
 *
 * @category accessors
 * @since 0.1.0
 */
export const stateOf = (entry: IdentityEntry, policy: HealthPolicy.HealthPolicy): Health.State => {
  entry.state ??= foldOnto(Health.initial, entry.main, policy)
  return entry.state
}

/**
 * What the identity adds up to over the active days that end with the day of `now`.
 *
 * @category accessors
 * @since 0.1.0
 */
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

/**
 * The executions of the active days that end with the day of `now`, latest first.
 *
 * @category accessors
 * @since 0.1.0
 */
export function* recentExecutions(
  entry: IdentityEntry,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy
): Generator<StoredExecution> {
  const start = Instant.startOfLastDays(now, policy.activeDays)
  const end = Instant.startOfLastDays(now, 0)
  for (let i = entry.main.length - 1; i >= 0; i--) {
    const execution = entry.main[i]
    if (execution === undefined || execution.at < start) return
    if (execution.at < end) yield execution
  }
}

/**
 * The search row of the identity at `now`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const rowOf = (entry: IdentityEntry, now: Instant.Instant, policy: HealthPolicy.HealthPolicy): IdentityRow => {
  const day = Instant.utcDay(now)
  if (entry.row?.day === day) return entry.row.row
  const { status } = stateOf(entry, policy)
  const rollup = recent(entry, now, policy)
  const ratio = Rollup.failureRatio(rollup)
  const row: IdentityRow = {
    entry,
    ...entry.identity,
    executionsCount: rollup.executions,
    healthStatus: status,
    healthConfidence: Confidence.classify(rollup.reruns, policy),
    failedExecutionsImpact: Impact.classify(status, ratio, policy),
    failedExecutionsRatio: ratio
  }
  entry.row = { day, row }
  return row
}

/**
 * Everything known of the identity at `now`; it has at least one execution on the default branch.
 *
 * @category accessors
 * @since 0.1.0
 */
export const recordOf = (
  entry: IdentityEntry,
  first: StoredExecution,
  now: Instant.Instant,
  policy: HealthPolicy.HealthPolicy
): TestDetails.IdentityRecord => {
  const last = entry.main.at(-1) ?? first
  const latest = <A>(read: (execution: StoredExecution) => A | null): A | null =>
    entry.main.reduceRight<A | null>((found, execution) => found ?? read(execution), null)
  const instant = (conclusion: Execution.Conclusion) =>
    entry.main.findLast((execution) => execution.conclusion === conclusion)?.at ?? null
  return {
    identity: entry.identity,
    state: stateOf(entry, policy),
    recent: recent(entry, now, policy, Flakiness.among(entry.main)),
    firstSeenAt: first.at,
    lastAt: last.at,
    lastId: last.id,
    lastConclusion: last.conclusion,
    lastFailureAt: instant("failed"),
    lastSuccessAt: instant("passed"),
    framework: latest((execution) => execution.run.framework),
    frameworkVersion: latest((execution) => execution.run.frameworkVersion),
    language: latest((execution) => execution.run.language),
    filepath: latest((execution) => execution.fact.filepath),
    functionName: latest((execution) => execution.fact.functionName)
  }
}

const foldOnto = (
  state: Health.State,
  executions: ReadonlyArray<StoredExecution>,
  policy: HealthPolicy.HealthPolicy
): Health.State =>
  Health.walk(state, executions, policy, (execution, reruns) => {
    execution.stoodFor = reruns
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
