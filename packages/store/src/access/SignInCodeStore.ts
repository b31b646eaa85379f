/** The port of the one-time codes of sign-in links. */
import type { Instant } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

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
>()("@lazaret/store/SignInCodeStore") {}
