/** Credentials: their kinds, what an operation demands of one, and the caller that one identifies (interface 5). */
import type { UploadOrigin } from "../execution/UploadOrigin.ts"
import type { ApplicationKey, NarrowScope, Scope } from "./ApplicationKey.ts"

/** The kinds of credential (interface 5.2): Admin Application Key, CI Application Key, Hosting Platform Token. */
export type CredentialKind = "admin" | "ci" | "platform"

/**
 * The demand of an operation on a credential.
 *
 * **Details**
 *
 * - `kinds`: the kinds that are accepted.
 * - `narrow`: the scopes of narrow keys that are accepted; without it, none.
 * - `permission`: the permission in the repository that a token of the hosting platform needs.
 * - `reach`: `"all owners"` where the operation concerns every owner, so that a key of one owner is refused.
 */
export interface Demand {
  readonly kinds: ReadonlyArray<CredentialKind>
  readonly narrow?: ReadonlyArray<NarrowScope>
  readonly permission: "read" | "write"
  readonly reach?: "all owners"
}

/**
 * Whether a key of this scope meets a demand.
 *
 * @example
 * ```ts
 * import { Credential } from "@lazaret/domain"
 *
 * const uploads = { kinds: ["admin", "ci"], narrow: ["upload"], permission: "write" } as const
 * Credential.accepts(uploads, "upload") // => true
 * Credential.accepts(uploads, "read") // => false
 * ```
 */
export const accepts = (demand: Demand, scope: Scope): boolean =>
  scope === "admin" || scope === "ci" ? demand.kinds.includes(scope) : demand.narrow?.includes(scope) === true

/** Whether a credential has the form of a signed token (RFC 7519), which only a CI system sends here. */
export const isSignedToken = (credential: string): boolean => /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/u.test(credential)

/**
 * An authenticated caller.
 *
 * **Details**
 *
 * `kind` is `ci` for a narrow key. `subject` names the caller in records and holds no secret. `key` is null for
 * a token of the hosting platform and for a token of a CI system; only the latter has an `origin`.
 */
export interface Principal {
  readonly kind: CredentialKind
  readonly subject: string
  readonly key: ApplicationKey | null
  readonly origin?: UploadOrigin
}
