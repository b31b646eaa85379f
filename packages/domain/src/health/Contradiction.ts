/**
 * Contradictions on other branches: a test that failed and passed in one run of a branch other than the default branch.
 *
 * It is the only thing that other branches say about health (our choice; see `docs/explanation/health-model.md`). The
 * executions must be attempts of one run id, or lie inside one job: between runs the merge base below a pull request
 * moves, so that another result may have another reason.
 */
import * as Execution from "../report/Execution.ts"
import type * as Report from "../report/Report.ts"
import type * as Instant from "../time/Instant.ts"

/**
 * A contradiction as the health fold reads it: the execution that completed it, and the branch.
 *
 * `conclusion` tells it from the executions of the default branch, between which it is folded.
 */
export interface Contradiction<Id = string, Commit = string> {
  readonly id: Id
  readonly at: Instant.Instant
  readonly commit: Commit
  readonly conclusion: "contradicted"
  readonly branch: string
}

/** The run in which a contradiction lies; all attempts are one run. */
export type RunName = Pick<Report.RunContext, "commit" | "runId" | "branch" | "baseBranch">

/** A contradiction with its run, and when the first of its two executions finished. */
export interface Found<Id = string, Commit = string> extends Contradiction<Id, Commit> {
  readonly runId: string
  readonly baseBranch: string | null
  readonly openedAt: Instant.Instant
  readonly jobUrl: string | null
}

/** A text that is equal for the attempts of one run only. */
export const runKey = ({ baseBranch, branch, commit, runId }: RunName): string =>
  [runId, commit, branch ?? "", baseBranch ?? ""].join("\0")

/** The fields of an execution by which contradictions are found. */
export type Candidate = Pick<Execution.Observation, "id" | "at" | "conclusion" | "flaky">

/** The execution that completed a contradiction, and when the first of its two executions finished. */
export interface Completion<A> {
  readonly by: A
  readonly openedAt: Instant.Instant
}

/**
 * The contradiction among the executions of one identity in one run, given in any order; null without one.
 *
 * **Details**
 *
 * It is completed by the first execution, in the order of executions, that failed and passed inside its job, or that has
 * another conclusion than an earlier one. Skipped executions say nothing. Executions of job runs that are outages must be
 * left out.
 *
 * @example
 * ```ts
 * import { Contradiction } from "@lazaret/domain"
 *
 * const run = (id: string, at: number, conclusion: "passed" | "failed") => ({ id, at, conclusion, flaky: false })
 * Contradiction.completedBy([run("2", 20, "passed"), run("1", 10, "failed"), run("3", 30, "failed")])?.by.id // => "2"
 * Contradiction.completedBy([run("1", 10, "failed"), run("3", 30, "failed")]) // => null
 * ```
 */
export const completedBy = <A extends Candidate>(executions: ReadonlyArray<A>): Completion<A> | null => {
  const concluded = executions.filter(({ conclusion }) => conclusion !== "skipped").sort(Execution.order)
  const first = concluded[0]
  const by = concluded.find(({ conclusion, flaky }) => flaky || conclusion !== first?.conclusion)
  return by === undefined ? null : { by, openedAt: by.flaky ? by.at : (first?.at ?? by.at) }
}

/** Executions of the default branch and contradictions, each in order, in one list in the order of executions. */
export const merged = <A extends Ordered, C extends Ordered>(
  executions: ReadonlyArray<A>,
  contradictions: ReadonlyArray<C>
): ReadonlyArray<A | C> =>
  contradictions.length === 0 ? executions : [...executions, ...contradictions].sort(Execution.order)

interface Ordered {
  readonly id: string
  readonly at: Instant.Instant
}

/** Whether an item of a merged list is a contradiction. */
export const isContradiction = <A extends { readonly conclusion: string }>(
  item: A
): item is Extract<A, { readonly conclusion: "contradicted" }> => item.conclusion === "contradicted"

/** The executions of a merged list. */
export const executionsIn = <A extends { readonly conclusion: string }>(
  items: ReadonlyArray<A>
): ReadonlyArray<Exclude<A, { readonly conclusion: "contradicted" }>> =>
  items.filter((item): item is Exclude<A, { readonly conclusion: "contradicted" }> => !isContradiction(item))
