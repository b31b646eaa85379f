/** The port of the one-time codes of sign-in links, and its rules over a driver. */
import type { Instant } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { signInCodes } from "../Rows.ts"

/** A code: the hash of it, and the application key that it stands for. */
export interface SignInCode {
  readonly hash: string
  readonly keyId: string
  readonly createdAt: Instant.Instant
}

/** The codes that an insertion leaves: none from before an instant, and this many of the key, the newest. */
export interface SignInCodeLimits {
  readonly createdBefore: Instant.Instant
  readonly mostOfKey: number
}

/** The port of sign-in codes. Only the hash of a code is ever stored. */
export class SignInCodeStore extends Context.Service<
  SignInCodeStore,
  {
    /** Stores a code, and deletes those beyond the limits. */
    readonly insert: (code: SignInCode, limits: SignInCodeLimits) => Effect.Effect<void, StoreError>
    /** Removes the code with this hash, and yields it: of concurrent calls one gets it. */
    readonly take: (hash: string) => Effect.Effect<Option.Option<SignInCode>, StoreError>
  }
>()("@lazaret/store/SignInCodeStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): SignInCodeStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): SignInCodeStore["Service"] =>
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
