/** The contradictions of one identity on other branches, in memory: found again when an execution may change them. */
import { Contradiction, Execution, type Instant, Report } from "@lazaret/domain"
import type { StoredExecution } from "./IdentityEntry.ts"

/**
 * The executions of other branches, as far as contradictions depend on them.
 *
 * **Details**
 *
 * `runs` has the executions by run (`Contradiction.runKey`) without those of forks; `sealed` the contradictions of which a
 * part was dropped, by run: they stay as they were found. `found` is null until somebody asks again.
 */
export interface Elsewhere {
  readonly runs: Map<string, Array<StoredExecution>>
  sealed: ReadonlyMap<string, Contradiction.Found>
  found: ReadonlyArray<Contradiction.Found> | null
  readonly rules: Rules
}

/** The rules of the repository: whether contradictions count at all, and whether the job run of an execution is an outage. */
export interface Rules {
  readonly areCounted: () => boolean
  readonly isOutage: (execution: StoredExecution) => boolean
}

/** Nothing. */
export const make = (rules: Rules): Elsewhere => ({ runs: new Map(), sealed: new Map(), found: [], rules })

/** Adds an execution, and yields whether its run may contradict itself now. */
export const add = ({ runs }: Elsewhere, execution: StoredExecution): boolean => {
  if (Report.isFork(execution.run) || execution.conclusion === "skipped") return false
  const key = Contradiction.runKey(execution.run)
  const list = runs.get(key)
  if (list === undefined) runs.set(key, [execution])
  else list.push(execution)
  return Contradiction.completedBy(runs.get(key) ?? []) !== null
}

/** Replaces the executions. */
export const fill = (elsewhere: Elsewhere, executions: ReadonlyArray<StoredExecution>): void => {
  elsewhere.runs.clear()
  elsewhere.found = null
  for (const execution of executions) add(elsewhere, execution)
}

/** Seals the contradictions that a horizon cuts, and drops those before it. */
export const drop = (elsewhere: Elsewhere, horizon: Instant.Instant): void => {
  const cut = all(elsewhere).filter(({ at, openedAt }) => openedAt < horizon && at >= horizon)
  elsewhere.sealed = new Map(cut.map((each) => [Contradiction.runKey(each), each]))
}

/** Whether every contradiction comes before an execution; false while they are not known. */
export const isBefore = ({ found }: Elsewhere, execution: StoredExecution): boolean => {
  const last = found?.at(-1)
  return found !== null && (last === undefined || Execution.order(last, execution) < 0)
}

/** The contradictions that count, in order. */
export const contradictions = (elsewhere: Elsewhere): ReadonlyArray<Contradiction.Found> =>
  elsewhere.rules.areCounted() ? all(elsewhere) : []

const all = (elsewhere: Elsewhere): ReadonlyArray<Contradiction.Found> => {
  elsewhere.found ??= find(elsewhere).sort(Execution.order)
  return elsewhere.found
}

/** The contradictions that count as they are found now, whatever was found before. */
export const again = (elsewhere: Elsewhere): ReadonlyArray<Contradiction.Found> =>
  elsewhere.rules.areCounted() ? find(elsewhere).sort(Execution.order) : []

/** Leaves out the sealed contradictions of a branch that has become the default branch. */
export const keep = (elsewhere: Elsewhere, isElsewhere: (run: Contradiction.RunName) => boolean): void => {
  elsewhere.sealed = new Map([...elsewhere.sealed].filter(([, found]) => isElsewhere(found)))
}

const find = ({ rules, runs, sealed }: Elsewhere): Array<Contradiction.Found> => {
  const found = [...sealed.values()]
  for (const [key, executions] of runs) {
    if (sealed.has(key) || Contradiction.completedBy(executions) === null) continue
    const completion = Contradiction.completedBy(executions.filter((each) => !rules.isOutage(each)))
    if (completion !== null) found.push(foundOf(completion))
  }
  return found
}

const foundOf = ({ by, openedAt }: Contradiction.Completion<StoredExecution>): Contradiction.Found => ({
  id: by.id,
  at: by.at,
  commit: by.commit,
  conclusion: "contradicted",
  branch: by.run.branch ?? "",
  runId: by.run.runId,
  baseBranch: by.run.baseBranch,
  openedAt,
  jobUrl: by.jobUrl
})
