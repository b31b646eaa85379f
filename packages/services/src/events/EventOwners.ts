/** The owners of tests by name: of those that events are about. */
import {
  type Event,
  Instant,
  Ownership,
  type Repository,
  TestDetails,
  TestFilter,
  TestId,
  TestList
} from "@lazaret/domain"
import { type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Owners } from "../health/Owners.ts"

/**
 * The names under which tests are found by owner (`Ownership.namesOf`), by the name of the test; those of a repository without
 * a CODEOWNERS are absent.
 */
export type OwnersByTest = ReadonlyMap<string, ReadonlyArray<string>>

/** An event with the owners of its test; null where it is about no test, and without a CODEOWNERS. */
export interface OwnedEvent extends Event.Event {
  readonly owners: ReadonlyArray<string> | null
}

/** Finds the owners of tests. */
export class EventOwners extends Context.Service<
  EventOwners,
  {
    /** The owners of the tests of events. */
    readonly ofEvents: (
      ref: Repository.RepositoryRef,
      events: ReadonlyArray<Pick<Event.Event, "testName">>
    ) => Effect.Effect<OwnersByTest, StoreError>
    /** The events with the owners of their tests, in the same order. */
    readonly owned: <E extends Event.Event>(
      ref: Repository.RepositoryRef,
      events: ReadonlyArray<E>
    ) => Effect.Effect<ReadonlyArray<E & OwnedEvent>, StoreError>
  }
>()("@lazaret/services/EventOwners") {
  /** The owners over the storage port. */
  static readonly layer = Layer.effect(
    EventOwners,
    Effect.gen(function* () {
      const tests = yield* TestStore
      const { namesOf, rulesOf } = yield* Owners

      /** The files of tests of the last 30 days, in one read. */
      const listed = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        names: ReadonlyArray<string>,
        now: Instant.Instant
      ) {
        const filter = { ...TestList.all, match: TestFilter.make({ testName: { include: names } }) }
        const { rows } = yield* tests.list(ref, { ...TestList.everything, filter, limit: mostIdentities }, now)
        const files = new Map<string, string | null>()
        for (const { file, testName } of rows) if ((files.get(testName) ?? null) === null) files.set(testName, file)
        return files
      })

      const ofEvents = Effect.fn("EventOwners.ofEvents")(function* (
        ref: Repository.RepositoryRef,
        events: ReadonlyArray<Pick<Event.Event, "testName">>
      ): Effect.fn.Return<OwnersByTest, StoreError> {
        const names = [...new Set(events.flatMap(({ testName }) => testName ?? []))]
        if (names.length === 0) return new Map()
        if ((yield* rulesOf(ref)).source === null) return new Map()
        const now = yield* Clock.currentTimeMillis
        const files = yield* listed(ref, names, now)
        for (const name of names) {
          if (files.has(name)) continue
          const records = yield* tests.get(ref, TestId.of(name), now)
          files.set(name, Option.isNone(records) ? null : TestDetails.of(records.value).filepath)
        }
        const fileOf = (name: string) => files.get(name) ?? null
        const owners = yield* namesOf(ref, names.map(fileOf))
        return new Map(names.map((name) => [name, owners.get(fileOf(name)) ?? Ownership.namesOf(null, [])]))
      })

      const owned = Effect.fnUntraced(function* <E extends Event.Event>(
        ref: Repository.RepositoryRef,
        events: ReadonlyArray<E>
      ) {
        const found = yield* ofEvents(ref, events)
        return events.map((event) => ({ ...event, owners: found.get(event.testName ?? "") ?? null }))
      })

      return EventOwners.of({ ofEvents, owned })
    })
  ).pipe(Layer.provide(Owners.layer))
}

/** The most identities of one read: the tests of many events, in every pipeline and job. */
const mostIdentities = 100_000
