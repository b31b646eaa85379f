/** The port of application keys (interface 5), and its rules over a driver. */
import { ApplicationKey } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { keys } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"

/**
 * The outcome of a revocation.
 *
 * **Details**
 *
 * - `unknown`: the key is unknown or revoked already; nothing changed.
 * - `last`: it is the last key in force that administers the whole store (`ApplicationKey.isRoot`), and stays in force.
 */
export type Revocation = "revoked" | "unknown" | "last"

/** The port of application keys. Only the hash of a secret is ever stored. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a key; `false`, and nothing stored, when its id or hash is taken. */
    readonly insert: (key: ApplicationKey.ApplicationKey) => Effect.Effect<boolean, StoreError>
    /** The key whose secret has this hash, revoked ones included. */
    readonly find: (hash: string) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /** The key of this id, revoked ones included. */
    readonly get: (id: string) => Effect.Effect<Option.Option<ApplicationKey.ApplicationKey>, StoreError>
    /** All keys in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<ApplicationKey.ApplicationKey>, StoreError>
    /** Revokes a key. Of concurrent revocations of all root keys, also by several processes, one answers `last`. */
    readonly revoke: (id: string, at: number) => Effect.Effect<Revocation, StoreError>
  }
>()("@lazaret/store/KeyStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): KeyStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): KeyStore["Service"] =>
  KeyStore.of({
    insert: (key) =>
      driver.transact("KeyStore.insert", null, null, (transaction) =>
        Effect.gen(function* () {
          const withId = yield* transaction.count(keys, [["id", "=", key.id]])
          const withHash = yield* transaction.count(keys, [["hash", "=", key.hash]])
          if (withId + withHash > 0) return false
          yield* transaction.put(keys, [key])
          return true
        })
      ),
    find: (hash) =>
      driver.read("KeyStore.find", null, (view) =>
        Effect.map(view.select(keys, { where: [["hash", "=", hash]], order: [] }), ([key]) =>
          Option.fromUndefinedOr(key)
        )
      ),
    get: (id) =>
      driver.read("KeyStore.get", null, (view) =>
        Effect.map(view.select(keys, { where: [["id", "=", id]], order: [] }), ([key]) => Option.fromUndefinedOr(key))
      ),
    list: driver.read("KeyStore.list", null, (view) => view.select(keys, { where: [], order: ["createdAt", "id"] })),
    revoke: (id, at) =>
      driver.transact("KeyStore.revoke", null, null, (transaction) =>
        Effect.gen(function* () {
          const [key] = yield* transaction.select(keys, { where: [["id", "=", id]], order: [] })
          if (key === undefined || key.revokedAt !== null) return "unknown"
          if (ApplicationKey.isRoot(key) && (yield* transaction.count(keys, rootsInForce)) === 1) return "last"
          yield* transaction.put(keys, [{ ...key, revokedAt: at }])
          return "revoked"
        })
      )
  })

/** The keys for which `ApplicationKey.isRoot` holds. */
const rootsInForce: ReadonlyArray<Condition<ApplicationKey.ApplicationKey>> = [
  ["scope", "=", "admin"],
  ["owner", "=", null],
  ["revokedAt", "=", null]
]
