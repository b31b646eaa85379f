/** The facts on cost in memory: selected on every read from the job runs. */
import { type CostFacts, Report, Steps, TestSet } from "@lazaret/domain"
import type { CostStore } from "../insight/CostStore.ts"
import * as PaidRuns from "../insight/PaidRuns.ts"
import * as JobRun from "../report/JobRun.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"

/** The facts on cost over a memory state. */
export const make =
  (state: MemoryState.MemoryState): CostStore["Service"]["facts"] =>
  (ref, since) =>
    MemoryState.read(state, ref, (repository) =>
      repository === undefined ? { from: since, runs: [] } : factsOf(repository, since)
    )

interface Read extends Omit<CostFacts.CostRun, "tests"> {
  readonly entry: RepositoryEntry.RunEntry
}

const factsOf = (repository: RepositoryEntry.RepositoryEntry, since: number): CostFacts.CostFacts => {
  const start = Math.max(since, repository.horizon)
  const read = [...repository.runs.byJob.values()].flatMap(({ ordered }) =>
    ordered
      .filter(({ context, totals }) => !Report.isFork(context) && totals.at >= start)
      .map((entry) => readOf(entry, repository.defaultBranch))
  )
  const { from, runs } = PaidRuns.within(
    read.sort((a, b) => b.at - a.at),
    start
  )
  const passed = new Map(
    PaidRuns.onSameCode(runs).flatMap((group) => {
      const sets = group.map(({ entry }) => entry.passed)
      return group.map(({ key }) => [key, sets] as const)
    })
  )
  return {
    from,
    runs: runs.map(({ entry, ...run }) => ({
      ...run,
      tests: testsOf(entry).map((test) => {
        const number = repository.numbers.get(test.testName) ?? -1
        const hasPassed = (passed.get(run.key) ?? [entry.passed]).some((set) => TestSet.has(set, number))
        return { ...test, hasPassed }
      })
    }))
  }
}

const readOf = (entry: RepositoryEntry.RunEntry, defaultBranch: string): Read => {
  const { context, judgement, totals } = entry
  const { baseBranch, commit, jobName, pipelineName, runAttempt, runId } = context
  const branch = context.branch ?? defaultBranch
  return {
    entry,
    key: JobRun.key({ pipelineName, jobName, runId, runAttempt, commit, branch, baseBranch }),
    at: totals.at,
    pipelineName,
    jobName,
    runId,
    runAttempt,
    commit,
    branch,
    baseBranch,
    isExcused: judgement.excused,
    passed: totals.passed,
    failed: totals.failed,
    durationUs: totals.durationUs,
    source: "reports"
  }
}

const testsOf = ({ executions }: RepositoryEntry.RunEntry): ReadonlyArray<PaidRuns.ReadTest> =>
  Steps.finish(
    PaidRuns.together(
      executions
        .filter(({ conclusion, fact }) => conclusion === "failed" || fact.flaky)
        .map(({ conclusion, fact }) => ({
          testName: fact.testName,
          isFailed: conclusion === "failed",
          reruns: fact.reruns,
          file: fact.filepath
        }))
    )
  )
