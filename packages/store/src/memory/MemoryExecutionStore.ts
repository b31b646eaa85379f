/** Executions in memory. */
import { type HealthPolicy, type Rollup, Statistic, TimeWindow } from "@lazaret/domain"
import { Option } from "effect"
import { type ExecutionStore, type IdentityHistory, type RecordedExecution } from "../report/ExecutionStore.ts"
import * as Rollups from "../health/Rollups.ts"
import * as Elsewhere from "./Elsewhere.ts"
import * as IdentityEntry from "./IdentityEntry.ts"
import * as MemoryState from "./MemoryState.ts"

/** The questions of the execution port over a memory state. */
export const make = (state: MemoryState.MemoryState): Omit<ExecutionStore["Service"], "append"> => ({
  rollups: (ref, testId, window, width) =>
    MemoryState.read(state, ref, (repository) =>
      whenKnown(MemoryState.identitiesOf(repository, testId), (entries) => rollups(entries, window, width))
    ),
  changes: (ref, testId) =>
    MemoryState.read(state, ref, (repository) =>
      whenKnown(MemoryState.identitiesOf(repository, testId), (entries) => changes(entries, policyOf(repository)))
    ),
  series: (ref, testId, window, width) =>
    MemoryState.read(state, ref, (repository) =>
      whenKnown(MemoryState.identitiesOf(repository, testId), (entries) => ({
        rollups: rollups(entries, window, width),
        changes: changes(entries, policyOf(repository))
      }))
    ),
  counts: (ref, testId, window) =>
    MemoryState.read(state, ref, (repository) =>
      whenKnown(MemoryState.identitiesOf(repository, testId), (entries) =>
        entries
          .map(([entry]) => ({ identity: entry.identity, executions: countIn(entry, window) }))
          .filter(({ executions }) => executions > 0)
      )
    ),
  within: (ref, testIds, window) =>
    MemoryState.read(state, ref, (entry) => {
      const lists = testIds.map((testId) => {
        const identities = MemoryState.identitiesOf(entry, testId).map(([{ identity, main }]) => ({
          identity,
          executions: main.filter(({ at }) => TimeWindow.contains(window, at)).map(recordedOf)
        }))
        return [testId, identities.filter(({ executions }) => executions.length > 0)] as const
      })
      return new Map(lists.filter(([, identities]) => identities.length > 0))
    }),
  firstAt: (ref, since) =>
    MemoryState.read(state, ref, (repository) =>
      (repository?.entries ?? [])
        .flatMap(({ main }) => main.find(({ at }) => at >= since) ?? [])
        .reduce<Option.Option<number>>(
          (first, { at }) =>
            Option.some(
              Math.min(
                at,
                Option.getOrElse(first, () => at)
              )
            ),
          Option.none()
        )
    ),
  history: (ref, testId) =>
    MemoryState.read(state, ref, (repository) =>
      whenKnown(MemoryState.identitiesOf(repository, testId), (entries) =>
        entries.map(([entry]): IdentityHistory => ({
          identity: entry.identity,
          base: IdentityEntry.baseOf(entry),
          executions: entry.main.map(recordedOf),
          contradictions: Elsewhere.contradictions(entry.elsewhere)
        }))
      )
    )
})

const policyOf = (repository: Parameters<typeof MemoryState.policiesOf>[0]) => MemoryState.policiesOf(repository).health

type Entries = ReadonlyArray<readonly [IdentityEntry.IdentityEntry, IdentityEntry.StoredExecution]>

const whenKnown = <A>(entries: Entries, read: (entries: Entries) => A): Option.Option<A> =>
  entries.length === 0 ? Option.none() : Option.some(read(entries))

const changes = (entries: Entries, policy: HealthPolicy.HealthPolicy) =>
  entries.map(([entry]) => IdentityEntry.changesOf(entry, policy))

const rollups = (entries: Entries, window: TimeWindow.TimeWindow, width: number): ReadonlyArray<Rollup.Rollup> =>
  Rollups.merged(entries.map(([entry]) => Statistic.rollups(entry.main, window, width, IdentityEntry.baseOf(entry))))

/** A copy with the fields of the port: what is kept changes when an outage turns out to be one, an answer does not. */
const recordedOf = (execution: IdentityEntry.StoredExecution): RecordedExecution => ({
  id: execution.id,
  at: execution.at,
  commit: execution.commit,
  conclusion: execution.conclusion,
  flaky: execution.flaky,
  reruns: execution.reruns,
  excused: execution.excused,
  outage: execution.outage,
  many: execution.many,
  durationMs: execution.durationMs,
  exceptionType: execution.exceptionType,
  runId: execution.runId,
  jobUrl: execution.jobUrl
})

const countIn = (entry: IdentityEntry.IdentityEntry, window: TimeWindow.TimeWindow): number =>
  entry.main.filter(({ at }) => TimeWindow.contains(window, at)).length
