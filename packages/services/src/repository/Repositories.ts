/** The use cases of repositories: list, settings, removal (beyond the interface). */
import { type AuditEntry, Credential, Cursor, Page, Repository, SettingsChange, TestId, Text } from "@lazaret/domain"
import { RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Equal, Layer, Option, Order, Schema } from "effect"
import { note } from "../answer/AuditNote.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import * as Lookup from "../answer/Lookup.ts"
import * as Listing from "../answer/Listing.ts"
import { Automation } from "../quarantine/Automation.ts"
import * as RepositoryCreation from "../answer/RepositoryCreation.ts"
import { Invalid, RepositoryNotFound, TestNotFound } from "../answer/ServiceError.ts"

/** Lists repositories, updates their settings, and deletes them. */
export class Repositories extends Context.Service<
  Repositories,
  {
    /** The repositories that a caller reaches, by owner and name. */
    readonly list: (
      caller: Credential.Principal,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<Repository.Repository>, Invalid | StoreError>
    /** The settings of a repository. */
    readonly settings: (
      ref: Repository.RepositoryRef
    ) => Effect.Effect<Repository.RepositorySettings, RepositoryNotFound | StoreError>
    /**
     * Changes settings and yields all of them. Creates a missing repository; a change without effect writes nothing. The
     * automation evaluates all tests by the new settings at once, in the background.
     */
    readonly change: (
      ref: Repository.RepositoryRef,
      change: SettingsChange.SettingsChange
    ) => Effect.Effect<Repository.RepositorySettings, Invalid | StoreError>
    /**
     * Deletes a repository with everything that is stored for it. `confirmation` must be its owner and name, such as
     * `acme/widgets`, in any case.
     */
    readonly remove: (
      ref: Repository.RepositoryRef,
      confirmation: string
    ) => Effect.Effect<void, Invalid | RepositoryNotFound | StoreError>
    /**
     * Deletes a test with everything that is stored for it. `confirmation` must be its full name.
     */
    readonly removeTest: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      confirmation: string
    ) => Effect.Effect<void, Invalid | RepositoryNotFound | StoreError | TestNotFound>
    /** Whether a write that is not an upload may go to a repository (`RepositoryCreation`). */
    readonly admits: (ref: Repository.RepositoryRef) => Effect.Effect<boolean, StoreError>
  }
>()("@lazaret/services/Repositories") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    Repositories,
    Effect.gen(function* () {
      const store = yield* RepositoryStore
      const { changed: notice } = yield* CommitNotice
      const automation = yield* Automation

      const repository = Lookup.repository(store)

      const list = Effect.fn("Repositories.list")(function* (
        caller: Credential.Principal,
        request: Listing.PageRequest
      ) {
        const bound = Cursor.binding(["repositories", caller.user?.id ?? caller.key?.owner ?? ""])
        const from = yield* Listing.from(bound, request.cursor, Schema.String)
        const all = (yield* store.list).filter((each) => Credential.reaches(caller, each))
        const page = Page.select(all, { order, comparePosition, from, limit: request.perPage })
        return Listing.of(bound, page, Repository.key)
      })

      const settings = (ref: Repository.RepositoryRef) => Effect.map(repository(ref), (found) => found.settings)

      const remove = Effect.fn("Repositories.remove")(function* (ref: Repository.RepositoryRef, confirmation: string) {
        const { owner, repository: name } = yield* repository(ref)
        if (confirmation.toLowerCase() !== Repository.key(ref)) {
          return yield* new Invalid({ faults: [{ _tag: "Unconfirmed", expected: `${owner}/${name}` }] })
        }
        if (!(yield* store.remove(ref))) return yield* new RepositoryNotFound({ owner, repository: name })
      })

      const removeTest = Effect.fn("Repositories.removeTest")(function* (
        ref: Repository.RepositoryRef,
        testId: TestId.TestId,
        confirmation: string
      ) {
        const { owner, repository: name } = yield* repository(ref)
        // The id follows from the name: no other test has it.
        if (TestId.of(confirmation) !== testId) {
          return yield* new Invalid({ faults: [{ _tag: "Unconfirmed", expected: "the full name of the test" }] })
        }
        yield* note({ before: { testName: confirmation } })
        yield* notice(ref)
        if (!(yield* store.removeTest(ref, testId))) return yield* new TestNotFound({ owner, repository: name, testId })
      })

      const change = Effect.fn("Repositories.change")(function* (
        ref: Repository.RepositoryRef,
        wanted: SettingsChange.SettingsChange
      ) {
        const found = yield* store.get(ref)
        const held = Option.match(found, { onNone: () => Repository.defaultSettings, onSome: (each) => each.settings })
        const changed = SettingsChange.apply(held, wanted)
        const faults = SettingsChange.contradictions(changed)
        if (faults.length > 0)
          return yield* new Invalid({ faults: faults.map((fault) => ({ _tag: "PolicyContradiction", ...fault })) })
        if (Option.isSome(found) && Equal.equals(changed, held)) {
          // A repetition: the notice of the first time may have been lost.
          yield* notice(ref)
          return held
        }
        const now = yield* Clock.currentTimeMillis
        // Keep what a concurrent change has set.
        const { settings: set } = yield* store.change(ref, (latest) => SettingsChange.apply(latest, wanted), now)
        yield* note(differenceOf(held, set))
        yield* notice(ref)
        yield* automation.notice(ref)
        return set
      })

      return Repositories.of({
        list,
        settings,
        change,
        remove,
        removeTest,
        admits: RepositoryCreation.admits(store, yield* RepositoryCreation.RepositoryCreation)
      })
    })
  )
}

/** The settings that differ, before and after. */
const differenceOf = (before: Repository.RepositorySettings, after: Repository.RepositorySettings) => {
  const earlier = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(([name, value]) => !Equal.equals(earlier.get(name), value))
  return {
    before: jsonOf(changed.map(([name]) => [name, earlier.get(name)])),
    after: jsonOf(changed)
  }
}

const jsonOf = (entries: ReadonlyArray<readonly [string, unknown]>): AuditEntry.Fields =>
  // Settings are stored as JSON.
  JSON.parse(JSON.stringify(Object.fromEntries(entries))) as AuditEntry.Fields

const order: Order.Order<Repository.Repository> = Order.mapInput(Text.CodePointOrder, Repository.key)

const comparePosition = (row: Repository.Repository, position: string): number =>
  Text.compare(Repository.key(row), position)
