/**
 * The right answers of a store, computed again for each question from all facts that it ever took, by definitions that
 * know no state, no index and no rule of `Stores`. Slow, and easy to check.
 *
 * It covers what a store computes: health, outages, quarantines, and what is left of it after retention.
 */
import {
  HealthPolicy,
  type HealthStatus,
  Outage,
  type Quarantine,
  type Report,
  Repository,
  Text
} from "@lazaret/domain"
import { type Fact, nameOf } from "./Fact.ts"
import * as Contradictions from "./Contradictions.ts"
import * as Outages from "./Outages.ts"
import * as Verdicts from "./Verdicts.ts"

/** Everything that a store took for one repository. */
export interface Facts {
  readonly settings: Repository.RepositorySettings
  readonly taken: Array<Fact>
  readonly quarantines: Array<Quarantine.Quarantine>
  horizon: number
}

/** One test in one job, as it must be shown. */
export interface Shown {
  readonly name: string
  readonly status: HealthStatus.HealthStatus
  readonly executions: ReadonlyArray<readonly [id: string, conclusion: string, isExcused: boolean]>
}

export const none = (settings: Repository.RepositorySettings): Facts => ({
  settings,
  taken: [],
  quarantines: [],
  horizon: -Infinity
})

/** A report that has not been there before: what finished before the horizon is not taken. */
export const record = (facts: Facts, { executions, run }: Report.Report): void => {
  for (const execution of executions) {
    if (execution.at >= facts.horizon) facts.taken.push({ execution, run, isForgotten: false })
  }
}

/** Drops tests without an execution on the default branch since the horizon. A horizon never moves back. */
export const drop = (facts: Facts, horizon: number): void => {
  facts.horizon = Math.max(facts.horizon, horizon)
  const kept = new Set(
    defaultFacts(facts)
      .filter(({ execution, isForgotten }) => !isForgotten && execution.at >= facts.horizon)
      .map(identityOf)
  )
  for (const fact of facts.taken) fact.isForgotten ||= !kept.has(identityOf(fact)) && fact.execution.at < facts.horizon
}

/** Whether a record is inserted: no active one has its test and branch, or its id. */
export const quarantine = (facts: Facts, record_: Quarantine.Quarantine): boolean => {
  const isFree = active(facts).every(
    ({ branch, id, testName }) => id !== record_.id && (testName !== record_.testName || branch !== record_.branch)
  )
  if (isFree) facts.quarantines.push(record_)
  return isFree
}

/** Whether an active record ends. */
export const end = (facts: Facts, id: string, removal: { readonly at: number; readonly by: string }): boolean => {
  const index = facts.quarantines.findIndex((record_) => record_.id === id && record_.removedAt === null)
  const found = facts.quarantines[index]
  if (found !== undefined) facts.quarantines[index] = { ...found, removedAt: removal.at, removedBy: removal.by }
  return found !== undefined
}

/** The active records, in the order of lists. */
export const active = (facts: Facts): ReadonlyArray<Quarantine.Quarantine> =>
  facts.quarantines
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => a.createdAt - b.createdAt || Text.compare(a.id, b.id))

/** Every test in every job that has executions on the default branch since the horizon. */
export const shown = (facts: Facts): ReadonlyArray<Shown> => {
  const runs = defaultFacts(facts)
  const outage = { ...Outage.defaults, ...facts.settings.outage }
  const judged = Outages.judge(runs, outage)
  const isElsewhere = facts.settings.flakinessEvidence === "every_branch"
  const contradictions = isElsewhere ? Contradictions.find(runs, facts.taken, outage) : new Map<string, never>()
  const policy = { ...HealthPolicy.defaults, ...facts.settings.health }
  const known = runs.filter(({ isForgotten }) => !isForgotten)
  return [...new Set(known.map(identityOf))].sort().flatMap((name) => {
    const history = known.filter((fact) => identityOf(fact) === name).sort(inOrder)
    const concluded = history.filter((fact) => fact.execution.conclusion !== "skipped")
    const [first] = history
    const verdicts = Verdicts.verdicts(
      concluded.map((fact) => concludedOf(fact, judged.get(fact))),
      policy,
      (contradictions.get(name) ?? []).filter((each) => first !== undefined && isAfter(each, first))
    )
    const executions = history
      .filter(({ execution }) => execution.at >= facts.horizon)
      .map((fact) => [fact.execution.id, fact.execution.conclusion, judged.get(fact)?.isExcused === true] as const)
    return executions.length === 0 ? [] : [{ name, status: verdicts.at(-1)?.status ?? "healthy", executions }]
  })
}

const identityOf = ({ execution, run }: Fact): string => nameOf(execution.testName, run)

const isAfter = ({ at, id }: Verdicts.OnBranch, { execution }: Fact): boolean =>
  at > execution.at || (at === execution.at && id > execution.id)

const concludedOf = (
  { execution: { at, conclusion, flaky, id }, run }: Fact,
  said: Outages.Said | undefined
): Verdicts.Concluded => ({
  id,
  at,
  commit: run.commit,
  isFailed: conclusion === "failed",
  isInJobFlaky: flaky,
  isExcused: said?.isExcused === true,
  isInOutage: said?.isOutage === true,
  isAmongMany: said?.isMany === true
})

/** Order of executions: `finished_at`, then execution id. */
const inOrder = (a: Fact, b: Fact): number =>
  a.execution.at - b.execution.at || Text.compare(a.execution.id, b.execution.id)

/** The setting, else `main` or `master`, whichever has the earliest execution. */
const defaultBranchOf = ({ settings, taken }: Facts): string => {
  if (settings.defaultBranch !== null) return settings.defaultBranch
  const earliest = (branch: string) =>
    Math.min(
      ...taken
        .filter(({ run }) => run.branch === branch && run.baseBranch === null)
        .map(({ execution }) => execution.at)
    )
  return earliest("master") < earliest("main") ? "master" : "main"
}

/** Without a branch the default branch is meant; pull requests and merge queues never count as default branch. */
const defaultFacts = (facts: Facts): ReadonlyArray<Fact> => {
  const branch = defaultBranchOf(facts)
  return facts.taken.filter(
    ({ run }) =>
      run.baseBranch === null &&
      (run.branch === null || (run.branch === branch && !/^(?:gh-readonly-queue|mergify|trunk-merge)\//u.test(branch)))
  )
}
