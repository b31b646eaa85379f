/** Quarantines over a driver: which records there may be, what the automation may add, and what the log says of it. */
import { Event, Page, Quarantine, type Repository, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver, Transaction, View } from "../Driver.ts"
import {
  type Proposal,
  type QuarantinePosition,
  type QuarantineQuery,
  QuarantineStore,
  type AutomationLimits
} from "../QuarantineStore.ts"
import { type QuarantineRow, quarantines } from "../Rows.ts"
import * as Storable from "./Storable.ts"
import type { Condition } from "../Table.ts"

/** The port of quarantines. */
export const make = (driver: Driver["Service"]): QuarantineStore["Service"] =>
  QuarantineStore.of({
    insert: (ref, quarantine) =>
      driver.transact("QuarantineStore.insert", ref, quarantine.createdAt, (transaction) =>
        Effect.gen(function* () {
          // The id of a test is made from a text that can be stored.
          yield* Storable.require("QuarantineStore.insert", quarantine)
          if (isTaken(takenBy(yield* rivals(transaction, [quarantine])), quarantine)) return false
          yield* begin(transaction, [{ quarantine, evidence: null }])
          return true
        })
      ),
    insertAutomatic: (ref, proposals, limits) => insertAutomatic(driver, ref, proposals, limits),
    get: (ref, id) =>
      driver.read("QuarantineStore.get", ref, (view) =>
        Effect.map(active(view, [["id", "=", id]]), ([row]) => Option.fromUndefinedOr(row))
      ),
    page: (ref, query) =>
      driver.read("QuarantineStore.page", ref, (view) =>
        Effect.map(active(view, conditionsOf(query)), (records) => {
          const { branch, from, limit } = query
          const rows =
            branch === null ? records : records.filter((quarantine) => Quarantine.appliesTo(quarantine, branch))
          return Page.select(rows, { order, comparePosition: order, from, limit: limit ?? Infinity })
        })
      ),
    remove: (ref, id, removal) =>
      driver.transact("QuarantineStore.remove", ref, null, (transaction) => end(transaction, id, removal)),
    among: (ref, testNames, branch) =>
      driver.read("QuarantineStore.among", ref, (view) =>
        Effect.map(active(view, []), (records) => {
          const holding = records.filter((quarantine) => holdsOn(quarantine, branch))
          const names = new Set(holding.map(({ testName }) => testName))
          return new Set(testNames.filter((testName) => names.has(testName)))
        })
      ),
    past: (ref, testId) =>
      driver.read("QuarantineStore.past", ref, (view) =>
        Effect.map(
          view.select(quarantines, { where: [["testId", "=", testId]], order: ["createdAt", "id", "record"] }),
          (rows) => rows.map(recordOf)
        )
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
 * A test rests when a person has ended a record of it; a proposal whose key is taken uses up no budget.
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
      const standing = {
        rivals: yield* rivals(
          transaction,
          proposals.map(({ quarantine }) => quarantine)
        ),
        created: yield* transaction.count(quarantines, [
          ["source", "=", "auto"],
          ["createdAt", ">", limits.since]
        ]),
        ended: yield* transaction.select(quarantines, { where: [["removedAt", ">=", limits.restSince]], order: [] })
      }
      const begun = allowed(proposals, standing, limits)
      yield* begin(transaction, begun)
      return begun.map(({ quarantine }) => quarantine)
    })
  )
}

const isActive = [["removedAt", "=", null]] satisfies ReadonlyArray<Condition<QuarantineRow>>

/** The active records whose test or id is that of one of the quarantines. */
const rivals = Effect.fnUntraced(function* (view: View, wanted: ReadonlyArray<Quarantine.Quarantine>) {
  const ids = wanted.map(({ id }) => id)
  const tests = [...new Set(wanted.map(Quarantine.testIdOf))]
  const ofTests = yield* view.select(quarantines, { where: [...isActive, ["testId", "in", tests]], order: [] })
  const withIds = yield* view.select(quarantines, { where: [...isActive, ["id", "in", ids]], order: [] })
  return [...ofTests, ...withIds]
})

const active = (view: View, where: ReadonlyArray<Condition<QuarantineRow>>) =>
  Effect.map(view.select(quarantines, { where: [...isActive, ...where], order: ["createdAt", "id"] }), (rows) =>
    rows.map(recordOf)
  )

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
  const [row] = yield* transaction.select(quarantines, { where: [...isActive, ["id", "=", id]], order: [] })
  if (row === undefined) return false
  yield* transaction.put(quarantines, [{ ...row, removedAt: removal.at, removedBy: removal.by }])
  yield* transaction.log([Event.quarantineRemoved(recordOf(row), removal)])
  return true
})

const recordOf = ({ record: _record, testId: _testId, ...quarantine }: QuarantineRow): Quarantine.Quarantine =>
  quarantine

const conditionsOf = ({ source, testId }: QuarantineQuery): ReadonlyArray<Condition<QuarantineRow>> => [
  ...(testId === null ? [] : ([["testId", "=", testId]] as const)),
  ...(source === null ? [] : ([["source", "=", source]] as const))
]

const holdsOn = (quarantine: Quarantine.Quarantine, branch: string | null): boolean =>
  branch === null ? quarantine.branch === null : Quarantine.appliesTo(quarantine, branch)

const order = (a: QuarantinePosition, b: QuarantinePosition): -1 | 0 | 1 =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : Text.compare(a.id, b.id)
