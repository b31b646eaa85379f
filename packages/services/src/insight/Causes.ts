/** The use cases of causes: failures that tests share, and what people decide about them (beyond the interface). */
import { Cause, CauseRecord, type Instant, Page, type Repository, TestId, Text } from "@lazaret/domain"
import { type CauseProgress, CauseStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { note } from "../answer/AuditNote.ts"
import * as Copies from "../answer/Copies.ts"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import { CauseNotFound, type Invalid, type RepositoryNotFound } from "../answer/ServiceError.ts"
import { CommitNotice } from "../ports/CommitNotice.ts"
import { Quarantines } from "../quarantine/Quarantines.ts"

/** A cause with its state as of now, and its share of the job runs with failures. */
export interface ListedCause extends CauseRecord.CauseRecord {
  readonly state: CauseRecord.State
  readonly share: number
}

/** The causes to list: in one of these states, of one of these kinds, with this test; empty lists and null stand for all. */
export interface CausesRequest extends Listing.PageRequest {
  readonly states: ReadonlyArray<CauseRecord.State>
  readonly kinds: ReadonlyArray<Cause.Kind>
  readonly testId: TestId.TestId | null
}

/** A page of causes, and the round that found them. */
export interface ListedCauses extends Pick<CauseProgress, "computedAt" | "redRuns" | "missingRuns"> {
  readonly listing: Listing.Listing<ListedCause>
}

/** The tests of a cause that a quarantine was asked for: those that got one, and those that had one. */
export interface QuarantinedCause {
  readonly quarantined: ReadonlyArray<string>
  readonly already: ReadonlyArray<string>
}

/** A quarantine of all tests of a cause. */
export interface CauseQuarantine {
  readonly reason: string | null
  readonly branch: string | null
  readonly by: string
}

/** The cause of a test that failed, how many of its tests failed next to it, its own included, and both in words. */
export interface CauseLink {
  readonly causeId: string
  readonly name: string
  readonly tests: number
  readonly failedHere: number
  readonly sentence: string
}

/** The links of failed tests by their names. */
export type CauseLinks = ReadonlyMap<string, CauseLink>

/** Shows causes, and stores decisions about them. */
export class Causes extends Context.Service<
  Causes,
  {
    /** The causes, those that made most job runs red first. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: CausesRequest
    ) => Effect.Effect<ListedCauses, Invalid | RepositoryNotFound | StoreError>
    /** One cause. */
    readonly get: (
      ref: Repository.RepositoryRef,
      causeId: string
    ) => Effect.Effect<ListedCause, CauseNotFound | RepositoryNotFound | StoreError>
    /** The tests of a cause, those that failed most often first. */
    readonly tests: (
      ref: Repository.RepositoryRef,
      causeId: string,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<Cause.CauseTest>, CauseNotFound | Invalid | RepositoryNotFound | StoreError>
    /** Stores a decision: what is absent stays as it is. */
    readonly decide: (
      ref: Repository.RepositoryRef,
      causeId: string,
      decision: { readonly change: CauseRecord.Change; readonly by: string }
    ) => Effect.Effect<ListedCause, CauseNotFound | RepositoryNotFound | StoreError>
    /** Quarantines the tests of a cause, at most {@link mostQuarantined}. */
    readonly quarantine: (
      ref: Repository.RepositoryRef,
      causeId: string,
      quarantine: CauseQuarantine
    ) => Effect.Effect<QuarantinedCause, CauseNotFound | Invalid | RepositoryNotFound | StoreError>
    /** The cause of each test that has one, among tests that failed together; outages are left out. */
    readonly links: (
      ref: Repository.RepositoryRef,
      failed: ReadonlyArray<string>
    ) => Effect.Effect<CauseLinks, StoreError>
  }
>()("@lazaret/services/Causes") {
  /** The use cases over the storage ports. */
  static readonly layer = Layer.effect(
    Causes,
    Effect.gen(function* () {
      const store = yield* CauseStore
      const repository = Lookup.repository(yield* RepositoryStore)
      const quarantines = yield* Quarantines
      const { changed } = yield* CommitNotice
      const copies = Copies.make<Copy>()

      /** The records as they are stored, read again only when they have changed. */
      const copyOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const progress = yield* store.progress(ref)
        const version = `${progress.changes} ${progress.computedAt}`
        return yield* copies.get(
          ref,
          version,
          Effect.map(store.list(ref), (records) => copyFrom(progress, records))
        )
      })

      const listed = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const copy = yield* copyOf(ref)
        const now = yield* Clock.currentTimeMillis
        return { ...copy, causes: copy.records.map((record) => listedOf(record, copy.progress, now)) }
      })

      const one = Effect.fnUntraced(function* (ref: Repository.RepositoryRef, causeId: string) {
        yield* repository(ref)
        const { causes } = yield* listed(ref)
        return yield* Lookup.orFail(() => notFound(ref, causeId))(
          Option.fromUndefinedOr(causes.find((each) => each.causeId === causeId))
        )
      })

      const list = Effect.fn("Causes.list")(function* (ref: Repository.RepositoryRef, request: CausesRequest) {
        yield* repository(ref)
        const bound = Listing.binding("causes", ref, bindingOf(request))
        const from = yield* Listing.from(bound, request.cursor, Position)
        const { causes, progress, testIds } = yield* listed(ref)
        const wanted = causes.filter(
          (cause) => isAsked(cause, request) && (request.testId === null || testIds(cause).has(request.testId))
        )
        const page = Page.select(wanted, { order, comparePosition, from, limit: request.perPage })
        const { computedAt, missingRuns, redRuns } = progress
        return { computedAt, missingRuns, redRuns, listing: Listing.of(bound, page, positionOf) }
      })

      const tests = Effect.fn("Causes.tests")(function* (
        ref: Repository.RepositoryRef,
        causeId: string,
        request: Listing.PageRequest
      ) {
        const { known } = yield* one(ref, causeId)
        const bound = Listing.binding("cause tests", ref, [causeId])
        const from = yield* Listing.from(bound, request.cursor, TestPosition)
        const page = Page.select(known.tests, {
          order: orderOfTests,
          comparePosition: orderOfTests,
          from,
          limit: request.perPage
        })
        return Listing.of(bound, page, ({ runs, testName }) => ({ runs, testName }))
      })

      const decide = Effect.fn("Causes.decide")(function* (
        ref: Repository.RepositoryRef,
        causeId: string,
        { by, change }: { readonly change: CauseRecord.Change; readonly by: string }
      ) {
        yield* repository(ref)
        // Issues follow the decision; the notice comes first, so that it is not lost.
        yield* changed(ref)
        const at = yield* Clock.currentTimeMillis
        const found = yield* Effect.flatMap(
          store.decide(ref, { causeId, change, at, by }),
          Lookup.orFail(() => notFound(ref, causeId))
        )
        yield* note({ after: { cause: found.known.name, ...change } })
        return listedOf(found, yield* store.progress(ref), at)
      })

      const quarantine = Effect.fn("Causes.quarantine")(function* (
        ref: Repository.RepositoryRef,
        causeId: string,
        { branch, by, reason }: CauseQuarantine
      ) {
        const { known } = yield* one(ref, causeId)
        const quarantined: Array<string> = []
        const already: Array<string> = []
        for (const { testName } of known.tests.slice(0, mostQuarantined)) {
          const asked = { testName, reason: reason ?? known.name, branch, source: "manual", by } as const
          const isNew = yield* quarantines.create(ref, asked).pipe(
            Effect.as(true),
            Effect.catchTag("QuarantineExists", () => Effect.succeed(false))
          )
          ;(isNew ? quarantined : already).push(testName)
        }
        return { quarantined, already }
      })

      const links = Effect.fn("Causes.links")(function* (ref: Repository.RepositoryRef, failed: ReadonlyArray<string>) {
        if (failed.length === 0) return new Map()
        const { byTest } = yield* copyOf(ref)
        const counts = new Map<string, number>()
        const found = [...new Set(failed)].flatMap((testName) => {
          const record = byTest.get(testName)
          if (record === undefined) return []
          counts.set(record.causeId, (counts.get(record.causeId) ?? 0) + 1)
          return [[testName, record] as const]
        })
        return new Map(found.map(([testName, record]) => [testName, linkOf(record, counts.get(record.causeId) ?? 1)]))
      })

      return Causes.of({ list, get: Effect.fn("Causes.get")(one), tests, decide, quarantine, links })
    })
  ).pipe(Layer.provide(Quarantines.layer))
}

/** The most tests of a cause that are quarantined at once. */
export const mostQuarantined = 500

interface Copy {
  readonly progress: CauseProgress
  readonly records: ReadonlyArray<CauseRecord.CauseRecord>
  readonly byTest: ReadonlyMap<string, CauseRecord.CauseRecord>
  /** The ids of the tests of a cause; ids are computed when somebody asks by id. */
  readonly testIds: (record: Pick<CauseRecord.CauseRecord, "causeId" | "known">) => ReadonlySet<string>
}

const copyFrom = (progress: CauseProgress, records: ReadonlyArray<CauseRecord.CauseRecord>): Copy => {
  const ids = new Map<string, ReadonlySet<string>>()
  return {
    progress,
    records,
    byTest: CauseRecord.byTest(records),
    testIds: ({ causeId, known }) => {
      const found = ids.get(causeId) ?? new Set(known.tests.map(({ testName }) => TestId.of(testName)))
      ids.set(causeId, found)
      return found
    }
  }
}

const linkOf = ({ causeId, known: { name, testCount } }: CauseRecord.CauseRecord, failedHere: number): CauseLink => ({
  causeId,
  name,
  tests: testCount,
  failedHere,
  sentence: Cause.membership(testCount, failedHere)
})

const listedOf = (record: CauseRecord.CauseRecord, { redRuns }: CauseProgress, now: Instant.Instant): ListedCause => ({
  ...record,
  state: CauseRecord.stateOf(record, now),
  share: redRuns === 0 ? 0 : Math.min(1, record.known.runs / redRuns)
})

const notFound = ({ owner, repository }: Repository.RepositoryRef, causeId: string): CauseNotFound =>
  new CauseNotFound({ owner, repository, causeId })

const bindingOf = ({ kinds, states, testId }: CausesRequest): ReadonlyArray<string> => [
  JSON.stringify([states.toSorted(), kinds.toSorted(), testId])
]

const isAsked = ({ known: { kind }, state }: ListedCause, { kinds, states }: CausesRequest): boolean =>
  (states.length === 0 || states.includes(state)) && (kinds.length === 0 || kinds.includes(kind))

const Position = Schema.Struct({ runs: Schema.Int, tests: Schema.Int, id: Schema.String })

type Position = typeof Position.Type

const positionOf = ({ causeId, known: { runs, testCount } }: ListedCause): Position => ({
  runs,
  tests: testCount,
  id: causeId
})

const comparePositions = (a: Position, b: Position): -1 | 0 | 1 =>
  sign(b.runs - a.runs) || sign(b.tests - a.tests) || Text.compare(a.id, b.id)

const order = (a: ListedCause, b: ListedCause): -1 | 0 | 1 => comparePositions(positionOf(a), positionOf(b))

const comparePosition = (row: ListedCause, position: Position): number => comparePositions(positionOf(row), position)

const TestPosition = Schema.Struct({ runs: Schema.Int, testName: Schema.String })

const orderOfTests = (a: typeof TestPosition.Type, b: typeof TestPosition.Type): -1 | 0 | 1 =>
  sign(b.runs - a.runs) || Text.compare(a.testName, b.testName)

const sign = (difference: number): -1 | 0 | 1 => (difference < 0 ? -1 : difference > 0 ? 1 : 0)
