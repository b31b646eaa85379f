/** The port of quarantines (interface 2.9, 3.3), and its rules over a driver: which records there may be, and what the automation may add. */
import {
  Event,
  type Instant,
  Page,
  Quarantine,
  QuarantineLife,
  Repository,
  type TestAlias,
  type TestId,
  Text,
  type QuarantineEvents
} from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import * as Storable from "../driver/Storable.ts"
import type { Condition } from "../driver/Table.ts"
import * as Aliases from "../report/Aliases.ts"
import { type QuarantineRow, quarantines } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"
import * as Records from "./QuarantineRecords.ts"

/** The start of a page of quarantines: creation time, then id. */
export interface QuarantinePosition {
  readonly createdAt: Instant.Instant
  readonly id: string
}

/**
 * The quarantines to list that are active at `now`.
 *
 * **Details**
 *
 * `branch` yields the records that hold in runs of that branch (`Repository.placeOf`); null fields filter nothing; `limit`
 * null yields all.
 */
export interface QuarantineQuery {
  readonly branch: string | null
  readonly testId: TestId.TestId | null
  readonly source: Quarantine.Source | null
  readonly from: Page.From<QuarantinePosition>
  readonly limit: number | null
  readonly now: Instant.Instant
}

/** The names of tests, the branch of a run (null: of any run), and the instant. */
export interface AmongQuery {
  readonly testNames: ReadonlyArray<string>
  readonly branch: string | null
  readonly now: Instant.Instant
}

/** The records that an instant has ended, and those whose reminder it has made due. */
export interface Elapsed {
  readonly expired: ReadonlyArray<Quarantine.Quarantine>
  readonly reminded: ReadonlyArray<Quarantine.Quarantine>
}

/** A quarantine that the automation wants, with what it saw. */
export interface Proposal {
  readonly quarantine: Quarantine.Quarantine
  readonly evidence: Event.Detail
}

/**
 * The limits of the automation within a repository.
 *
 * **Details**
 *
 * - `most` automatic records may have been created after `since`, ended ones included.
 * - A test of which a record ended at or after `restSince`, other than by the automation, is left alone.
 */
export interface AutomationLimits {
  readonly since: Instant.Instant
  readonly most: number
  readonly restSince: Instant.Instant
}

/**
 * The port of quarantines.
 *
 * **Laws**
 *
 * - Of two records with the same `Quarantine.key` at most one is active, also when both are inserted at the same time.
 * - Lists are ordered by creation time, then id, ascending.
 * - A removed record is kept with who and when, and is in no list.
 * - *On time.* From the instant at which its life ends, a record is active for no read and no write (`Quarantine.isActive`),
 *   whether that end is stored or not.
 * - *Once.* The end of a life is stored with one event, at the end itself, by the first write of the repository that comes
 *   after it: `elapse`, or another one of this port. So is a reminder, by `elapse`.
 */
export class QuarantineStore extends Context.Service<
  QuarantineStore,
  {
    /**
     * Stores an active record; `false`, and nothing stored, when an active one has its key. Creates the repository. Its
     * beginning is in the log of events.
     */
    readonly insert: (
      ref: Repository.RepositoryRef,
      quarantine: Quarantine.Quarantine
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Stores those of the automation's records that the limits allow, in the order given, and yields them: as many as
     * there is room for, none whose key an active record has, and none of a test that rests. Exact, also when several
     * processes do it concurrently. A record was ended by the automation when its `removedBy` is `Event.auto`.
     */
    readonly insertAutomatic: (
      ref: Repository.RepositoryRef,
      proposals: ReadonlyArray<Proposal>,
      limits: AutomationLimits
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
    /** The record with this id that is active at an instant. */
    readonly get: (
      ref: Repository.RepositoryRef,
      id: string,
      now: Instant.Instant
    ) => Effect.Effect<Option.Option<Quarantine.Quarantine>, StoreError>
    /** One page of the active records, with the number of all that match. */
    readonly page: (
      ref: Repository.RepositoryRef,
      query: QuarantineQuery
    ) => Effect.Effect<Page.Page<Quarantine.Quarantine>, StoreError>
    /** Ends the active record with this id and logs an event; `false` when no active record has this id. */
    readonly remove: (
      ref: Repository.RepositoryRef,
      id: string,
      removal: QuarantineEvents.Removal
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Changes the life of the active record with this id, logs an event when that changes something, and yields the record;
     * none when no active record has this id. A field that is absent stays, also under concurrent changes of other fields. While
     * its end stays, its reminder stays as it is.
     */
    readonly setLife: (
      ref: Repository.RepositoryRef,
      id: string,
      life: Partial<QuarantineLife.Life>,
      change: QuarantineEvents.Change
    ) => Effect.Effect<Option.Option<Quarantine.Quarantine>, StoreError>
    /** The repositories in which `elapse` has something to do, each once. */
    readonly elapsing: (now: Instant.Instant) => Effect.Effect<ReadonlyArray<Repository.RepositoryRef>, StoreError>
    /** Stores the ends and the reminders that are due, with their events, and yields them. */
    readonly elapse: (ref: Repository.RepositoryRef, now: Instant.Instant) => Effect.Effect<Elapsed, StoreError>
    /** Those of the test names that are quarantined in runs of a branch (null: by a record that holds in every run). */
    readonly among: (ref: Repository.RepositoryRef, query: AmongQuery) => Effect.Effect<ReadonlySet<string>, StoreError>
    /** Every record of a test, ended ones included, in list order. */
    readonly past: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId
    ) => Effect.Effect<ReadonlyArray<Quarantine.Quarantine>, StoreError>
  }
>()("@lazaret/store/QuarantineStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): QuarantineStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): QuarantineStore["Service"] =>
  QuarantineStore.of({
    insert: (ref, quarantine) =>
      driver.transact("QuarantineStore.insert", ref, quarantine.createdAt, (transaction) =>
        Effect.gen(function* () {
          // The id of a test is made from a text that can be stored.
          yield* Storable.require("QuarantineStore.insert", quarantine)
          yield* Records.expire(transaction, quarantine.createdAt)
          const wanted = Records.named(quarantine, yield* Aliases.namesIn(transaction))
          if (Records.isTaken(Records.takenBy(yield* Records.rivals(transaction, [wanted])), wanted)) return false
          yield* Records.begin(transaction, [{ quarantine, evidence: null }])
          return true
        })
      ),
    insertAutomatic: (ref, proposals, limits) => insertAutomatic(driver, ref, proposals, limits),
    get: (ref, id, now) =>
      driver.read("QuarantineStore.get", ref, (view) =>
        Effect.map(Records.active(view, now, [["id", "=", id]]), ([row]) => Option.fromUndefinedOr(row))
      ),
    page: (ref, query) =>
      driver.read("QuarantineStore.page", ref, (view) =>
        Effect.gen(function* () {
          const { idOf } = yield* Aliases.namesIn(view)
          const { branch, from, limit, testId } = query
          const wanted = testId === null ? null : idOf(testId)
          const records = yield* Records.active(view, query.now, conditionsOf(query))
          const ofTest = wanted === null ? records : records.filter((record) => Quarantine.testIdOf(record) === wanted)
          const rows = branch === null ? ofTest : ofTest.filter(holding(branch))
          return Page.select(rows, { order, comparePosition: order, from, limit: limit ?? Infinity })
        })
      ),
    remove: (ref, id, removal) =>
      driver.transact("QuarantineStore.remove", ref, null, (transaction) => Records.end(transaction, id, removal)),
    setLife: (ref, id, life, change) =>
      driver.transact("QuarantineStore.setLife", ref, null, (transaction) =>
        Effect.gen(function* () {
          yield* Storable.require("QuarantineStore.setLife", life)
          return yield* Records.live(transaction, id, life, change)
        })
      ),
    elapsing: (now) => Records.elapsing(driver, now),
    elapse: (ref, now) =>
      driver.transact("QuarantineStore.elapse", ref, null, (transaction) => Records.elapse(transaction, now)),
    among: (ref, query) =>
      driver.read("QuarantineStore.among", ref, (view) =>
        Effect.gen(function* () {
          const { resolve } = yield* Aliases.namesIn(view)
          return among(yield* Records.active(view, query.now, []), query, resolve)
        })
      ),
    past: (ref, testId) =>
      driver.read("QuarantineStore.past", ref, (view) =>
        Effect.gen(function* () {
          const names = yield* Aliases.namesIn(view)
          const rows = yield* view.select(quarantines, {
            where: [["testId", "in", names.idsOf(testId)]],
            order: ["createdAt", "id", "record"]
          })
          return rows.map((row) => Records.named(Records.recordOf(row), names))
        })
      )
  })

/** The earlier records that the automation reads when it proposes new ones. */
interface Standing {
  /** The active records whose test or id is that of a proposal. */
  readonly rivals: ReadonlyArray<Quarantine.Quarantine>
  /** How many records the automation has created within the span of its budget, ended ones included. */
  readonly created: number
  /** The records that ended since the rest period began. */
  readonly ended: ReadonlyArray<Quarantine.Quarantine>
}

/**
 * The proposals of the automation that its budget and the rest periods allow, in the order given.
 *
 * **Details**
 *
 * A test rests when a record of it has ended other than by the automation; a proposal whose key is taken uses up no budget.
 */
const allowed = (
  proposals: ReadonlyArray<Proposal>,
  { created, ended, rivals: records }: Standing,
  { most }: Pick<AutomationLimits, "most">
): ReadonlyArray<Proposal> => {
  const taken = Records.takenBy(records)
  const resting = new Set(ended.filter(({ removedBy }) => removedBy !== Event.auto).map(({ testName }) => testName))
  const found: Array<Proposal> = []
  for (const proposal of proposals) {
    const { quarantine } = proposal
    if (created + found.length >= most) break
    if (resting.has(quarantine.testName) || Records.isTaken(taken, quarantine)) continue
    Records.take(taken, quarantine)
    found.push(proposal)
  }
  return found
}

const insertAutomatic = (
  driver: Driver["Service"],
  ref: Repository.RepositoryRef,
  proposals: ReadonlyArray<Proposal>,
  limits: AutomationLimits
) => {
  const [first] = proposals
  if (first === undefined) return Effect.succeed([])
  return driver.transact("QuarantineStore.insertAutomatic", ref, first.quarantine.createdAt, (transaction) =>
    Effect.gen(function* () {
      yield* Storable.require("QuarantineStore.insertAutomatic", proposals)
      yield* Records.expire(transaction, first.quarantine.createdAt)
      const names = yield* Aliases.namesIn(transaction)
      const standing = {
        rivals: yield* Records.rivals(
          transaction,
          proposals.map(({ quarantine }) => quarantine)
        ),
        created: yield* transaction.count(quarantines, [
          ["source", "=", "auto"],
          ["createdAt", ">", limits.since]
        ]),
        ended: (yield* transaction.select(quarantines, {
          where: [["removedAt", ">=", limits.restSince]],
          order: []
        })).map((row) => Records.named(Records.recordOf(row), names))
      }
      const begun = allowed(proposals, standing, limits)
      yield* Records.begin(transaction, begun)
      return begun.map(({ quarantine }) => quarantine)
    })
  )
}

const conditionsOf = ({ source }: QuarantineQuery): ReadonlyArray<Condition<QuarantineRow>> =>
  source === null ? [] : [["source", "=", source]]

const holding = (branch: string) => {
  const place = Repository.placeOf(branch)
  return (quarantine: Quarantine.Quarantine): boolean => QuarantineLife.holdsAt(quarantine, place)
}

const among = (
  records: ReadonlyArray<Quarantine.Quarantine>,
  { branch, testNames }: AmongQuery,
  resolve: TestAlias.Resolve
): ReadonlySet<string> => {
  const holds = branch === null ? holdsInEveryRun : holding(branch)
  const names = new Set(records.filter(holds).map(({ testName }) => testName))
  return new Set(testNames.filter((testName) => names.has(resolve(testName))))
}

const holdsInEveryRun = ({ branch, scope }: Quarantine.Quarantine): boolean => branch === null && scope === "every_run"

const order = (a: QuarantinePosition, b: QuarantinePosition): -1 | 0 | 1 =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : Text.compare(a.id, b.id)
