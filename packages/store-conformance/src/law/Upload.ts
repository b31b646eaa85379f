/** Uploads of sample reports. */
import type { Report, Repository } from "@lazaret/domain"
import { type AppendOutcome, ExecutionStore, type StoreError } from "@lazaret/store"
import { Effect } from "effect"
import * as Sample from "./Sample.ts"

/** Appends reports one after the other. */
export const all = (
  ref: Repository.RepositoryRef,
  reports: ReadonlyArray<Report.Report>
): Effect.Effect<ReadonlyArray<AppendOutcome>, StoreError, ExecutionStore> =>
  ExecutionStore.use((store) => Effect.forEach(reports, (report) => store.append(ref, report)))

/** Appends one sample report (`Sample.report`). */
export const one = (
  ref: Repository.RepositoryRef,
  ...[key, context, executions]: Parameters<typeof Sample.report>
): Effect.Effect<AppendOutcome, StoreError, ExecutionStore> =>
  ExecutionStore.use((store) => store.append(ref, Sample.report(key, context, executions)))

/** One execution of the sample test, short: conclusion, commit and days before `Sample.noon`. */
export type Moment = readonly [outcome: Report.Case["conclusion"] | "flaky", commit: string, daysAgo: number]

/** Appends one report for each moment, each a job run of its own, in the given order of arrival. */
export const moments = (
  ref: Repository.RepositoryRef,
  list: ReadonlyArray<Moment>,
  context: Partial<Report.RunContext> = {}
): Effect.Effect<ReadonlyArray<AppendOutcome>, StoreError, ExecutionStore> =>
  all(
    ref,
    list.map((moment) => reportOf(moment, context))
  )

/** The report of one moment; its key is made from the moment and the context. */
export const reportOf = (
  [outcome, commit, daysAgo]: Moment,
  context: Partial<Report.RunContext> = {}
): Report.Report => {
  const isFlaky = outcome === "flaky"
  const parts = isFlaky ? { flaky: true, reruns: 1 } : outcome === "failed" ? Sample.failure() : { conclusion: outcome }
  const key = `${outcome} on ${commit}, ${daysAgo} days ago, ${JSON.stringify(context)}`
  return Sample.report(key, { commit, ...context }, [{ ...parts, at: Sample.daysAgo(daysAgo) }])
}
