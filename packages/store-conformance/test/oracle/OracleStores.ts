/** The oracle as a layer: every storage port, answered by definition. */
import { Health, Report, Repository, TestId } from "@lazaret/domain"
import {
  type AppendOutcome,
  EventStore,
  ExecutionStore,
  FailureStore,
  KeyStore,
  type Stores,
  QuarantineStore,
  QueueStore,
  RepositoryStore,
  RetentionStore,
  SubscriptionStore,
  TestStore,
  UpkeepStore
} from "@lazaret/store"
import { Context, Effect, Layer, Option } from "effect"
import { compareText, type Facts } from "./Facts.ts"
import * as Events from "./Events.ts"
import * as Failures from "./Failures.ts"
import * as Identities from "./Identities.ts"
import * as Quarantines from "./Quarantines.ts"
import * as Queues from "./Queues.ts"
import * as Searches from "./Searches.ts"
import * as Subscriptions from "./Subscriptions.ts"
import { byCreation, empty, ensure, find, keyOf, type Ref, requireText, type World } from "./World.ts"

const repositoryOf = ({ createdAt, owner, repository, settings }: Facts): Repository.Repository => ({
  owner,
  repository,
  createdAt,
  settings
})

const contentOf = (report: Report.Report): string => JSON.stringify([Report.runKey(report.run), report.digest])

const append = (facts: Facts, report: Report.Report): AppendOutcome => {
  const withKey = facts.reports.find((other) => other.key === report.key)
  if (withKey !== undefined && contentOf(withKey) !== contentOf(report)) return { _tag: "Conflict" }
  const same = facts.reports.find((other) => contentOf(other) === contentOf(report))
  if (same !== undefined) return { _tag: "Duplicate", reportId: same.id }
  Events.around(facts, report, () => {
    facts.reports.push(report)
    if (report.run.pullRequest !== null) facts.pulls.set(report.run.commit, report.run.pullRequest)
  })
  return { _tag: "Recorded", reportId: report.id }
}

const subjectsWith = (facts: Facts | undefined, testId: string): ReadonlyArray<Identities.Subject> =>
  facts === undefined
    ? []
    : Identities.subjectsOf(facts).filter(({ identity }) => TestId.of(identity.testName) === testId)

const executionStore = (world: World) => {
  const whenKnown = <A>(ref: Ref, testId: string, read: (subjects: ReadonlyArray<Identities.Subject>) => A) =>
    Effect.sync(() => {
      const subjects = subjectsWith(find(world, ref), testId)
      return subjects.length === 0 ? Option.none<A>() : Option.some(read(subjects))
    })
  return ExecutionStore.of({
    append: (ref, report) =>
      Effect.andThen(
        requireText("ExecutionStore.append", report),
        Effect.sync(() => append(ensure(world, ref, report.receivedAt), report))
      ),
    rollups: (ref, testId, window, width) =>
      whenKnown(ref, testId, (subjects) =>
        Array.from({ length: (window.end - window.start) / width }, (_, index) => {
          const start = window.start + index * width
          return subjects.map((subject) => Identities.rollupOf(subject, start, start + width)).reduce(Identities.plus)
        })
      ),
    changes: (ref, testId) => whenKnown(ref, testId, (subjects) => subjects.map(Identities.changesOf)),
    counts: (ref, testId, { end, start }) =>
      whenKnown(ref, testId, (subjects) =>
        subjects
          .map((subject) => ({
            identity: subject.identity,
            executions: Identities.rollupOf(subject, start, end).executions
          }))
          .filter(({ executions }) => executions > 0)
      ),
    within: (ref, testIds, { end, start }) =>
      Effect.sync(() => {
        const lists = testIds.map((testId) => {
          const identities = subjectsWith(find(world, ref), testId).map((subject) =>
            Identities.recordedOf(subject).filter(({ at }) => start <= at && at < end)
          )
          return [testId, identities.filter((executions) => executions.length > 0)] as const
        })
        return new Map(lists.filter(([, identities]) => identities.length > 0))
      }),
    history: (ref, testId) =>
      whenKnown(ref, testId, (subjects) =>
        subjects.map((subject) => ({
          identity: subject.identity,
          base: Health.initial,
          executions: Identities.recordedOf(subject)
        }))
      )
  })
}

const testStore = (world: World) =>
  TestStore.of({
    page: (ref, query) =>
      Effect.sync(() => {
        const facts = find(world, ref)
        return facts === undefined
          ? { rows: [], hasPrevious: false, hasNext: false, total: 0 }
          : Searches.pageOf(facts, query)
      }),
    get: (ref, testId, now) =>
      Effect.sync(() => {
        const [first, ...others] = subjectsWith(find(world, ref), testId).map((subject) =>
          Identities.recordOf(subject, now)
        )
        return first === undefined ? Option.none() : Option.some([first, ...others] as const)
      }),
    health: (ref, testIds, now) =>
      Effect.sync(
        () =>
          new Map(
            testIds
              .map((testId) => [testId, subjectsWith(find(world, ref), testId)] as const)
              .filter(([, subjects]) => subjects.length > 0)
              .map(([testId, subjects]) => [testId, subjects.map((subject) => Identities.healthOf(subject, now))])
          )
      ),
    active: (ref, now) => Effect.sync(() => Searches.activeOf(find(world, ref) ?? empty, now)),
    count: (ref, query) => Effect.sync(() => Searches.countOf(find(world, ref) ?? empty, query))
  })

const failureStore = (world: World) => {
  const groups = (ref: Ref, testId: string) => Failures.groupsOf(find(world, ref) ?? empty, testId)
  return FailureStore.of({
    list: (ref, testId) =>
      Effect.sync(() => Option.fromUndefinedOr(groups(ref, testId)?.map(({ failure }) => failure))),
    get: (ref, testId, failureId) =>
      Effect.sync(() => Option.fromUndefinedOr(groups(ref, testId)?.find(({ failure }) => failure.id === failureId)))
  })
}

const repositoryStore = (world: World) => {
  const change: RepositoryStore["Service"]["change"] = (ref, changed, at) =>
    Effect.suspend(() => {
      const settings = changed(find(world, ref)?.settings ?? Repository.defaultSettings)
      return Effect.map(requireText("RepositoryStore.set", settings), () => {
        const facts = ensure(world, ref, at)
        facts.settings = settings
        return repositoryOf(facts)
      })
    })

  return RepositoryStore.of({
    get: (ref) => Effect.sync(() => Option.map(Option.fromUndefinedOr(find(world, ref)), repositoryOf)),
    list: Effect.sync(() =>
      [...world.repositories.values()].map(repositoryOf).toSorted((a, b) => compareText(keyOf(a), keyOf(b)))
    ),
    set: (ref, settings, at) => change(ref, () => settings, at),
    change,
    recordPulls: (ref, pulls, at) =>
      Effect.andThen(
        requireText("RepositoryStore.recordPulls", pulls),
        Effect.sync(() => {
          const facts = ensure(world, ref, at)
          for (const { commit, pull } of pulls) facts.pulls.set(commit, pull)
        })
      ),
    pulls: (ref, commits) =>
      Effect.sync(() => new Map([...(find(world, ref)?.pulls ?? [])].filter(([commit]) => commits.includes(commit))))
  })
}

const keyStore = (world: World) =>
  KeyStore.of({
    insert: (key) =>
      Effect.andThen(
        requireText("KeyStore.insert", key),
        Effect.sync(() => {
          if (world.keys.some(({ hash, id }) => id === key.id || hash === key.hash)) return false
          world.keys = [...world.keys, key]
          return true
        })
      ),
    find: (hash) => Effect.sync(() => Option.fromUndefinedOr(world.keys.find((key) => key.hash === hash))),
    list: Effect.sync(() => world.keys.toSorted(byCreation)),
    revoke: (id, at) =>
      Effect.sync(() => {
        const isActive = world.keys.some((key) => key.id === id && key.revokedAt === null)
        if (isActive) world.keys = world.keys.map((key) => (key.id === id ? { ...key, revokedAt: at } : key))
        return isActive
      })
  })

/** The definitions are about everything that was ever uploaded: the oracle forgets nothing. */
const retentionStore = RetentionStore.of({
  drop: () => Effect.die("the oracle forgets nothing"),
  tidy: () => Effect.die("the oracle forgets nothing")
})

/** What is computed with every question is never wrong. */
const upkeepStore = (world: World) =>
  UpkeepStore.of({
    refold: (ref) => Effect.sync(() => find(world, ref) !== undefined),
    verify: () => Effect.succeed([])
  })

/** Every storage port, answered by definition. */
export const layer: Layer.Layer<Stores.Stores> = Layer.effectContext(
  Effect.sync(() => {
    const world: World = { repositories: new Map(), keys: [] }
    return Context.make(RepositoryStore, repositoryStore(world)).pipe(
      Context.add(ExecutionStore, executionStore(world)),
      Context.add(TestStore, testStore(world)),
      Context.add(FailureStore, failureStore(world)),
      Context.add(QuarantineStore, Quarantines.storeOf(world)),
      Context.add(QueueStore, Queues.storeOf(world)),
      Context.add(SubscriptionStore, Subscriptions.storeOf(world)),
      Context.add(EventStore, Events.storeOf(world)),
      Context.add(KeyStore, keyStore(world)),
      Context.add(UpkeepStore, upkeepStore(world)),
      Context.add(RetentionStore, retentionStore)
    )
  })
)
