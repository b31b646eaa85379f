/** The oracle on quarantines (6). */
import { Event, type Quarantine, TestId } from "@lazaret/domain"
import { type Proposal, type QuarantineQuery, QuarantineStore, type Restraint } from "@lazaret/store"
import { Effect, Option } from "effect"
import * as Events from "./Events.ts"
import * as Searches from "./Searches.ts"
import { byCreation, ensure, find, type Ref, requireText, type World } from "./World.ts"

const holdsOn = (quarantine: Quarantine.Quarantine, branch: string | null): boolean =>
  quarantine.branch === null || quarantine.branch === branch

const isWanted = (quarantine: Quarantine.Quarantine, query: QuarantineQuery): boolean =>
  (query.branch === null || holdsOn(quarantine, query.branch)) &&
  (query.testId === null || TestId.of(quarantine.testName) === query.testId) &&
  (query.source === null || quarantine.source === query.source)

export const storeOf = (world: World) => {
  const active = (ref: Ref) => (find(world, ref)?.quarantines ?? []).filter(({ removedAt }) => removedAt === null)
  const insert = (ref: Ref, quarantine: Quarantine.Quarantine, evidence: Event.Detail | null = null): boolean => {
    const isTaken = active(ref).some(
      ({ branch, testName }) => testName === quarantine.testName && branch === quarantine.branch
    )
    if (isTaken) return false
    const facts = ensure(world, ref, quarantine.createdAt)
    facts.quarantines = [...facts.quarantines, quarantine]
    Events.log(facts, [Event.quarantineCreated(quarantine, evidence)])
    return true
  }
  const insertAutomatic = (ref: Ref, proposals: ReadonlyArray<Proposal>, { most, restSince, since }: Restraint) =>
    proposals.flatMap(({ evidence, quarantine }) => {
      const all = find(world, ref)?.quarantines ?? []
      const created = all.filter(({ createdAt, source }) => source === "auto" && createdAt > since)
      const endedByHand = all.filter(
        ({ removedAt, removedBy, testName }) =>
          testName === quarantine.testName && (removedAt ?? -1) >= restSince && removedBy !== "auto"
      )
      const isTold = created.length < most && endedByHand.length === 0 && insert(ref, quarantine, evidence)
      return isTold ? [quarantine] : []
    })
  const remove = (ref: Ref, id: string, removal: Event.Removal): boolean => {
    const facts = find(world, ref)
    const ended = active(ref).find((quarantine) => quarantine.id === id)
    if (facts === undefined || ended === undefined) return false
    Events.log(facts, [Event.quarantineRemoved(ended, removal)])
    facts.quarantines = facts.quarantines.map((quarantine) =>
      quarantine === ended ? { ...ended, removedAt: removal.at, removedBy: removal.by } : quarantine
    )
    return true
  }
  return QuarantineStore.of({
    insert: (ref, quarantine) =>
      Effect.andThen(
        requireText("QuarantineStore.insert", quarantine),
        Effect.sync(() => insert(ref, quarantine))
      ),
    insertAutomatic: (ref, proposals, restraint) =>
      Effect.andThen(
        requireText("QuarantineStore.insertAutomatic", proposals),
        Effect.sync(() => insertAutomatic(ref, proposals, restraint))
      ),
    get: (ref, id) => Effect.sync(() => Option.fromUndefinedOr(active(ref).find((quarantine) => quarantine.id === id))),
    page: (ref, query) =>
      Effect.sync(() => {
        const sorted = active(ref)
          .filter((quarantine) => isWanted(quarantine, query))
          .toSorted(byCreation)
        return Searches.cut(sorted, query.from, query.limit ?? Infinity, byCreation)
      }),
    remove: (ref, id, removal) =>
      Effect.andThen(
        requireText("QuarantineStore.remove", removal),
        Effect.sync(() => remove(ref, id, removal))
      ),
    among: (ref, testNames, branch) =>
      Effect.sync(
        () =>
          new Set(
            testNames.filter((testName) =>
              active(ref).some((quarantine) => quarantine.testName === testName && holdsOn(quarantine, branch))
            )
          )
      ),
    past: (ref, testId) =>
      Effect.sync(() =>
        (find(world, ref)?.quarantines ?? [])
          .filter(({ testName }) => TestId.of(testName) === testId)
          .toSorted(byCreation)
      )
  })
}
