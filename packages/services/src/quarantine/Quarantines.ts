/** The use cases of the quarantine list (interface 4.1.8 to 4.1.11). */
import { Instant, Quarantine, QuarantineLife, Repository, type TestId } from "@lazaret/domain"
import { type QuarantinePosition, QuarantineStore, RepositoryStore, type StoreError, TestStore } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { note } from "../answer/AuditNote.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import * as Lifetime from "../answer/Lifetime.ts"
import * as Lookup from "../answer/Lookup.ts"
import * as Listing from "../answer/Listing.ts"
import { NewId } from "../ports/NewId.ts"
import { Invalid, QuarantineExists, QuarantineNotFound, type RepositoryNotFound } from "../answer/ServiceError.ts"

/** The query of a list of quarantines (interface 4.1.8). `perPage` null requests all of them. */
export interface QuarantinesRequest {
  readonly branch: string | null
  readonly testId: TestId.TestId | null
  readonly source: Quarantine.Source | null
  readonly cursor: string | null
  readonly perPage: number | null
}

/** An active quarantine with whether its test has recovered (interface 2.9). */
export interface QuarantinedTest extends Quarantine.Quarantine {
  readonly testId: TestId.TestId
  readonly isRecovered: boolean
}

/** The fields of a new quarantine (interface 4.1.9), and its author. */
export interface NewQuarantine {
  readonly testName: string
  readonly reason: string
  readonly branch: string | null
  readonly source: Quarantine.Source
  readonly by: string
}

/** A change of the life of a quarantine, and its author. */
export interface NewLife {
  readonly terms: QuarantineLife.Change
  readonly by: string
}

/** Tests, split into quarantined and other ones. */
export interface Checked {
  readonly quarantined: ReadonlyArray<string>
  readonly others: ReadonlyArray<string>
}

/** Keeps the quarantine list. */
export class Quarantines extends Context.Service<
  Quarantines,
  {
    /** The active quarantines, oldest first. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: QuarantinesRequest
    ) => Effect.Effect<Listing.Listing<QuarantinedTest>, Invalid | RepositoryNotFound | StoreError>
    /**
     * Starts a quarantine with the life that is the default of the repository; a second one of the same test and branch is
     * a conflict. Creates the repository.
     */
    readonly create: (
      ref: Repository.RepositoryRef,
      quarantine: NewQuarantine
    ) => Effect.Effect<Quarantine.Quarantine, Invalid | QuarantineExists | StoreError>
    /** One active quarantine. */
    readonly get: (
      ref: Repository.RepositoryRef,
      id: string
    ) => Effect.Effect<QuarantinedTest, QuarantineNotFound | RepositoryNotFound | StoreError>
    /** Changes the life of an active quarantine: its end must be in the future, and terms that are absent stay. */
    readonly setLife: (
      ref: Repository.RepositoryRef,
      id: string,
      life: NewLife
    ) => Effect.Effect<Quarantine.Quarantine, Invalid | QuarantineNotFound | RepositoryNotFound | StoreError>
    /** Ends a quarantine. */
    readonly remove: (
      ref: Repository.RepositoryRef,
      id: string,
      by: string
    ) => Effect.Effect<void, QuarantineNotFound | RepositoryNotFound | StoreError>
    /** Splits test names into those that are quarantined on a branch (null: on every branch) and the others. */
    readonly check: (
      ref: Repository.RepositoryRef,
      testNames: ReadonlyArray<string>,
      branch: string | null
    ) => Effect.Effect<Checked, RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Quarantines") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Quarantines,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const quarantines = yield* QuarantineStore
      const tests = yield* TestStore
      const newId = yield* NewId
      const { changed } = yield* CommitNotice

      const repository = Lookup.repository(repositories)

      const withRecovery = Effect.fnUntraced(function* (
        ref: Repository.RepositoryRef,
        { settings }: Repository.Repository,
        rows: ReadonlyArray<Quarantine.Quarantine>
      ) {
        const now = yield* Clock.currentTimeMillis
        const policy = Repository.policies(settings).quarantine
        const identified = rows.map((row) => ({ ...row, testId: Quarantine.testIdOf(row) }))
        const health = yield* tests.health(ref, [...new Set(identified.map((row) => row.testId))], now)
        const ends = identified.map(({ expiresAt }) => expiresAt ?? Infinity)
        const recoveries = Array.from(health.values(), (identities) => Quarantine.recoversAt(identities, now, policy))
        yield* Lifetime.of(
          now,
          [...ends, ...recoveries].reduce((a, b) => Math.min(a, b), Instant.endOfDay(now))
        )
        return identified.map((row): QuarantinedTest => ({
          ...row,
          isRecovered: Quarantine.isRecovered(row, health.get(row.testId) ?? [], now, policy)
        }))
      })

      const list = Effect.fn("Quarantines.list")(function* (
        ref: Repository.RepositoryRef,
        request: QuarantinesRequest
      ) {
        const found = yield* repository(ref)
        const { branch, cursor, perPage, source, testId } = request
        const now = yield* Clock.currentTimeMillis
        const bound = Listing.binding("quarantines", ref, [JSON.stringify([branch, testId, source])])
        const from = yield* Listing.from(bound, cursor, Position)
        const page = yield* quarantines.page(ref, { branch, testId, source, from, limit: perPage, now })
        const listing = Listing.of(bound, page, ({ createdAt, id }) => ({ createdAt, id }))
        // A record that ends on another page moves the rows of this one.
        if (listing.rows.length < page.total) yield* Lifetime.of(now, now)
        return { ...listing, rows: yield* withRecovery(ref, found, listing.rows) }
      })

      const settingsOf = (ref: Repository.RepositoryRef) =>
        Effect.map(
          repositories.get(ref),
          Option.match({ onNone: () => Repository.defaultSettings, onSome: ({ settings }) => settings })
        )

      const create = Effect.fn("Quarantines.create")(function* (
        ref: Repository.RepositoryRef,
        quarantine: NewQuarantine
      ) {
        const { quarantineReason, ...settings } = yield* settingsOf(ref)
        if (quarantineReason === "required" && quarantine.reason.trim() === "") {
          return yield* new Invalid({ faults: [{ _tag: "ReasonRequired" }] })
        }
        const createdAt = yield* Clock.currentTimeMillis
        const record: Quarantine.Quarantine = {
          id: yield* newId,
          testName: quarantine.testName,
          reason: quarantine.reason,
          branch: quarantine.branch,
          createdAt,
          createdBy: quarantine.by,
          source: quarantine.source,
          removedAt: null,
          removedBy: null,
          ...QuarantineLife.initial(createdAt, { ...Quarantine.defaults, ...settings.quarantine })
        }
        yield* changed(ref)
        const inserted = yield* quarantines.insert(ref, record)
        const { owner, repository: name } = ref
        const { branch, testName } = quarantine
        yield* note({ after: noteOf(record) })
        return inserted ? record : yield* new QuarantineExists({ owner, repository: name, testName, branch })
      })

      const get = Effect.fn("Quarantines.get")(function* (ref: Repository.RepositoryRef, id: string) {
        const found = yield* repository(ref)
        const row = yield* quarantines.get(ref, id, yield* Clock.currentTimeMillis)
        if (Option.isNone(row)) return yield* unknownQuarantine(ref, id)
        const [first] = yield* withRecovery(ref, found, [row.value])
        return first ?? (yield* unknownQuarantine(ref, id))
      })

      const setLife = Effect.fn("Quarantines.setLife")(function* (
        ref: Repository.RepositoryRef,
        id: string,
        { by, terms }: NewLife
      ) {
        const { settings } = yield* repository(ref)
        const at = yield* Clock.currentTimeMillis
        if (QuarantineLife.hasEnded({ expiresAt: terms.expiresAt ?? null }, at))
          return yield* new Invalid({ faults: [{ _tag: "EndInThePast" }] })
        yield* changed(ref)
        const held = yield* quarantines.get(ref, id, at)
        const life = QuarantineLife.changed(terms, at, Repository.policies(settings).quarantine)
        const given = yield* Effect.flatMap(
          quarantines.setLife(ref, id, life, { at, by }),
          Lookup.orFail(() => unknownQuarantine(ref, id))
        )
        yield* note({
          before: Option.match(held, { onNone: () => null, onSome: lifeNoteOf }),
          after: lifeNoteOf(given)
        })
        return given
      })

      const remove = Effect.fn("Quarantines.remove")(function* (ref: Repository.RepositoryRef, id: string, by: string) {
        yield* repository(ref)
        yield* changed(ref)
        const at = yield* Clock.currentTimeMillis
        const held = yield* quarantines.get(ref, id, at)
        yield* note({ before: Option.match(held, { onNone: () => null, onSome: noteOf }) })
        const removed = yield* quarantines.remove(ref, id, { at, by })
        if (!removed) return yield* unknownQuarantine(ref, id)
      })

      const check = Effect.fn("Quarantines.check")(function* (
        ref: Repository.RepositoryRef,
        testNames: ReadonlyArray<string>,
        branch: string | null
      ) {
        yield* repository(ref)
        const names = [...new Set(testNames)]
        const quarantined = yield* quarantines.among(ref, {
          testNames: names,
          branch,
          now: yield* Clock.currentTimeMillis
        })
        return {
          quarantined: names.filter((name) => quarantined.has(name)),
          others: names.filter((name) => !quarantined.has(name))
        }
      })

      return Quarantines.of({ list, create, get, setLife, remove, check })
    })
  )
}

const Position: Schema.Codec<QuarantinePosition> = Schema.Struct({
  createdAt: Instant.Instant,
  id: Schema.String.check(Schema.isUUID())
})

/** A quarantine in the audit log. */
const noteOf = ({ branch, id, reason, testName }: Quarantine.Quarantine) => ({ id, testName, branch, reason })

/** The life of a quarantine in the audit log. */
const lifeNoteOf = (quarantine: Quarantine.Quarantine) => {
  const { expiresAt, owner, scope, ticket } = quarantine
  return {
    ...noteOf(quarantine),
    expiresAt: expiresAt === null ? null : Instant.toIso(expiresAt),
    owner,
    ticket,
    scope
  }
}

const unknownQuarantine = ({ owner, repository }: Repository.RepositoryRef, quarantineId: string) =>
  new QuarantineNotFound({ owner, repository, quarantineId })
