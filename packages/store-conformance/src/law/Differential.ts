/**
 * The differential test: the same commands on two stores, every answer compared. Whatever the cases forgot to say, one
 * store says about the other.
 */
import {
  Instant,
  Page,
  type Quarantine,
  QuarantineLife,
  Report,
  type Repository,
  Retention,
  TestFilter,
  TestId,
  TestSort
} from "@lazaret/domain"
import {
  EventStore,
  ExecutionStore,
  KeyStore,
  type Stores,
  QuarantineStore,
  QueueStore,
  RepositoryStore,
  RetentionStore,
  type StoreError,
  TestAliasStore,
  TestStore
} from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import * as Answer from "./Answer.ts"
import * as Case from "./Case.ts"
import * as Command from "./Command.ts"
import * as JobRun from "./JobRun.ts"
import * as Law from "./Law.ts"
import * as Plain from "./Plain.ts"
import * as Policy from "./Policy.ts"
import * as QueueDraw from "./QueueDraw.ts"
import * as Sample from "./Sample.ts"
import type { Violation } from "./Violation.ts"
import * as Walk from "./Walk.ts"

/** How long the generated lists of commands are, how many of them, from which seed, and which commands are left out. */
export interface Effort extends Law.Effort {
  readonly commands: number
  readonly without?: ReadonlyArray<Command.Command["_tag"]>
}

/**
 * Fails with the shortest list of commands that two stores answer differently.
 *
 * **Details**
 *
 * Both stores are built once; every list of commands works in repositories of its own.
 */
export const compare = <E>(
  left: Layer.Layer<Stores.Stores, E>,
  right: Layer.Layer<Stores.Stores, E>,
  effort: Effort
): Effect.Effect<void, Violation | E> =>
  Effect.scoped(
    Effect.gen(function* () {
      const stores = yield* Effect.all([Layer.build(Layer.fresh(left)), Layer.build(Layer.fresh(right))])
      yield* Law.forAll(
        Command.lists(effort.commands),
        (commands) =>
          compareOn(
            stores,
            commands.filter(({ _tag }) => effort.without?.includes(_tag) !== true)
          ),
        effort
      )
    })
  )

type Pair = readonly [Context.Context<Stores.Stores>, Context.Context<Stores.Stores>]

const compareOn = ([left, right]: Pair, commands: ReadonlyArray<Command.Command>) =>
  Effect.gen(function* () {
    const refs = yield* Effect.all([Case.repository, Case.repository])
    const [actual, expected] = yield* Effect.all([
      Effect.provideContext(answers(commands, refs), left),
      Effect.provideContext(answers(commands, refs), right)
    ])
    const [foundEvents, expectedEvents] = yield* Effect.all([
      Effect.provideContext(Effect.forEach(refs, events), left),
      Effect.provideContext(Effect.forEach(refs, events), right)
    ])
    for (const [index, command] of commands.entries()) {
      yield* Law.equal(actual[index], expected[index], `the answer to command ${index} (${command._tag})`)
    }
    yield* Law.equal(foundEvents, expectedEvents, "the log of events at the end")
    yield* Law.equal(actual.at(-1), expected.at(-1), "everything that can be asked at the end")
  })

/**
 * The answers of a store to commands, in two repositories: one answer for each, and at last everything that can be asked.
 */
export const answers = (
  commands: ReadonlyArray<Command.Command>,
  refs: readonly [Repository.RepositoryRef, Repository.RepositoryRef]
): Effect.Effect<ReadonlyArray<unknown>, StoreError, Stores.Stores> =>
  Effect.gen(function* () {
    const done: Done = { reports: [], quarantines: [], events: [] }
    const found: Array<unknown> = []
    for (const command of commands) {
      found.push(Plain.of(yield* execute(command, refs[command.other ? 1 : 0], done)))
    }
    found.push(yield* Effect.forEach(refs, (ref) => Answer.everything(ref)))
    return found
  })

/** The results of earlier commands that later ones refer to. */
interface Done {
  readonly reports: Array<Report.Report>
  readonly quarantines: Array<Quarantine.Quarantine>
  readonly events: Array<string>
}

/** The aliases that hold after one was asked for; its id follows from its names and the number of aliases so far. */
const alias = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, { from, to }: typeof Command.Alias.Type) {
  const store = yield* TestAliasStore
  const { length } = yield* store.list(ref)
  const wanted = { id: `${length} ${from}`, link: { kind: "name", from, to } as const }
  return yield* store.add(ref, [wanted], { by: "key 2", at: Sample.noon })
})

const unalias = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, place: number) {
  const store = yield* TestAliasStore
  const held = (yield* store.list(ref)).filter(({ revokedAt }) => revokedAt === null)
  const ids = held.slice(place % Math.max(1, held.length)).slice(0, 1)
  return yield* store.revoke(
    ref,
    ids.map(({ id }) => id),
    { by: "key 2", at: Sample.noon }
  )
})

const execute = (
  command: Command.Command,
  ref: Repository.RepositoryRef,
  done: Done
): Effect.Effect<unknown, StoreError, Stores.Stores> => {
  switch (command._tag) {
    case "Append": {
      const report = JobRun.reportOf(command.run, `report ${done.reports.length}`)
      done.reports.push(report)
      return ExecutionStore.use((store) => store.append(ref, report))
    }
    case "Again": {
      const report = again(command, done)
      return report === null ? Effect.void : ExecutionStore.use((store) => store.append(ref, report))
    }
    case "Alias":
      return alias(ref, command)
    case "Unalias":
      return unalias(ref, command.place)
    case "Configure":
      return RepositoryStore.use((store) => store.set(ref, Policy.settingsOf(command.choice), Sample.noon))
    case "Pulls": {
      const facts = command.commits.map((commit) => ({ commit, pull: Sample.pull(command.number) }))
      return RepositoryStore.use((store) => store.recordPulls(ref, facts, Sample.noon))
    }
    case "Quarantine":
      return quarantine(command, ref, done)
    case "Remove": {
      const id = done.quarantines[command.place % Math.max(1, done.quarantines.length)]?.id ?? noId
      return QuarantineStore.use((store) => store.remove(ref, id, { at: Sample.noon, by: "key 2" }))
    }
    case "Live": {
      const id = done.quarantines[command.place % Math.max(1, done.quarantines.length)]?.id ?? noId
      const change = { at: Sample.noon + command.hour * Instant.hour, by: "key 2" }
      return QuarantineStore.use((store) => store.setLife(ref, id, lifeOf(command.life), change))
    }
    case "Elapse":
      return QuarantineStore.use((store) => store.elapse(ref, Sample.noon + command.hour * Instant.hour))
    case "Queue": {
      const from = command.isKnown ? 0 : done.events.length
      const events = command.draws.map((draw, index) => QueueDraw.eventOf(draw, `e${from + index}`))
      done.events.push(...events.map(({ id }) => id))
      return QueueStore.use((store) => store.append(ref, events, Sample.noon))
    }
    case "Pause":
    case "Text":
      return govern(command, ref)
    case "Key":
    case "Revoke":
      return keys(command, ref)
    case "Erase":
      return RepositoryStore.use((store) => store.remove(ref))
    case "Forget":
      return RepositoryStore.use((store) => store.removeTest(ref, TestId.of(command.testName)))
    case "Retain": {
      const horizon = Sample.noon - command.weeks * Retention.week
      return RetentionStore.use((store) => store.drop(ref, horizon))
    }
    case "Search":
      return search(command, ref)
    case "List":
      return list(command, ref)
    case "Read":
      return Answer.everything(ref, Sample.noon + command.daysAgo * Instant.day)
  }
}

/** The facts that were reported as they arrived. */
const events = (ref: Repository.RepositoryRef) =>
  Effect.map(
    EventStore.use((store) => store.page(ref, { types: null, from: Page.start, limit: 1000 })),
    Plain.of
  )

/** A UUID that no other list of commands makes, from that in the name of the repository. */
const idOf = ({ repository }: Repository.RepositoryRef, number: number): string =>
  repository.slice(-36, -12) + String(number).padStart(12, "0")

const noId = "00000000-0000-4000-8000-000000000000"

const again = (command: typeof Command.Again.Type, done: Done): Report.Report | null => {
  const earlier = done.reports[command.place % Math.max(1, done.reports.length)]
  if (earlier === undefined) return null
  const key = command.isSameKey ? earlier.key : `${earlier.key} once more ${done.reports.length}`
  const report: Report.Report = {
    ...earlier,
    ...idsOf(earlier, key),
    key,
    digest: command.isSameContent ? earlier.digest : `other content ${done.reports.length}`,
    run: command.isSameRun ? earlier.run : { ...earlier.run, runAttempt: earlier.run.runAttempt + 1 }
  }
  done.reports.push(report)
  return report
}

const idsOf = (earlier: Report.Report, key: string): Pick<Report.Report, "id" | "executions"> => {
  const { executions, id } = Report.make({ ...earlier, key, finishedAt: Sample.noon, cases: earlier.executions })
  return { id, executions }
}

const quarantine = (command: typeof Command.Quarantine.Type, ref: Repository.RepositoryRef, done: Done) => {
  const record = Sample.quarantine(idOf(ref, done.quarantines.length), {
    testName: command.testName,
    branch: command.branch,
    source: command.isAuto ? "auto" : "manual",
    createdAt: Sample.noon + command.hour * Instant.hour,
    ...lifeOf(command.life === null ? null : command.hour + command.life),
    scope: command.isOfQueue ? "merge_queue" : "every_run"
  })
  done.quarantines.push(record)
  return QuarantineStore.use((store) => store.insert(ref, record))
}

/** A life that ends `hours` hours after noon, with its reminder an hour before. */
const lifeOf = (hours: number | null): QuarantineLife.Life =>
  hours === null
    ? QuarantineLife.unlimited
    : {
        ...QuarantineLife.unlimited,
        expiresAt: Sample.noon + hours * Instant.hour,
        remindAt: Sample.noon + (hours - 1) * Instant.hour
      }

const govern = (command: typeof Command.Pause.Type | typeof Command.Text.Type, ref: Repository.RepositoryRef) =>
  Effect.flatMap(QueueStore, (store): Effect.Effect<unknown, StoreError> => {
    if (command._tag === "Text") return store.setConfiguration(ref, command.text, Sample.noon)
    const { hour, reason } = command
    const action = { at: Sample.noon + hour * Instant.hour, by: "key 1" }
    return reason === null ? store.removePause(ref, action) : store.setPause(ref, reason, action)
  })

/** Keys belong to no repository: these are known by the repository in their ids. */
const keys = (command: typeof Command.Key.Type | typeof Command.Revoke.Type, ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* KeyStore
    const id = idOf(ref, command.id)
    const hash = (number: number) => Sample.key(idOf(ref, number)).hash
    const outcome =
      command._tag === "Revoke"
        ? yield* store.revoke(id, Sample.noon)
        : yield* store.insert(
            Sample.key(id, { owner: ref.owner, hash: hash(command.hash), createdAt: Sample.noon + command.hour })
          )
    const found = yield* store.find(hash(command.id))
    return { outcome, found, list: (yield* store.list).filter(({ owner }) => owner === ref.owner) }
  })

const search = (command: typeof Command.Search.Type, ref: Repository.RepositoryRef) => {
  const { direction, limit, sort, status } = command
  const now = Sample.noon + command.daysAgo * Instant.day
  const filter = TestFilter.make({
    testName: { include: command.include, exclude: command.exclude },
    jobName: { include: command.jobs }
  })
  return Effect.gen(function* () {
    const store = yield* TestStore
    const pages = yield* Walk.both(
      (from: Page.From<TestSort.Position>) => store.page(ref, { filter, sort, direction, limit, now, from }),
      (row) => TestSort.position(row, sort)
    )
    return { pages, count: yield* store.count(ref, { filter, status, now }) }
  })
}

const list = (command: typeof Command.List.Type, ref: Repository.RepositoryRef) =>
  Effect.gen(function* () {
    const store = yield* QuarantineStore
    const { branch, isAuto, limit } = command
    const source = isAuto === null ? null : isAuto ? "auto" : "manual"
    const now = Sample.noon + command.hour * Instant.hour
    const query = { branch, source, limit, testId: Command.testIdOf(command), now } as const
    const pages = yield* Walk.both(
      (from: Page.From<{ readonly createdAt: number; readonly id: string }>) => store.page(ref, { ...query, from }),
      ({ createdAt, id }) => ({ createdAt, id })
    )
    return { pages, among: yield* store.among(ref, { testNames: JobRun.testNames, branch, now }) }
  })
