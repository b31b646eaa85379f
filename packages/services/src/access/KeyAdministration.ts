/** The use cases of issuing application keys (interface 5.3 leaves open how a credential is issued). */
import { type ApplicationKey, Credential, Cursor, Instant, Page, Role, Text } from "@lazaret/domain"
import type { StoreError } from "@lazaret/store"
import { Context, Effect, Layer, Order, Schema } from "effect"
import { note } from "../answer/AuditNote.ts"
import { type IssuedKey, KeyRegistry, type NewKey } from "./KeyRegistry.ts"
import * as Listing from "../answer/Listing.ts"
import { type Invalid, KeyNotFound, KeyOutOfReach, type LastAdminKey } from "../answer/ServiceError.ts"

/**
 * Lists, issues and revokes the keys within reach of an admin key, or of a person with the role of an admin.
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
      caller: Credential.Principal,
      request: Listing.PageRequest
    ) => Effect.Effect<Listing.Listing<ApplicationKey.ApplicationKey>, Invalid | StoreError>
    /** Creates a key with a secret that is shown only once. */
    readonly issue: (caller: Credential.Principal, key: NewKey) => Effect.Effect<IssuedKey, KeyOutOfReach | StoreError>
    /**
     * Revokes a key at once, also the caller's own. The last admin key for all owners cannot be revoked: without it
     * no key could be issued any more.
     */
    readonly revoke: (
      caller: Credential.Principal,
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
        caller: Credential.Principal,
        request: Listing.PageRequest
      ) {
        const grants = Credential.grantsOf(caller)
        const bound = Cursor.binding(["application-keys", ...(Role.administered(grants) ?? [""])])
        const from = yield* Listing.from(bound, request.cursor, Position)
        const all = (yield* keys.list).filter((key) => Role.administers(grants, key.owner))
        return Listing.of(
          bound,
          Page.select(all, { order, comparePosition: order, from, limit: request.perPage }),
          placeOf
        )
      })

      const issue = Effect.fn("KeyAdministration.issue")(function* (caller: Credential.Principal, key: NewKey) {
        const grants = Credential.grantsOf(caller)
        if (!Role.administers(grants, key.owner)) {
          const keyOwner = Role.administered(grants)?.join(", ") ?? null
          return yield* new KeyOutOfReach({ keyOwner, owner: key.owner })
        }
        const issued = yield* keys.issue(key)
        yield* note({ owner: key.owner, after: noteOf(issued.key) })
        return issued
      })

      const revoke = Effect.fn("KeyAdministration.revoke")(function* (caller: Credential.Principal, id: string) {
        const found = (yield* keys.list).find((key) => key.id === id)
        if (found === undefined || !Role.administers(Credential.grantsOf(caller), found.owner)) {
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
