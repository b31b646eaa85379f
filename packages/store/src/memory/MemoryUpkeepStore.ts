/** Upkeep in memory. */
import { Contradiction, Execution, Health, Outage } from "@lazaret/domain"
import type { Difference, UpkeepStore } from "../repository/UpkeepStore.ts"
import * as Elsewhere from "./Elsewhere.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import * as JobRun from "../report/JobRun.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"

/** Every difference between the facts of a repository and what was computed from them. */
export const verify =
  (state: MemoryState.MemoryState): UpkeepStore["Service"]["verify"] =>
  (ref) =>
    MemoryState.read(state, ref, (entry) =>
      entry === undefined ? [] : [...differingRuns(entry), ...differingTests(entry)]
    )

/** Runs of which something else is said than their executions say. */
function* differingRuns(entry: RepositoryEntry.RepositoryEntry): Generator<Difference> {
  const { horizon, policies } = entry
  for (const job of entry.runs.byJob.values()) {
    const main = RepositoryEntry.judgedRuns(entry, job, horizon)
    const start = RepositoryEntry.stateBefore(entry, job, horizon)
    const wrong = new Set(JobRun.judge(start, main, policies.outage).map(({ run }) => run.run))
    const onMain = new Set(main.map(({ run }) => run))
    for (const run of job.ordered) {
      const isStray = run.totals.at >= horizon && !onMain.has(run) && !JobRun.isSame(run.judgement, Outage.calm)
      if (isStray || wrong.has(run)) yield { kind: "run", place: `run ${run.context.runId}` }
    }
  }
}

/** Identities whose executions are out of order, or whose stored state differs from the recomputed one. */
function* differingTests({ entries, policies: { health } }: RepositoryEntry.RepositoryEntry): Generator<Difference> {
  for (const entry of entries) {
    const { identity, main, state } = entry
    const place = `test ${identity.testName} in ${identity.pipelineName} / ${identity.jobName}`
    const inOrder = main.toSorted(Execution.order)
    if (inOrder.some((execution, index) => execution !== main[index])) yield { kind: "order", place }
    const items = Contradiction.merged(inOrder, Elsewhere.again(entry.elsewhere))
    if (state !== null && !isSame(state, Health.fold(IdentityEntry.baseOf(entry), items, health))) {
      yield { kind: "health", place }
    }
  }
}

const isSame = (a: Health.State, b: Health.State): boolean => JSON.stringify(a) === JSON.stringify(b)
