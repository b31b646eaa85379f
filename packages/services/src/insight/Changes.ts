/** The use case of finding the commits among which a test, or the tests of a cause, began to fail (beyond the interface). */
import {
  ChangeInterval,
  type ChangeRuns,
  Health,
  type HealthSeries,
  Instant,
  Repository,
  SourceLinks,
  TestId,
  TestIdentity,
  type TimeWindow
} from "@lazaret/domain"
import { ExecutionStore, RepositoryStore, type RecordedExecution, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import * as Lookup from "../answer/Lookup.ts"
import type { CauseNotFound, RepositoryNotFound, TestNotFound } from "../answer/ServiceError.ts"
import { Causes } from "./Causes.ts"

/**
 * The change of a test or of a cause.
 *
 * **Details**
 *
 * `isHealthy`: the test does not fail any more, so that no change is looked for. `links`: where the hosting platform shows the
 * commits; null when it is not known.
 */
export interface FoundChange extends ChangeInterval.ChangeInterval {
  readonly isHealthy: boolean
  readonly links: SourceLinks.SourceLinks | null
}

/** Finds changes. */
export class Changes extends Context.Service<
  Changes,
  {
    /** The change that made a test flaky or broken, from its runs since it was last healthy, at most of {@link days} days. */
    readonly ofTest: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<FoundChange, RepositoryNotFound | StoreError | TestNotFound>
    /** The change that brought a cause, from the runs of its {@link mostTests} tests that fail most often. */
    readonly ofCause: (
      ref: Repository.RepositoryRef,
      causeId: string
    ) => Effect.Effect<FoundChange, CauseNotFound | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Changes") {
  /** The use case over the storage ports and causes. */
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const repository = Lookup.repository(yield* RepositoryStore)
      const executions = yield* ExecutionStore
      const tests = yield* TestStore
      const causes = yield* Causes

      const linksOf = Effect.fnUntraced(function* ({ owner, repository: name, settings }: Repository.Repository) {
        const upload = Option.getOrNull(yield* tests.lastUpload({ owner, repository: name }))
        return SourceLinks.of(settings.repositoryUrl, upload?.jobUrls ?? [], { owner, repository: name })
      })

      const ofTest = Effect.fn("Changes.ofTest")(function* (ref: Repository.RepositoryRef, testId: TestId.TestId) {
        const found = yield* repository(ref)
        const now = yield* Clock.currentTimeMillis
        const series = yield* Effect.flatMap(executions.changes(ref, testId), Lookup.orNoTest(ref, testId))
        const unhealthy = series.filter((changes) => changes.some(({ status }) => status !== "healthy"))
        const since = unhealthy.flatMap((changes) => healthySince(changes) ?? [])
        const isHealthy = since.length === 0
        const start = Math.max(now - days * Instant.day, Math.min(now, ...since))
        const lists = isHealthy ? [] : yield* listsOf(ref, [testId], { start, end: now + 1 })
        const runs = lists.flatMap(({ executions: list, identity }) =>
          list.map((execution) => runOf(execution, { key: execution.id, stream: TestIdentity.key(identity) }))
        )
        return { ...ChangeInterval.of(failing(runs)), isHealthy, links: yield* linksOf(found) }
      })

      const ofCause = Effect.fn("Changes.ofCause")(function* (ref: Repository.RepositoryRef, causeId: string) {
        const found = yield* repository(ref)
        const { known } = yield* causes.get(ref, causeId)
        const now = yield* Clock.currentTimeMillis
        const window = { start: now - days * Instant.day, end: now + 1 }
        const names = known.tests.slice(0, mostTests).map(({ testName }) => TestId.of(testName))
        // Tests fail together: the tests of one report are one run.
        const runs = (yield* listsOf(ref, names, window)).flatMap(({ executions: list, identity }) =>
          list.map((execution) => runOf(execution, { key: reportOf(execution.id), stream: jobOf(identity) }))
        )
        return { ...ChangeInterval.of(failing(runs)), isHealthy: false, links: yield* linksOf(found) }
      })

      const listsOf = (
        ref: Repository.RepositoryRef,
        ids: ReadonlyArray<TestId.TestId>,
        window: TimeWindow.TimeWindow
      ) =>
        Effect.map(executions.within(ref, ids, window), (byTest) =>
          [...byTest.values()]
            .flat()
            .map(({ executions: list, identity }) => ({ identity, executions: list.filter(Health.counts) }))
        )

      return Changes.of({ ofTest, ofCause })
    })
  ).pipe(Layer.provide(Causes.layer))
}

/** How many days of runs are evaluated, and how many tests of a cause. */
export const days = 90
export const mostTests = 20

/** Since when an identity that is not healthy was healthy before; null for a healthy one. */
const healthySince = (changes: ReadonlyArray<HealthSeries.Change>): Instant.Instant | null =>
  changes.at(-1)?.status === "healthy"
    ? null
    : (changes.findLast(({ status }) => status === "healthy")?.trigger.at ?? 0)

/** A pass that needed reruns has failed, too. */
const runOf = (
  { at, commit, conclusion, flaky }: RecordedExecution,
  of: Pick<ChangeRuns.Run, "key" | "stream">
): ChangeRuns.Run => ({ ...of, commit, at, failed: conclusion === "failed" || flaky })

/** The runs of streams with a failure: in other jobs nothing changed. */
const failing = (runs: ReadonlyArray<ChangeRuns.Run>): ReadonlyArray<ChangeRuns.Run> => {
  const streams = new Set(runs.filter(({ failed }) => failed).map(({ stream }) => stream))
  return runs.filter(({ stream }) => streams.has(stream))
}

const jobOf = ({ jobName, pipelineName }: TestIdentity.TestIdentity): string => `${pipelineName}\0${jobName}`

/** The id of the report of an execution (`ExecutionStore.append`). */
const reportOf = (executionId: string): string => executionId.slice(0, executionId.lastIndexOf("."))
