/** Quarantines over a driver: which records there may be, what the automation may add, and what the log says of it. */
import {
  Event,
  type Instant,
  Page,
  Quarantine,
  QuarantineLife,
  Repository,
  type TestAlias,
  Text
} from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import {
  type AmongQuery,
  type AutomationLimits,
  type Elapsed,
  type Proposal,
  type QuarantinePosition,
  type QuarantineQuery,
  QuarantineStore
} from "./QuarantineStore.ts"
import { type QuarantineRow, quarantines } from "../Rows.ts"
import * as Aliases from "../report/Aliases.ts"
import * as Storable from "../driver/Storable.ts"
import type { Condition } from "../driver/Table.ts"

/** The port of quarantines. */
export const make = (driver: Driver["Service"]): QuarantineStore["Service"] =>
  QuarantineStore.of({
    insert: (ref, quarantine) =>
      driver.transact("QuarantineStore.insert", ref, quarantine.createdAt, (transaction) =>
        Effect.gen(function* () {
          // The id of a test is made from a text that can be stored.
          yield* Storable.require("QuarantineStore.insert", quarantine)
          yield* expire(transaction, quarantine.createdAt)
          const wanted = named(quarantine, yield* Aliases.namesIn(transaction))
          if (isTaken(takenBy(yield* rivals(transaction, [wanted])), wanted)) return false
          yield* begin(transaction, [{ quarantine, evidence: null }])
          return true
        })
      ),
    insertAutomatic: (ref, proposals, limits) => insertAutomatic(driver, ref, proposals, limits),
    get: (ref, id, now) =>
      driver.read("QuarantineStore.get", ref, (view) =>
        Effect.map(active(view, now, [["id", "=", id]]), ([row]) => Option.fromUndefinedOr(row))
      ),
    page: (ref, query) =>
      driver.read("QuarantineStore.page", ref, (view) =>
        Effect.gen(function* () {
          const { idOf } = yield* Aliases.namesIn(view)
          const { branch, from, limit, testId } = query
          const wanted = testId === null ? null : idOf(testId)
          const records = yield* active(view, query.now, conditionsOf(query))
          const ofTest = wanted === null ? records : records.filter((record) => Quarantine.testIdOf(record) === wanted)
          const rows = branch === null ? ofTest : ofTest.filter(holding(branch))
          return Page.select(rows, { order, comparePosition: order, from, limit: limit ?? Infinity })
        })
      ),
    remove: (ref, id, removal) =>
      driver.transact("QuarantineStore.remove", ref, null, (transaction) => end(transaction, id, removal)),
    setLife: (ref, id, life, change) =>
      driver.transact("QuarantineStore.setLife", ref, null, (transaction) =>
        Effect.gen(function* () {
          yield* Storable.require("QuarantineStore.setLife", life)
          return yield* live(transaction, id, life, change)
        })
      ),
    elapsing: (now) => elapsing(driver, now),
    elapse: (ref, now) =>
      driver.transact("QuarantineStore.elapse", ref, null, (transaction) => elapse(transaction, now)),
    among: (ref, query) =>
      driver.read("QuarantineStore.among", ref, (view) =>
        Effect.gen(function* () {
          const { resolve } = yield* Aliases.namesIn(view)
          return among(yield* active(view, query.now, []), query, resolve)
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
          return rows.map((row) => named(recordOf(row), names))
        })
      )
  })

/** The earlier records that the automation reads when it proposes new ones. */
export interface Standing {
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
  const taken = takenBy(records)
  const resting = new Set(ended.filter(({ removedBy }) => removedBy !== Event.auto).map(({ testName }) => testName))
  const found: Array<Proposal> = []
  for (const proposal of proposals) {
    const { quarantine } = proposal
    if (created + found.length >= most) break
    if (resting.has(quarantine.testName) || isTaken(taken, quarantine)) continue
    take(taken, quarantine)
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
      yield* expire(transaction, first.quarantine.createdAt)
      const names = yield* Aliases.namesIn(transaction)
      const standing = {
        rivals: yield* rivals(
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
        })).map((row) => named(recordOf(row), names))
      }
      const begun = allowed(proposals, standing, limits)
      yield* begin(transaction, begun)
      return begun.map(({ quarantine }) => quarantine)
    })
  )
}

/** The records that nobody has removed; the life of some may have ended. */
const isKept = [["removedAt", "=", null]] satisfies ReadonlyArray<Condition<QuarantineRow>>

/** The active records whose test or id is that of one of the quarantines. */
const rivals = Effect.fnUntraced(function* (view: View, wanted: ReadonlyArray<Quarantine.Quarantine>) {
  const names = yield* Aliases.namesIn(view)
  const ids = wanted.map(({ id }) => id)
  const tests = [...new Set(wanted.flatMap((one) => names.idsOf(Quarantine.testIdOf(one))))]
  const ofTests = yield* view.select(quarantines, { where: [...isKept, ["testId", "in", tests]], order: [] })
  const withIds = yield* view.select(quarantines, { where: [...isKept, ["id", "in", ids]], order: [] })
  return [...ofTests, ...withIds].map((row) => named(recordOf(row), names))
})

const active = Effect.fnUntraced(function* (
  view: View,
  now: Instant.Instant,
  where: ReadonlyArray<Condition<QuarantineRow>>
) {
  const names = yield* Aliases.namesIn(view)
  const rows = yield* view.select(quarantines, { where: [...isKept, ...where], order: ["createdAt", "id"] })
  return rows.filter((row) => Quarantine.isActive(row, now)).map((row) => named(recordOf(row), names))
})

/** A record of the test that stands for the one that its row names. */
const named = (record: Quarantine.Quarantine, { resolve }: Pick<Aliases.Names, "resolve">): Quarantine.Quarantine => ({
  ...record,
  testName: resolve(record.testName)
})

/** The keys and the ids of active records: no two records share either. */
interface Taken {
  readonly keys: Set<string>
  readonly ids: Set<string>
}

const takenBy = (records: ReadonlyArray<Quarantine.Quarantine>): Taken => {
  const taken: Taken = { keys: new Set(), ids: new Set() }
  for (const record of records) take(taken, record)
  return taken
}

const take = ({ ids, keys }: Taken, quarantine: Quarantine.Quarantine): void => {
  keys.add(Quarantine.key(quarantine))
  ids.add(quarantine.id)
}

const isTaken = ({ ids, keys }: Taken, quarantine: Quarantine.Quarantine): boolean =>
  keys.has(Quarantine.key(quarantine)) || ids.has(quarantine.id)

interface Beginning extends Pick<Proposal, "quarantine"> {
  readonly evidence: Event.Detail | null
}

const begin = Effect.fnUntraced(function* (transaction: Transaction, beginnings: ReadonlyArray<Beginning>) {
  const head = yield* transaction.head
  const rows = beginnings.map(({ quarantine }, index) => ({
    ...quarantine,
    record: head + index + 1,
    testId: Quarantine.testIdOf(quarantine)
  }))
  yield* transaction.put(quarantines, rows)
  yield* transaction.log(beginnings.map(({ evidence, quarantine }) => Event.quarantineCreated(quarantine, evidence)))
})

const end = Effect.fnUntraced(function* (transaction: Transaction, id: string, removal: Event.Removal) {
  yield* expire(transaction, removal.at)
  const [row] = yield* transaction.select(quarantines, { where: [...isKept, ["id", "=", id]], order: [] })
  if (row === undefined) return false
  yield* transaction.put(quarantines, [{ ...row, removedAt: removal.at, removedBy: removal.by }])
  yield* transaction.log([Event.quarantineRemoved(recordOf(row), removal)])
  return true
})

const live = Effect.fnUntraced(function* (
  transaction: Transaction,
  id: string,
  life: Partial<QuarantineLife.Life>,
  change: Event.Change
) {
  yield* expire(transaction, change.at)
  const [row] = yield* transaction.select(quarantines, { where: [...isKept, ["id", "=", id]], order: [] })
  if (row === undefined) return Option.none()
  const before = recordOf(row)
  const wanted = { ...before, ...life }
  const after = { ...wanted, remindAt: wanted.expiresAt === row.expiresAt ? row.remindAt : wanted.remindAt }
  if (!isSameLife(before, after)) {
    yield* transaction.put(quarantines, [{ ...row, ...after }])
    yield* transaction.log([Event.quarantineChanged(before, after, change)])
  }
  return Option.some(named(after, yield* Aliases.namesIn(transaction)))
})

const isSameLife = (a: QuarantineLife.Life, b: QuarantineLife.Life): boolean =>
  a.expiresAt === b.expiresAt && a.owner === b.owner && a.ticket === b.ticket && a.scope === b.scope

/** Stores the ends of the lives that have ended: each at its end, with its event. */
const expire = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const rows = yield* transaction.select(quarantines, {
    where: [...isKept, ["expiresAt", "<=", now]],
    order: ["expiresAt", "id", "record"]
  })
  if (rows.length === 0) return []
  const ended = rows.map((row) => ({ ...row, removedAt: row.expiresAt, removedBy: Event.expiry }))
  yield* transaction.put(quarantines, ended)
  yield* transaction.log(rows.map((row) => Event.quarantineExpired(recordOf(row), now)))
  return ended.map(recordOf)
})

const elapse = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const expired = yield* expire(transaction, now)
  const due = yield* transaction.select(quarantines, {
    where: [...isKept, ["remindAt", "<=", now]],
    order: ["remindAt", "id", "record"]
  })
  if (due.length === 0) return { expired, reminded: [] } satisfies Elapsed
  const reminded = due.map((row) => ({ ...row, remindAt: null }))
  yield* transaction.put(quarantines, reminded)
  yield* transaction.log(due.map((row) => Event.quarantineExpiring(recordOf(row), now)))
  return { expired, reminded: reminded.map(recordOf) } satisfies Elapsed
})

const elapsing = Effect.fnUntraced(function* (driver: Driver["Service"], now: Instant.Instant) {
  const operation = "QuarantineStore.elapsing"
  const ending = yield* driver.scan(operation, quarantines, [...isKept, ["expiresAt", "<=", now]])
  const reminding = yield* driver.scan(operation, quarantines, [...isKept, ["remindAt", "<=", now]])
  const refs = new Map([...ending, ...reminding].map(({ ref }) => [Repository.key(ref), ref]))
  return [...refs.values()]
})

const recordOf = ({ record: _record, testId: _testId, ...quarantine }: QuarantineRow): Quarantine.Quarantine =>
  quarantine

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
