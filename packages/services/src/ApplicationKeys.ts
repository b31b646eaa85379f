/** The use cases of people who hand out application keys (interface 5.3 leaves open how a credential is issued). */
import { ApplicationKey, Cursor, Instant, Page, Text } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Order, Schema } from "effect"
import { type IssuedKey, Keys, type NewKey } from "./Keys.ts"
import * as Listing from "./Listing.ts"
import { Conflict, Denied, type Invalid, NotFound } from "./ServiceError.ts"

/**
 * Keys as the holder of an admin key sees and moves them.
 *
 * **Details**
 *
 * Nobody hands out more than they have: a key that is bound to an owner sees, makes and revokes only keys that are bound
 * to the same owner. The others are unknown to it.
 */
export class ApplicationKeys extends Context.Service<
  ApplicationKeys,
  {
    /** The keys within reach, revoked ones included, oldest first. */
    readonly list: (
      caller: ApplicationKey.ApplicationKey,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<ApplicationKey.ApplicationKey>, Invalid | StoreError>
    /** Makes a key with a secret that is shown this once. */
    readonly issue: (
      caller: ApplicationKey.ApplicationKey,
      key: NewKey
    ) => Effect.Effect<IssuedKey, Conflict | Denied | StoreError>
    /**
     * Revokes a key at once, also the caller's own. The last admin key that reaches all owners is kept: without it nobody
     * could hand out keys any more.
     */
    readonly revoke: (
      caller: ApplicationKey.ApplicationKey,
      id: string
    ) => Effect.Effect<void, Conflict | NotFound | StoreError>
  }
>()("@lazaret/services/ApplicationKeys") {
  /** The use cases over the keys. */
  static readonly layer = Layer.effect(
    ApplicationKeys,
    Effect.gen(function* () {
      const keys = yield* Keys

      const list = Effect.fnUntraced(function* (caller: ApplicationKey.ApplicationKey, request: Listing.PageRequest) {
        const bound = Cursor.binding(["application-keys", caller.owner ?? ""])
        const from = yield* Listing.from(bound, request.cursor, Position)
        const all = (yield* keys.list).filter((key) => ApplicationKey.covers(caller, key.owner))
        return Listing.of(
          bound,
          Page.select(all, { order, comparePosition: order, from, limit: request.perPage }),
          placeOf
        )
      })

      const issue = Effect.fnUntraced(function* (caller: ApplicationKey.ApplicationKey, key: NewKey) {
        if (!ApplicationKey.covers(caller, key.owner)) return yield* beyond(caller)
        return yield* keys.issue(key)
      })

      const revoke = Effect.fnUntraced(function* (caller: ApplicationKey.ApplicationKey, id: string) {
        const all = yield* keys.list
        const found = all.find((key) => key.id === id)
        if (found === undefined || !ApplicationKey.covers(caller, found.owner)) return yield* unknownKey
        if (isRoot(found) && all.filter(isRoot).length === 1) return yield* lastKey
        yield* keys.revoke(id)
      })

      return ApplicationKeys.of({ list, issue, revoke })
    })
  )
}

interface Position {
  readonly createdAt: Instant.Instant
  readonly id: string
}

const Position: Schema.Codec<Position> = Schema.Struct({ createdAt: Instant.Instant, id: Schema.String })

const placeOf = ({ createdAt, id }: Position): Position => ({ createdAt, id })

const order: Order.Order<Position> = Order.combine(
  Order.mapInput(Order.Number, ({ createdAt }: Position) => createdAt),
  Order.mapInput(Text.CodePointOrder, ({ id }: Position) => id)
)

const isRoot = (key: ApplicationKey.ApplicationKey): boolean =>
  key.owner === null && key.scope === "admin" && key.revokedAt === null

const beyond = (caller: ApplicationKey.ApplicationKey): Denied =>
  new Denied({
    message: `This key reaches the owner ${caller.owner} and can make keys for that owner only: name it as the owner.`
  })

const unknownKey = new NotFound({
  resource: "key",
  message: "There is no active key with this id. List the keys to find the active ones."
})

const lastKey = new Conflict({
  message: "This is the last admin key that reaches all owners. Make another one first, and revoke this one with it."
})
