/** The use cases of issuing application keys (interface 5.3 leaves open how a credential is issued). */
import { ApplicationKey, Cursor, Instant, Page, Text } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Order, Schema } from "effect"
import { note } from "./AuditNote.ts"
import { type IssuedKey, KeyRegistry, type NewKey } from "./KeyRegistry.ts"
import * as Listing from "./Listing.ts"
import { type Invalid, KeyNotFound, KeyOutOfReach, type LastAdminKey } from "./ServiceError.ts"

/**
 * Lists, issues and revokes the keys within reach of an admin key.
 *
 * **Details**
 *
 * A key cannot grant more than it has: a key of one owner lists, issues and revokes only keys of that owner, and gets
 * `KeyNotFound` for all others.
 */
export class KeyAdministration extends Context.Service<
  KeyAdministration,
  {
    /** The keys within reach, revoked ones included, oldest first. */
    readonly list: (
      caller: ApplicationKey.ApplicationKey,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<ApplicationKey.ApplicationKey>, Invalid | StoreError>
    /** Creates a key with a secret that is shown only once. */
    readonly issue: (
      caller: ApplicationKey.ApplicationKey,
      key: NewKey
    ) => Effect.Effect<IssuedKey, KeyOutOfReach | StoreError>
    /**
     * Revokes a key at once, also the caller's own. The last admin key for all owners cannot be revoked: without it
     * no key could be issued any more.
     */
    readonly revoke: (
      caller: ApplicationKey.ApplicationKey,
      id: string
    ) => Effect.Effect<void, KeyNotFound | LastAdminKey | StoreError>
  }
>()("@lazaret/services/KeyAdministration") {
  /** The use cases over the keys. */
  static readonly layer = Layer.effect(
    KeyAdministration,
    Effect.gen(function* () {
      const keys = yield* KeyRegistry

      const list = Effect.fn("KeyAdministration.list")(function* (
        caller: ApplicationKey.ApplicationKey,
        request: Listing.PageRequest
      ) {
        const bound = Cursor.binding(["application-keys", caller.owner ?? ""])
        const from = yield* Listing.from(bound, request.cursor, Position)
        const all = (yield* keys.list).filter((key) => ApplicationKey.covers(caller, key.owner))
        return Listing.of(
          bound,
          Page.select(all, { order, comparePosition: order, from, limit: request.perPage }),
          placeOf
        )
      })

      const issue = Effect.fn("KeyAdministration.issue")(function* (
        caller: ApplicationKey.ApplicationKey,
        key: NewKey
      ) {
        if (!ApplicationKey.covers(caller, key.owner)) {
          return yield* new KeyOutOfReach({ keyOwner: caller.owner, owner: key.owner })
        }
        const issued = yield* keys.issue(key)
        yield* note({ owner: key.owner, after: noteOf(issued.key) })
        return issued
      })

      const revoke = Effect.fn("KeyAdministration.revoke")(function* (
        caller: ApplicationKey.ApplicationKey,
        id: string
      ) {
        const found = (yield* keys.list).find((key) => key.id === id)
        if (found === undefined || !ApplicationKey.covers(caller, found.owner)) {
          return yield* new KeyNotFound({ keyId: id })
        }
        yield* note({ owner: found.owner, before: noteOf(found) })
        yield* keys.revoke(id)
      })

      return KeyAdministration.of({ list, issue, revoke })
    })
  )
}

/** A key in the audit log: never its hash. */
const noteOf = ({ id, name, owner, scope }: ApplicationKey.ApplicationKey) => ({ id, name, owner, scope })

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
