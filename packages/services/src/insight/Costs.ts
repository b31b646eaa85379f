/** The use case of cost: what flaky tests cost, and what is worth mending first (beyond the interface). */
import { Cost, type CostKnown, type CostPolicy, type Instant, Page, Repository, Text } from "@lazaret/domain"
import { CostStore, RepositoryStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Option, Order, Schema } from "effect"
import * as Copies from "../answer/Copies.ts"
import * as Listing from "../answer/Listing.ts"
import * as Lookup from "../answer/Lookup.ts"
import type { Invalid, RepositoryNotFound } from "../answer/ServiceError.ts"
import { TestOwners } from "./TestOwners.ts"

/** The table that is asked for: its rows, and how many weeks back it reaches, this one included. */
export interface CostRequest extends Listing.PageRequest {
  readonly by: Cost.By
  readonly weeks: number
}

/**
 * A page of a table of costs.
 *
 * **Details**
 *
 * `computedAt`: when it was computed; null before the first time, with `cost` null.
 */
export interface ListedCosts {
  readonly computedAt: Instant.Instant | null
  readonly policy: CostPolicy.CostPolicy
  readonly cost: Cost.Cost | null
  readonly listing: Listing.Listing<Cost.Row>
}

/** Shows what flaky tests cost. */
export class Costs extends Context.Service<
  Costs,
  {
    /** The rows of a table, those that cost most first, and its sums. */
    readonly list: (
      ref: Repository.RepositoryRef,
      request: CostRequest
    ) => Effect.Effect<ListedCosts, Invalid | RepositoryNotFound | StoreError>
  }
>()("@lazaret/services/Costs") {
  /** The use case over the storage ports. */
  static readonly layer = Layer.effect(
    Costs,
    Effect.gen(function* () {
      const store = yield* CostStore
      const owners = yield* TestOwners
      const repository = Lookup.repository(yield* RepositoryStore)
      const copies = Copies.make<Copy>()

      /** The stored result, read again only after another computation. */
      const copyOf = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
        const computedAt = yield* store.computedAt(ref)
        const read = Effect.map(store.known(ref), (known) => ({ computedAt, known: Option.getOrNull(known) }))
        return yield* copies.get(ref, `${computedAt}`, read)
      })

      const list = Effect.fn("Costs.list")(function* (
        ref: Repository.RepositoryRef,
        { by, cursor, perPage, weeks }: CostRequest
      ) {
        const { settings } = yield* repository(ref)
        const policy = Repository.policies(settings).cost
        const bound = Listing.binding("costs", ref, [by, `${weeks}`])
        const from = yield* Listing.from(bound, cursor, Position)
        const { computedAt, known } = yield* copyOf(ref)
        const ownersOf = known === null || by !== "owner" ? () => [] : yield* owners.of(ref, known)
        const cost = known === null ? null : Cost.of(known, { by, weeks, policy, ownersOf })
        const order = by === "week" ? newestFirst : dearestFirst
        const page = Page.select(cost?.rows ?? [], { order, comparePosition: order, from, limit: perPage })
        return { computedAt, policy, cost, listing: Listing.of(bound, page, positionOf) }
      })

      return Costs.of({ list })
    })
  ).pipe(Layer.provide(TestOwners.layer))
}

interface Copy {
  readonly computedAt: Instant.Instant | null
  readonly known: CostKnown.CostKnown | null
}

/** The place of a row: what it is ordered by. */
const Position = Schema.Struct({
  amount: Schema.Finite,
  waiting: Schema.Finite,
  start: Schema.NullOr(Schema.Int),
  key: Schema.String
})

type Position = typeof Position.Type

const positionOf = ({ amount, key, start, waiting }: Cost.Row): Position => ({ amount, waiting, start, key })

const dearestFirst: Order.Order<Position> = Order.combineAll([
  Order.mapInput(Order.flip(Order.Number), ({ amount }: Position) => amount),
  Order.mapInput(Order.flip(Order.Number), ({ waiting }: Position) => waiting),
  Order.mapInput(Text.CodePointOrder, ({ key }: Position) => key)
])

const newestFirst: Order.Order<Position> = Order.mapInput(Order.flip(Order.Number), ({ start }: Position) => start ?? 0)
