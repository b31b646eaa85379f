/** The one-time codes of sign-in links over a driver. */
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { signInCodes } from "../Rows.ts"
import { SignInCodeStore } from "./SignInCodeStore.ts"

/** The port of sign-in codes. */
export const make = (driver: Driver["Service"]): SignInCodeStore["Service"] =>
  SignInCodeStore.of({
    insert: (code, { createdBefore, mostOfKey }) =>
      driver.transact("SignInCodeStore.insert", null, null, (transaction) =>
        Effect.gen(function* () {
          yield* transaction.remove(signInCodes, [["createdAt", "<", createdBefore]])
          yield* transaction.put(signInCodes, [code])
          const own = yield* transaction.select(signInCodes, {
            where: [["keyId", "=", code.keyId]],
            order: ["createdAt", "hash"],
            isDescending: true
          })
          const older = own.slice(mostOfKey).map(({ hash }) => hash)
          if (older.length > 0) yield* transaction.remove(signInCodes, [["hash", "in", older]])
        })
      ),
    take: (hash) =>
      driver.transact("SignInCodeStore.take", null, null, (transaction) =>
        Effect.gen(function* () {
          const [code] = yield* transaction.select(signInCodes, { where: [["hash", "=", hash]], order: [] })
          yield* transaction.remove(signInCodes, [["hash", "=", hash]])
          return Option.fromUndefinedOr(code)
        })
      )
  })
