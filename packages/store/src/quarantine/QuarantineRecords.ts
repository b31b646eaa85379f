/** The records of quarantines in a transaction: which are active, and their beginnings, changes and ends with their events. */
import { Event, type Instant, Quarantine, type QuarantineLife, Repository, QuarantineEvents } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import type { Condition } from "../driver/Table.ts"
import * as Aliases from "../report/Aliases.ts"
import { type QuarantineRow, quarantines } from "../Rows.ts"
import type { Elapsed, Proposal } from "./QuarantineStore.ts"

/** The records that nobody has removed; the life of some may have ended. */
const isKept = [["removedAt", "=", null]] satisfies ReadonlyArray<Condition<QuarantineRow>>

/** The active records whose test or id is that of one of the quarantines. */
export const rivals = Effect.fnUntraced(function* (view: View, wanted: ReadonlyArray<Quarantine.Quarantine>) {
  const names = yield* Aliases.namesIn(view)
  const ids = wanted.map(({ id }) => id)
  const tests = [...new Set(wanted.flatMap((one) => names.idsOf(Quarantine.testIdOf(one))))]
  const ofTests = yield* view.select(quarantines, { where: [...isKept, ["testId", "in", tests]], order: [] })
  const withIds = yield* view.select(quarantines, { where: [...isKept, ["id", "in", ids]], order: [] })
  return [...ofTests, ...withIds].map((row) => named(recordOf(row), names))
})

export const active = Effect.fnUntraced(function* (
  view: View,
  now: Instant.Instant,
  where: ReadonlyArray<Condition<QuarantineRow>>
) {
  const names = yield* Aliases.namesIn(view)
  const rows = yield* view.select(quarantines, { where: [...isKept, ...where], order: ["createdAt", "id"] })
  return rows.filter((row) => Quarantine.isActive(row, now)).map((row) => named(recordOf(row), names))
})

/** A record of the test that stands for the one that its row names. */
export const named = (
  record: Quarantine.Quarantine,
  { resolve }: Pick<Aliases.Names, "resolve">
): Quarantine.Quarantine => ({
  ...record,
  testName: resolve(record.testName)
})

/** The keys and the ids of active records: no two records share either. */
export interface Taken {
  readonly keys: Set<string>
  readonly ids: Set<string>
}

export const takenBy = (records: ReadonlyArray<Quarantine.Quarantine>): Taken => {
  const taken: Taken = { keys: new Set(), ids: new Set() }
  for (const record of records) take(taken, record)
  return taken
}

export const take = ({ ids, keys }: Taken, quarantine: Quarantine.Quarantine): void => {
  keys.add(Quarantine.key(quarantine))
  ids.add(quarantine.id)
}

export const isTaken = ({ ids, keys }: Taken, quarantine: Quarantine.Quarantine): boolean =>
  keys.has(Quarantine.key(quarantine)) || ids.has(quarantine.id)

export interface Beginning extends Pick<Proposal, "quarantine"> {
  readonly evidence: Event.Detail | null
}

export const begin = Effect.fnUntraced(function* (transaction: Transaction, beginnings: ReadonlyArray<Beginning>) {
  const head = yield* transaction.head
  const rows = beginnings.map(({ quarantine }, index) => ({
    ...quarantine,
    record: head + index + 1,
    testId: Quarantine.testIdOf(quarantine)
  }))
  yield* transaction.put(quarantines, rows)
  yield* transaction.log(beginnings.map(({ evidence, quarantine }) => QuarantineEvents.created(quarantine, evidence)))
})

export const end = Effect.fnUntraced(function* (
  transaction: Transaction,
  id: string,
  removal: QuarantineEvents.Removal
) {
  yield* expire(transaction, removal.at)
  const [row] = yield* transaction.select(quarantines, { where: [...isKept, ["id", "=", id]], order: [] })
  if (row === undefined) return false
  yield* transaction.put(quarantines, [{ ...row, removedAt: removal.at, removedBy: removal.by }])
  yield* transaction.log([QuarantineEvents.removed(recordOf(row), removal)])
  return true
})

export const live = Effect.fnUntraced(function* (
  transaction: Transaction,
  id: string,
  life: Partial<QuarantineLife.Life>,
  change: QuarantineEvents.Change
) {
  yield* expire(transaction, change.at)
  const [row] = yield* transaction.select(quarantines, { where: [...isKept, ["id", "=", id]], order: [] })
  if (row === undefined) return Option.none()
  const before = recordOf(row)
  const wanted = { ...before, ...life }
  const after = { ...wanted, remindAt: wanted.expiresAt === row.expiresAt ? row.remindAt : wanted.remindAt }
  if (!isSameLife(before, after)) {
    yield* transaction.put(quarantines, [{ ...row, ...after }])
    yield* transaction.log([QuarantineEvents.changed(before, after, change)])
  }
  return Option.some(named(after, yield* Aliases.namesIn(transaction)))
})

const isSameLife = (a: QuarantineLife.Life, b: QuarantineLife.Life): boolean =>
  a.expiresAt === b.expiresAt && a.owner === b.owner && a.ticket === b.ticket && a.scope === b.scope

/** Stores the ends of the lives that have ended: each at its end, with its event. */
export const expire = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const rows = yield* transaction.select(quarantines, {
    where: [...isKept, ["expiresAt", "<=", now]],
    order: ["expiresAt", "id", "record"]
  })
  if (rows.length === 0) return []
  const ended = rows.map((row) => ({ ...row, removedAt: row.expiresAt, removedBy: Event.expiry }))
  yield* transaction.put(quarantines, ended)
  yield* transaction.log(rows.map((row) => QuarantineEvents.expired(recordOf(row), now)))
  return ended.map(recordOf)
})

export const elapse = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const expired = yield* expire(transaction, now)
  const due = yield* transaction.select(quarantines, {
    where: [...isKept, ["remindAt", "<=", now]],
    order: ["remindAt", "id", "record"]
  })
  if (due.length === 0) return { expired, reminded: [] } satisfies Elapsed
  const reminded = due.map((row) => ({ ...row, remindAt: null }))
  yield* transaction.put(quarantines, reminded)
  yield* transaction.log(due.map((row) => QuarantineEvents.expiring(recordOf(row), now)))
  return { expired, reminded: reminded.map(recordOf) } satisfies Elapsed
})

export const elapsing = Effect.fnUntraced(function* (driver: Driver["Service"], now: Instant.Instant) {
  const operation = "QuarantineStore.elapsing"
  const ending = yield* driver.scan(operation, quarantines, [...isKept, ["expiresAt", "<=", now]])
  const reminding = yield* driver.scan(operation, quarantines, [...isKept, ["remindAt", "<=", now]])
  const refs = new Map([...ending, ...reminding].map(({ ref }) => [Repository.key(ref), ref]))
  return [...refs.values()]
})

export const recordOf = ({ record: _record, testId: _testId, ...quarantine }: QuarantineRow): Quarantine.Quarantine =>
  quarantine
