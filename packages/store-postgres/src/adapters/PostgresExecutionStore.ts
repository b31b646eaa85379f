/** Executions in PostgreSQL. */
import {
  HealthSeries,
  type Instant,
  Report,
  Repository,
  Retention,
  type Rollup,
  Statistic,
  type TestId,
  TimeWindow
} from "@lazaret/domain"
import {
  ExecutionStore,
  type IdentityExecutions,
  type IdentityHistory,
  type RecordedExecution,
  Rollups,
  type StoreError
} from "@lazaret/store"
import { Effect, Layer, Option, type Scope } from "effect"
import * as Acceptance from "../append/Acceptance.ts"
import * as Append from "../append/Append.ts"
import { AppendQueue, type Write } from "../append/AppendQueue.ts"
import type { Options } from "../repository/Session.ts"
import * as Damage from "../database/Damage.ts"
import { PostgresClient } from "../database/PostgresClient.ts"
import * as KnownTests from "../reading/KnownTests.ts"
import * as Names from "../blocks/Names.ts"
import * as UploadFacts from "../blocks/UploadFacts.ts"
import * as Snapshot from "../reading/Snapshot.ts"
import * as TestBases from "../reading/TestBases.ts"
import * as TestContradictions from "../reading/TestContradictions.ts"
import * as TestExecutions from "../reading/TestExecutions.ts"
import { RepositoryDirectory } from "../repository/RepositoryDirectory.ts"
import * as StoreFailure from "../database/StoreFailure.ts"
import * as StoreMetrics from "../database/StoreMetrics.ts"
import { Resolvers } from "../append/Aliased.ts"
import { TestNumbers } from "../append/TestNumbers.ts"
import { Weeks } from "../append/Weeks.ts"

/** The execution port. */
export const layerWith = (options: Options): Layer.Layer<ExecutionStore, never, PostgresClient | RepositoryDirectory> =>
  Layer.effect(
    ExecutionStore,
    Effect.gen(function* () {
      const reader = { client: yield* PostgresClient, directory: yield* RepositoryDirectory }
      return ExecutionStore.of({
        append: yield* append(reader, options),
        rollups: (ref, testId, window, width) =>
          whenKnown(reader, "ExecutionStore.rollups", { ref, testId }, (_, executions, bases) =>
            Effect.succeed(rollups(executions, bases, window, width))
          ),
        changes: (ref, testId) => whenKnown(reader, "ExecutionStore.changes", { ref, testId }, changes(reader)),
        series: (ref, testId, window, width) =>
          whenKnown(reader, "ExecutionStore.series", { ref, testId }, (where, executions, bases) =>
            Effect.map(changes(reader)(where, executions, bases), (found) => ({
              rollups: rollups(executions, bases, window, width),
              changes: found
            }))
          ),
        counts: (ref, testId, window) =>
          whenKnown(reader, "ExecutionStore.counts", { ref, testId }, (_, executions) =>
            Effect.succeed(counts(executions, window))
          ),
        within: (ref, testIds, window) =>
          Snapshot.ofRepository<Within>(reader, "ExecutionStore.within", ref, new Map(), (repositoryId) =>
            within(reader, repositoryId, testIds, window)
          ),
        firstAt: (ref, since) =>
          Snapshot.ofRepository<Option.Option<Instant.Instant>>(
            reader,
            "ExecutionStore.firstAt",
            ref,
            Option.none(),
            (repositoryId) => UploadFacts.firstAt(reader.client.sql, repositoryId, since)
          ),
        history: (ref, testId) => whenKnown(reader, "ExecutionStore.history", { ref, testId }, history(reader))
      })
    })
  )

type Reader = Snapshot.Reader

type Executions = Effect.Success<ReturnType<typeof TestExecutions.select>>

const append = Effect.fnUntraced(function* (
  { client, directory }: Reader,
  options: Options
): Effect.fn.Return<ExecutionStore["Service"]["append"], never, Scope.Scope> {
  const operation = "ExecutionStore.append"
  const recorder = { sql: client.sql, numbers: new TestNumbers(), aliases: new Resolvers(), options }
  const weeks = new Weeks(client)
  const write: Write = (entries) => {
    const [{ ref, report }] = entries
    const reports = entries.map((entry) => entry.report)
    return client.transaction(
      operation,
      directory.within(
        ref,
        Effect.flatMap(directory.ensure(ref, report.receivedAt), (repositoryId) =>
          Append.record(recorder, repositoryId, reports)
        )
      ),
      // A report of a group that fails is tried alone.
      (error) => StoreFailure.isMissingPartition(error) || (entries.length > 1 && error.reason !== "unavailable")
    )
  }
  const queue = new AppendQueue(write, yield* Effect.scope)
  return (ref, report) =>
    Acceptance.check(operation, report).pipe(
      // Each of these is a pass over all executions. Yield between them, so that other requests can run.
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(Effect.suspend(() => weeks.ensure(operation, instantsOf(report), report.receivedAt))),
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(queue.offer(Repository.key(ref), { ref, report })),
      Effect.tapError((error) => Effect.sync(() => StoreFailure.isMissingPartition(error) && weeks.forget())),
      Effect.retry({ times: 3, while: StoreFailure.isMissingPartition }),
      Effect.tapError((error) => (StoreFailure.isMissingPartition(error) ? StoreMetrics.failure(error) : Effect.void))
    )
})

/** Instants in every week of a report. */
const instantsOf = (report: Report.Report): ReadonlyArray<Instant.Instant> => {
  const { earliest, latest } = Report.span(report)
  const isOneWeek = Retention.startOfWeek(earliest) === Retention.startOfWeek(latest)
  return isOneWeek ? [earliest] : report.executions.map(({ at }) => at)
}

/** Reads all stored executions of a test that has executions on the default branch. */
const whenKnown = <A>(
  reader: Reader,
  operation: string,
  { ref, testId }: { readonly ref: Repository.RepositoryRef; readonly testId: TestId.TestId },
  answer: (where: Known, executions: Executions, bases: TestBases.TestBases) => Effect.Effect<A, StoreFailure.Failure>
): Effect.Effect<Option.Option<A>, StoreError> =>
  Snapshot.ofRepository<Option.Option<A>>(reader, operation, ref, Option.none(), (repositoryId) =>
    Effect.gen(function* () {
      const { sql } = reader.client
      const known = yield* KnownTests.selectIntact(sql, repositoryId, [testId])
      if (known.tests.length === 0) return Option.none()
      const { settings } = known
      const executions = yield* TestExecutions.select(sql, repositoryId, known.tests)
      const bases = yield* TestBases.select(sql, repositoryId, known)
      return Option.some(yield* answer({ repositoryId, settings }, executions, bases))
    })
  )

interface Known extends Pick<KnownTests.KnownTests, "settings"> {
  readonly repositoryId: number
}

const rollups = (
  tests: Executions,
  bases: TestBases.TestBases,
  window: TimeWindow.TimeWindow,
  width: number
): ReadonlyArray<Rollup.Rollup> => {
  const lists = tests.map(([test, executions]) =>
    Statistic.rollups(executions, window, width, TestBases.stateOf(bases(test)))
  )
  return Rollups.merged(lists)
}

const counts = (tests: Executions, window: TimeWindow.TimeWindow) =>
  tests
    .map(([{ identity }, executions]) => ({
      identity,
      executions: executions.filter(({ at }) => TimeWindow.contains(window, at)).length
    }))
    .filter(({ executions }) => executions > 0)

const changes = ({ client: { sql } }: Reader) =>
  Effect.fnUntraced(function* ({ repositoryId, settings }: Known, tests: Executions, bases: TestBases.TestBases) {
    const contradictions = yield* TestContradictions.select(sql, repositoryId, settings, tests)
    const series = tests.map(([test, executions]) => {
      const exceptions = new Map(executions.map((execution) => [execution.id, execution.exceptionType]))
      return HealthSeries.changesSince(
        bases(test),
        contradictions.itemsOf(test, executions),
        settings.policies.health,
        (id) => exceptions.get(id) ?? null
      )
    })
    const marks = series.flatMap((list) => list.flatMap(({ episode, trigger }) => [trigger, episode]))
    const names = yield* Names.select(sql, repositoryId, Names.ofMarks(marks))
    return series.map((list) =>
      list.map((change): HealthSeries.Change => ({
        ...change,
        trigger: Names.mark(names, change.trigger),
        episode: Names.markOrNull(names, change.episode)
      }))
    )
  })

const history = ({ client: { sql } }: Reader) =>
  Effect.fnUntraced(function* ({ repositoryId, settings }: Known, tests: Executions, bases: TestBases.TestBases) {
    const contradictions = yield* TestContradictions.select(sql, repositoryId, settings, tests)
    const all = Names.ofMarks(tests.flatMap(([, executions]) => executions))
    const before = TestBases.namesIn(tests.map(([test]) => bases(test)))
    const others = Names.ofMarks(tests.flatMap(([test]) => contradictions.of(test)))
    const names = yield* Names.select(sql, repositoryId, {
      executions: [...all.executions, ...before.executions, ...others.executions],
      commits: [...all.commits, ...before.commits, ...others.commits]
    })
    return tests.map(([test, executions]): IdentityHistory => ({
      identity: test.identity,
      base: Names.state(names, TestBases.stateOf(bases(test))),
      executions: executions.map((execution) => recorded(names, execution)),
      contradictions: contradictions.of(test).map((each) => TestContradictions.named(names, each))
    }))
  })

type Within = ReadonlyMap<TestId.TestId, ReadonlyArray<IdentityExecutions>>

const within = Effect.fnUntraced(function* (
  { client: { sql } }: Reader,
  repositoryId: number,
  testIds: ReadonlyArray<TestId.TestId>,
  window: TimeWindow.TimeWindow
) {
  const known = yield* KnownTests.select(sql, repositoryId, testIds)
  const { damaged, tests: stored } = yield* TestExecutions.selectReadable(sql, repositoryId, known.tests, window)
  yield* Damage.logAll({ sql }, damaged)
  const tests = stored.map(
    ([test, executions]) => [test, executions.filter(({ at }) => TimeWindow.contains(window, at))] as const
  )
  const names = yield* Names.select(sql, repositoryId, Names.ofMarks(tests.flatMap(([, executions]) => executions)))
  const found = new Map<TestId.TestId, ReadonlyArray<IdentityExecutions>>()
  for (const [{ identity, testId }, executions] of tests) {
    if (executions.length === 0) continue
    const one = { identity, executions: executions.map((execution) => recorded(names, execution)) }
    found.set(testId, [...(found.get(testId) ?? []), one])
  }
  return found
})

const recorded = (names: Names.Names, execution: TestExecutions.TestExecution): RecordedExecution => ({
  id: names.execution(execution.id),
  at: execution.at,
  commit: names.commit(execution.commit),
  conclusion: execution.conclusion,
  flaky: execution.flaky,
  reruns: execution.reruns,
  excused: execution.excused,
  outage: execution.outage,
  many: execution.many,
  durationMs: execution.durationMs,
  exceptionType: execution.exceptionType,
  runId: names.upload(execution.id)?.run_id ?? "",
  jobUrl: names.upload(execution.id)?.job_url ?? null
})
