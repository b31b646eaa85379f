/** Quarantines in memory. */
import { Event, Page, Quarantine, Text } from "@lazaret/domain"
import { Effect, Option } from "effect"
import {
  type Proposal,
  type QuarantinePosition,
  type QuarantineQuery,
  QuarantineStore,
  type Restraint
} from "../QuarantineStore.ts"
import * as EventLog from "./EventLog.ts"
import * as MemoryState from "./MemoryState.ts"

/** The quarantine port over a memory state. */
export const make = (state: MemoryState.MemoryState): QuarantineStore["Service"] =>
  QuarantineStore.of({
    insert: (ref, quarantine) =>
      Effect.andThen(
        MemoryState.requireStorable("QuarantineStore.insert", [
          quarantine.testName,
          quarantine.reason,
          quarantine.branch,
          quarantine.createdBy
        ]),
        Effect.sync(() => insert(state, ref, quarantine))
      ),
    insertAutomatic: (ref, proposals, restraint) =>
      Effect.andThen(
        MemoryState.requireStorable("QuarantineStore.insertAutomatic", MemoryState.textsIn(proposals)),
        Effect.sync(() =>
          proposals
            .filter(
              (proposal) =>
                isAllowed(state, ref, proposal, restraint) && insert(state, ref, proposal.quarantine, proposal.evidence)
            )
            .map(({ quarantine }) => quarantine)
        )
      ),
    get: (ref, id) =>
      Effect.sync(() => Option.fromUndefinedOr(active(state, ref).find((quarantine) => quarantine.id === id))),
    page: (ref, query) =>
      Effect.sync(() => {
        const rows = active(state, ref).filter((quarantine) => matches(query, quarantine))
        return Page.select(rows, { order, comparePosition: order, from: query.from, limit: query.limit ?? Infinity })
      }),
    remove: (ref, id, removal) =>
      Effect.andThen(
        MemoryState.requireStorable("QuarantineStore.remove", [removal.by]),
        Effect.sync(() => remove(state, ref, id, removal))
      ),
    among: (ref, testNames, branch) =>
      Effect.sync(() => {
        const holding = active(state, ref).filter((quarantine) => holdsOn(quarantine, branch))
        const names = new Set(holding.map((quarantine) => quarantine.testName))
        return new Set(testNames.filter((testName) => names.has(testName)))
      }),
    past: (ref, testId) =>
      Effect.sync(() =>
        (MemoryState.find(state, ref)?.quarantines ?? [])
          .filter((quarantine) => Quarantine.testIdOf(quarantine) === testId)
          .toSorted(order)
      )
  })

const insert = (
  state: MemoryState.MemoryState,
  ref: Parameters<typeof MemoryState.find>[1],
  quarantine: Quarantine.Quarantine,
  evidence: Event.Detail | null = null
): boolean => {
  const key = Quarantine.key(quarantine)
  if (active(state, ref).some((other) => Quarantine.key(other) === key || other.id === quarantine.id)) return false
  const entry = MemoryState.ensure(state, ref, quarantine.createdAt)
  entry.quarantines.push(quarantine)
  EventLog.append(entry.events, [Event.quarantineCreated(quarantine, evidence)])
  return true
}

const isAllowed = (
  state: MemoryState.MemoryState,
  ref: Parameters<typeof MemoryState.find>[1],
  { quarantine }: Proposal,
  { most, restSince, since }: Restraint
): boolean => {
  const all = MemoryState.find(state, ref)?.quarantines ?? []
  const created = all.filter((other) => other.source === "auto" && other.createdAt > since).length
  const rests = all.some(
    ({ removedAt, removedBy, testName }) =>
      testName === quarantine.testName && removedAt !== null && removedAt >= restSince && removedBy !== Event.auto
  )
  return created < most && !rests
}

const remove = (
  state: MemoryState.MemoryState,
  ref: Parameters<typeof MemoryState.find>[1],
  id: string,
  removal: Parameters<QuarantineStore["Service"]["remove"]>[2]
): boolean => {
  const entry = MemoryState.find(state, ref)
  const all = entry?.quarantines ?? []
  const index = all.findIndex((quarantine) => quarantine.id === id && quarantine.removedAt === null)
  const found = all[index]
  if (entry === undefined || found === undefined) return false
  EventLog.append(entry.events, [Event.quarantineRemoved(found, removal)])
  all[index] = { ...found, removedAt: removal.at, removedBy: removal.by }
  return true
}

const active = (
  state: MemoryState.MemoryState,
  ref: Parameters<typeof MemoryState.find>[1]
): ReadonlyArray<Quarantine.Quarantine> =>
  (MemoryState.find(state, ref)?.quarantines ?? []).filter((quarantine) => quarantine.removedAt === null)

const matches = (query: QuarantineQuery, quarantine: Quarantine.Quarantine): boolean =>
  (query.branch === null || Quarantine.appliesTo(quarantine, query.branch)) &&
  (query.testId === null || Quarantine.testIdOf(quarantine) === query.testId) &&
  (query.source === null || quarantine.source === query.source)

const holdsOn = (quarantine: Quarantine.Quarantine, branch: string | null): boolean =>
  branch === null ? quarantine.branch === null : Quarantine.appliesTo(quarantine, branch)

const order = (a: QuarantinePosition, b: QuarantinePosition): -1 | 0 | 1 =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : Text.compare(a.id, b.id)
