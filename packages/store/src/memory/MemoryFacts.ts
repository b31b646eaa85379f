/**
 * Executions in memory, and every question about them, over plain rows that are kept elsewhere: the driver in memory is
 * this over rows in memory; another engine adds rows of its own, and a journal from which the facts come back.
 */
import { type Instant, type Report, Repository, Retention, type TestAlias, type TestId } from "@lazaret/domain"
import { Effect, Random } from "effect"
import { absent, type Driver, type Transaction } from "../Driver.ts"
import * as Drop from "./Drop.ts"
import * as ForgottenTest from "./ForgottenTest.ts"
import * as MemoryCauseFacts from "./MemoryCauseFacts.ts"
import * as MemoryCostFacts from "./MemoryCostFacts.ts"
import * as MemoryExecutionStore from "./MemoryExecutionStore.ts"
import * as MemoryJobHistories from "./MemoryJobHistories.ts"
import * as MemoryFailureStore from "./MemoryFailureStore.ts"
import * as MemoryRecording from "./MemoryRecording.ts"
import * as MemoryState from "./MemoryState.ts"
import * as MemoryTestStore from "./MemoryTestStore.ts"
import * as MemoryTriageStore from "./MemoryTriageStore.ts"
import * as MemoryUpkeepStore from "./MemoryUpkeepStore.ts"
import * as Regrouping from "./Regrouping.ts"
import * as RepositoryEntry from "./RepositoryEntry.ts"
import * as Versions from "./Versions.ts"
import type { RowDriver } from "../driver/RowDriver.ts"
import * as Aliases from "../report/Aliases.ts"
import { repositories } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"

/** Something that changes the facts of a repository. The same entries in the same order lead to the same facts. */
export type Entry =
  | { readonly _tag: "Report"; readonly report: Report.Report }
  | { readonly _tag: "Settings"; readonly settings: Repository.RepositorySettings }
  | { readonly _tag: "Horizon"; readonly horizon: Instant.Instant }
  | { readonly _tag: "Forgotten"; readonly testId: TestId.TestId }
  | { readonly _tag: "Aliases"; readonly links: ReadonlyArray<TestAlias.Link> }

/** A journal: entries are written to it in the transaction that they belong to. */
export interface Journal {
  readonly write: (ref: Repository.RepositoryRef, entry: Entry) => Effect.Effect<void, StoreError>
  /** Deletes the entries of a repository, in the transaction that deletes the repository. */
  readonly erase: (ref: Repository.RepositoryRef) => Effect.Effect<void, StoreError>
  /** The entries of earlier processes, in order. */
  readonly past: ReadonlyArray<readonly [ref: Repository.RepositoryRef, entry: Entry]>
}

/** A journal of facts that end with the process. */
export const noJournal: Journal = { write: () => Effect.void, erase: () => Effect.void, past: [] }

/** The driver with these rows. */
export const driver = (rows: RowDriver, journal: Journal): Effect.Effect<Driver["Service"]> =>
  Effect.gen(function* () {
    const state = MemoryState.make()
    for (const [ref, entry] of journal.past) yield* MemoryState.change(state, ref, (facts) => replay(facts, entry))
    const { read, scan, snapshot } = rows
    const versions = Versions.make((yield* Random.nextInt).toString(36))

    /** Raises the version before the writes and after them: an answer that holds a part of them has a version of its own. */
    const transact: Driver["Service"]["transact"] = (operation, scope, at, body) =>
      scope === null
        ? rows.transact(operation, scope, at, body)
        : versions.around(scope, (raise) =>
            rows.transact(operation, scope, at, (transaction) => Effect.andThen(raise, body(transaction)))
          )

    const isKnown = (operation: string, ref: Repository.RepositoryRef) =>
      read(operation, null, (view) =>
        Effect.map(view.count(repositories, [["key", "in", [Repository.key(ref)]]]), (count) => count > 0)
      )

    const version: Driver["Service"]["version"] = (operation, ref) => versions.of(ref, isKnown(operation, ref))

    const configure: Driver["Service"]["configure"] = (operation, ref, at, decide) =>
      transact(operation, ref, at, () =>
        Effect.gen(function* () {
          const settings = yield* decide(MemoryState.find(state, ref)?.settings ?? Repository.defaultSettings)
          const repository = yield* rows.setSettings(ref, settings)
          yield* journal.write(ref, { _tag: "Settings", settings })
          yield* MemoryState.change(state, ref, (entry) => RepositoryEntry.set(entry, settings))
          return repository
        })
      )

    const erase: Driver["Service"]["erase"] = (operation, ref) =>
      versions.around(ref, (raise) =>
        rows.erase(
          operation,
          ref,
          Effect.tap(Effect.andThen(raise, journal.erase(ref)), () => MemoryState.forget(state, ref))
        )
      )

    const forget: Driver["Service"]["forget"] = (operation, ref, testId, body) =>
      Effect.gen(function* () {
        if (!(yield* isKnown(operation, ref))) return false
        return yield* transact(operation, ref, null, (transaction) =>
          Effect.gen(function* () {
            const removed = yield* body(transaction)
            yield* journal.write(ref, { _tag: "Forgotten", testId })
            const isFound = yield* MemoryState.change(state, ref, (entry) =>
              Effect.sync(() => ForgottenTest.remove(entry, testId))
            )
            return isFound || removed > 0
          })
        )
      })

    const regroup: Driver["Service"]["regroup"] = (operation, ref, at, body) =>
      transact(operation, ref, at, (transaction) =>
        Effect.gen(function* () {
          const done = yield* body(transaction)
          const links = yield* Aliases.linksIn(transaction)
          yield* journal.write(ref, { _tag: "Aliases", links })
          yield* MemoryState.change(state, ref, (entry) => Regrouping.regroup(entry, links))
          return done
        })
      )

    const append: Driver["Service"]["executions"]["append"] = (ref, report) =>
      transact("ExecutionStore.append", ref, report.receivedAt, (transaction) =>
        Effect.gen(function* () {
          const outcome = yield* MemoryState.change(state, ref, (entry) => record(entry, report, transaction))
          const isNew = outcome._tag === "Recorded" || outcome._tag === "Trimmed"
          if (isNew) yield* journal.write(ref, { _tag: "Report", report })
          return outcome
        })
      )

    const drop: Driver["Service"]["retention"]["drop"] = (ref, before) =>
      Effect.gen(function* () {
        if (!(yield* isKnown("RetentionStore.drop", ref))) return Drop.nothing
        const horizon = Retention.startOfWeek(before)
        return yield* transact("RetentionStore.drop", ref, null, () =>
          Effect.andThen(
            journal.write(ref, { _tag: "Horizon", horizon }),
            MemoryState.change(state, ref, (entry) => Drop.before(entry, horizon))
          )
        )
      })

    const refold: Driver["Service"]["upkeep"]["refold"] = (ref) =>
      Effect.tap(isKnown("UpkeepStore.refold", ref), (known) =>
        known
          ? transact("UpkeepStore.refold", ref, null, () => MemoryState.change(state, ref, RepositoryEntry.refold))
          : Effect.void
      )

    return {
      read,
      snapshot,
      transact,
      scan,
      configure,
      erase,
      forget,
      regroup,
      version,
      executions: { ...MemoryExecutionStore.make(state), append },
      tests: MemoryTestStore.make(state),
      failures: MemoryFailureStore.make(state),
      triage: MemoryTriageStore.make(state),
      causeFacts: MemoryCauseFacts.make(state),
      histories: MemoryJobHistories.make(state),
      costFacts: MemoryCostFacts.make(state),
      retention: { drop, tidy: () => Effect.succeed({ allocated: 0, freed: 0, compacted: 0 }) },
      upkeep: {
        takesWrites: Effect.void,
        refold,
        verify: MemoryUpkeepStore.verify(state),
        outdated: Effect.succeed([])
      }
    }
  })

const record = (entry: RepositoryEntry.RepositoryEntry, report: Report.Report, rows: Transaction) =>
  Effect.flatMap(MemoryRecording.record(entry, rows, [report]), ([outcome]) =>
    outcome === undefined ? Effect.die(new Error("a report has no outcome")) : Effect.succeed(outcome)
  )

const replay = (entry: RepositoryEntry.RepositoryEntry, change: Entry): Effect.Effect<void> => {
  switch (change._tag) {
    case "Report":
      // The plain rows were written with the entry; only they could fail.
      return Effect.asVoid(Effect.orDie(record(entry, change.report, absent)))
    case "Settings":
      return RepositoryEntry.set(entry, change.settings)
    case "Horizon":
      return Effect.asVoid(Drop.before(entry, change.horizon))
    case "Aliases":
      return Regrouping.regroup(entry, change.links)
    case "Forgotten":
      return Effect.sync(() => void ForgottenTest.remove(entry, change.testId))
  }
}
