/** The facts on causes in memory: selected on every read from the job runs. */
import { type CauseFacts, FailureRecords, Report, Repository, StackFrame, Steps, Text } from "@lazaret/domain"
import * as FailedRuns from "../insight/FailedRuns.ts"
import type { CauseStore } from "../insight/CauseStore.ts"
import type { StoredExecution } from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"
import { failedIn, type Named, namedOf, signatureOf } from "./TriageSelection.ts"

/** The facts on causes over a memory state. */
export const make =
  (state: MemoryState.MemoryState): CauseStore["Service"]["facts"] =>
  (ref) =>
    MemoryState.read(state, ref, (repository) => (repository === undefined ? nothing : factsOf(repository)))

const nothing: CauseFacts.CauseFacts = { runs: [], exceptions: new Map() }

const factsOf = (repository: RepositoryEntry.RepositoryEntry): CauseFacts.CauseFacts => {
  const all = [...repository.runs.byJob.values()].flatMap(({ ordered }) =>
    ordered
      .filter(({ context, totals }) => !Report.isFork(context) && totals.at >= repository.horizon)
      .map((run) => namedOf(run, repository.defaultBranch))
  )
  const red = all.filter(({ run }) => run.failed > 0).toSorted((a, b) => inTime(b, a))
  const read = FailedRuns.within(red, ({ run }) => run.failed)
  const since = read.reduce((least, { run }) => Math.min(least, run.at), Infinity)
  const ordinals = ordinalsOf(all.filter(({ run }) => run.at >= since))
  const runs = read.map((named) => failedRunOf(named, ordinals.get(named) ?? 0, repository.defaultBranch))
  return { runs, exceptions: exceptionsOf(read, new Set(FailedRuns.wanted(runs))) }
}

const inTime = (a: Named, b: Named): number =>
  FailureRecords.compareRuns(a.run, b.run) ||
  Text.compare(a.run.pipelineName, b.run.pipelineName) ||
  Text.compare(a.run.jobName, b.run.jobName)

/** The place of each job run among those of its job and branch, from 1. */
const ordinalsOf = (all: ReadonlyArray<Named>): ReadonlyMap<Named, number> => {
  const streams = Map.groupBy(all.toSorted(inTime), ({ run }) => `${run.pipelineName}\0${run.jobName}\0${run.branch}`)
  return new Map([...streams.values()].flatMap((runs) => runs.map((run, index) => [run, index + 1] as const)))
}

const failedRunOf = ({ entry, run }: Named, ordinal: number, defaultBranch: string): CauseFacts.FailedRun => {
  const isOnDefault = Repository.isDefaultBranch(entry.context, defaultBranch)
  return {
    key: Report.runKey(run),
    at: run.at,
    pipelineName: run.pipelineName,
    jobName: run.jobName,
    branch: run.branch,
    commit: run.commit,
    ordinal,
    isOnDefault,
    isExcused: isOnDefault && entry.judgement.excused,
    failed: Steps.finish(
      FailedRuns.distinct(
        failedIn(entry).map((each) => ({
          testName: each.fact.testName,
          signature: signatureOf(each),
          frame: frameOf(each)
        }))
      )
    )
  }
}

const frameOf = ({ fact: { exception, filepath, testName } }: StoredExecution): string | null =>
  exception === null ? null : StackFrame.placeOf(exception, { testName, filepath })

const exceptionsOf = (
  runs: ReadonlyArray<Named>,
  wanted: ReadonlySet<string>
): ReadonlyMap<string, CauseFacts.Exception> => {
  const exceptions = new Map<string, CauseFacts.Exception>()
  for (const { entry } of runs) {
    for (const execution of failedIn(entry)) {
      const signature = signatureOf(execution)
      if (signature === null || exceptions.has(signature) || !wanted.has(signature)) continue
      exceptions.set(
        signature,
        FailedRuns.exceptionOf(execution.exceptionType, execution.fact.exception?.message ?? null)
      )
    }
  }
  return exceptions
}
