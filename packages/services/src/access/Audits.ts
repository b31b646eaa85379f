/** The use cases of the audit log: recording administrative actions, and reading the record (our choice). */
import { AuditEntry, Cursor, type Credential, Instant } from "@lazaret/domain"
import { type AuditPosition, AuditStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Exit, Layer, Option, Schema, Stream } from "effect"
import { type AuditNote, AuditNotes } from "../answer/AuditNote.ts"
import * as Listing from "../answer/Listing.ts"
import { NewId } from "../ports/NewId.ts"
import type { Invalid } from "../answer/ServiceError.ts"

/** The number of days for which entries are kept: 400 by default, so that a yearly review finds its whole year. */
export const AuditDays: Context.Reference<number> = Context.Reference<number>("@lazaret/services/AuditDays", {
  defaultValue: () => 400
})

/** The owners whose entries a caller reads; null: all entries. */
export type Reach = ReadonlyArray<string> | null

/** An action before it happens. */
export type AuditedAction = Pick<
  AuditEntry.AuditEntry,
  "actor" | "address" | "action" | "owner" | "repository" | "target"
>

/** The conditions on entries: each is null for every value. `end` is exclusive. */
export interface AuditFilter {
  readonly owner: string | null
  readonly repository: string | null
  readonly action: string | null
  readonly actor: string | null
  readonly start: Instant.Instant | null
  readonly end: Instant.Instant | null
}

/**
 * Records actions and reads the record.
 *
 * **Details**
 *
 * An entry is written before its action and completed after it. So no action goes unrecorded, whatever ends in between,
 * although the transaction of an action belongs to its repository and the entry, which outlives it, to the store.
 */
export class Audits extends Context.Service<
  Audits,
  {
    /**
     * Runs an action between the start and the end of its entry. `isDone` says of its value whether it was carried out. Without
     * an entry the action does not run; an end that cannot be written is logged.
     */
    readonly record: <A, E, R>(
      action: AuditedAction,
      effect: Effect.Effect<A, E, R>,
      isDone?: (value: A) => boolean
    ) => Effect.Effect<A, E | StoreError, R>
    /** The entries within reach (null: all; else of these owners), newest first. */
    readonly list: (
      reach: Reach,
      request: AuditFilter & Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<AuditEntry.AuditEntry>, Invalid | StoreError>
    /** Every entry within reach, newest first. */
    readonly all: (reach: Reach, filter: AuditFilter) => Stream.Stream<AuditEntry.AuditEntry, StoreError>
    /** Drops the entries that are older than `AuditDays`, and yields how many. */
    readonly prune: Effect.Effect<number, StoreError>
  }
>()("@lazaret/services/Audits") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    Audits,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const newId = yield* NewId
      const days = yield* AuditDays

      const begin = Effect.fnUntraced(function* (action: AuditedAction) {
        const entry: AuditEntry.AuditEntry = {
          ...withTexts(action),
          id: yield* newId,
          at: yield* Clock.currentTimeMillis,
          outcome: "started",
          before: null,
          after: null
        }
        yield* store.begin(entry)
        return entry
      })

      const end = (entry: AuditEntry.AuditEntry, outcome: "done" | "failed", notes: AuditNote) =>
        Effect.catchCause(
          store.end(entry.id, {
            outcome,
            owner: notes.owner === undefined ? entry.owner : notes.owner,
            before: storable(notes.before),
            after: outcome === "done" ? storable(notes.after) : null
          }),
          (cause) => Effect.logWarning("The outcome of an action was not written to the audit log", cause)
        ).pipe(Effect.annotateLogs({ entry: entry.id, outcome }))

      const record: Audits["Service"]["record"] = Effect.fnUntraced(function* (action, effect, isDone = () => true) {
        const entry = yield* begin(action)
        let notes: AuditNote = {}
        const take = (note: AuditNote) => {
          notes = { ...notes, ...note }
        }
        return yield* Effect.onExit(Effect.provideService(effect, AuditNotes, take), (exit) =>
          Effect.suspend(() => end(entry, Exit.isSuccess(exit) && isDone(exit.value) ? "done" : "failed", notes))
        )
      })

      const list = Effect.fn("Audits.list")(function* (
        reach: Reach,
        { cursor, perPage, ...filter }: AuditFilter & Listing.PageRequest
      ) {
        const bound = Cursor.binding(["audit", JSON.stringify(reach), JSON.stringify(filter)])
        const from = yield* Listing.from(bound, cursor, Position)
        const page = yield* store.page({ ...within(reach, filter), from, limit: perPage })
        return Listing.of(bound, page, placeOf)
      })

      const all: Audits["Service"]["all"] = (reach, filter) =>
        Stream.paginate<AuditPosition | null, AuditEntry.AuditEntry, StoreError>(null, (position) =>
          Effect.map(
            store.page({
              ...within(reach, filter),
              from: position === null ? { _tag: "Start" } : { _tag: "After", position },
              limit: atOnce
            }),
            ({ hasNext, rows }) => {
              const last = rows.at(-1)
              return [rows, hasNext && last !== undefined ? Option.some(placeOf(last)) : Option.none()] as const
            }
          )
        )

      const prune = Effect.flatMap(Clock.currentTimeMillis, (now) => store.prune(now - days * Instant.day))

      return Audits.of({ record, list, all, prune })
    })
  )
}

/** The entries that one page of an export reads. */
const atOnce = 1000

/** The actor of a caller. */
export const actorOf = ({ key, kind, origin, subject, user }: Credential.Principal): AuditEntry.Actor => {
  if (user !== undefined) return { kind: "user", id: user.id, name: user.login }
  if (key !== null) return { kind: "key", id: key.id, name: key.name }
  return origin === undefined && kind === "platform"
    ? { kind: "platform", id: subject, name: subject }
    : { kind: "ci", id: subject, name: subject }
}

const withTexts = ({ action, actor, address, owner, repository, target }: AuditedAction): AuditedAction => ({
  action,
  actor: { kind: actor.kind, id: AuditEntry.text(actor.id), name: AuditEntry.text(actor.name) },
  address: address === null ? null : AuditEntry.text(address),
  owner: owner === null ? null : AuditEntry.text(owner),
  repository: repository === null ? null : AuditEntry.text(repository),
  target: AuditEntry.fields(target)
})

const storable = (fields: AuditEntry.Fields | null | undefined): AuditEntry.Fields | null =>
  fields === null || fields === undefined ? null : AuditEntry.fields(fields)

/** The conditions within the reach of a caller: a foreign owner finds nothing. */
const within = (reach: Reach, { owner, ...filter }: AuditFilter) => ({
  ...filter,
  owners: owner === null ? reach : [owner].filter((each) => isReached(reach, each))
})

const isReached = (reach: Reach, owner: string): boolean =>
  reach === null || reach.some((each) => each.toLowerCase() === owner.toLowerCase())

const Position: Schema.Codec<AuditPosition> = Schema.Struct({ at: Instant.Instant, id: Schema.String })

const placeOf = ({ at, id }: AuditPosition): AuditPosition => ({ at, id })
