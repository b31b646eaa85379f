/** The use case of losses: tests and jobs that did not run although they were expected (beyond the interface). */
import { type LossRecord, Page, type Repository, Text } from "@lazaret/domain"
import { type MissingProgress, MissingStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Schema } from "effect"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import type { Invalid, RepositoryNotFound } from "../answer/ServiceError.ts"

/** The losses to list: in one of these states, of one of these kinds; empty lists stand for all. */
export interface LossesRequest extends Listing.PageRequest {
  readonly states: ReadonlyArray<LossRecord.State>
  readonly kinds: ReadonlyArray<LossRecord.Kind>
}

/** A page of losses, and the round that found them. */
export interface ListedLosses extends MissingProgress {
  readonly listing: Listing.Listing<LossRecord.LossRecord>
}

/** Shows losses. */
export class Missing extends Context.Service<
  Missing,
  {
    /** The losses, the latest first. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: LossesRequest
    ) => Effect.Effect<ListedLosses, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Missing") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Missing,
    Effect.gen(function* () {
      const store = yield* MissingStore
      const repository = Lookup.repository(yield* RepositoryStore)

      const list = Effect.fn("Missing.list")(function* (ref: Repository.RepositoryRef, request: LossesRequest) {
        yield* repository(ref)
        const bound = Listing.binding("losses", ref, [JSON.stringify([request.states, request.kinds])])
        const from = yield* Listing.from(bound, request.cursor, Position)
        const progress = yield* store.progress(ref)
        const wanted = (yield* store.list(ref)).filter((loss) => isAsked(loss, request))
        const page = Page.select(wanted, { order: compare, comparePosition: compare, from, limit: request.perPage })
        return { ...progress, listing: Listing.of(bound, page, ({ at, lossId }) => ({ at, lossId })) }
      })

      return Missing.of({ list })
    })
  )
}

const isAsked = ({ kind, state }: LossRecord.LossRecord, { kinds, states }: LossesRequest): boolean =>
  (states.length === 0 || states.includes(state)) && (kinds.length === 0 || kinds.includes(kind))

const Position = Schema.Struct({ at: Schema.Int, lossId: Schema.String })

type Position = typeof Position.Type

const compare = (a: Position, b: Position): -1 | 0 | 1 =>
  a.at === b.at ? Text.compare(a.lossId, b.lossId) : a.at > b.at ? -1 : 1
