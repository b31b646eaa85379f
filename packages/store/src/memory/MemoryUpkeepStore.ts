/** Upkeep in memory. */
import { Execution, Health, Outage, Repository } from "@lazaret/domain"
import { Effect } from "effect"
import type { Difference, UpkeepStore } from "../UpkeepStore.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"
import type * as RepositoryEntry from "./RepositoryEntry.ts"

/** Every difference between the facts of a repository and what was computed from them. */
export const verify =
  (state: MemoryState.MemoryState): UpkeepStore["Service"]["verify"] =>
  (ref) =>
    Effect.sync(() => {
      const entry = MemoryState.find(state, ref)
      return entry === undefined ? [] : [...differingRuns(entry), ...differingTests(entry)]
    })

/** Runs that are excused though they are no outage, or the other way round. */
function* differingRuns({ defaultBranch, jobs, policies }: RepositoryEntry.RepositoryEntry): Generator<Difference> {
  for (const runs of jobs.values()) {
    const all = [...runs.values()]
    const main = all.filter((run) => Repository.isDefaultBranch(run.context, defaultBranch))
    const excused = Outage.excused(
      main.map((run) => run.totals),
      policies.outage
    )
    for (const run of all) {
      if (run.excused !== excused.has(run.totals.key)) yield { kind: "run", place: `run ${run.context.runId}` }
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
    if (state !== null && !isSame(state, Health.fold(IdentityEntry.baseOf(entry), inOrder, health))) {
      yield { kind: "health", place }
    }
  }
}

const isSame = (a: Health.State, b: Health.State): boolean => JSON.stringify(a) === JSON.stringify(b)
