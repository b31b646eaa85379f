/** Application keys over a driver. */
import { ApplicationKey } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { KeyStore } from "./KeyStore.ts"
import { keys } from "../Rows.ts"
import type { Condition } from "../driver/Table.ts"

/** The port of application keys. */
export const make = (driver: Driver["Service"]): KeyStore["Service"] =>
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
