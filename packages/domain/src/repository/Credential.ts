/** Credentials: their kinds, what an operation demands of one, and the caller that one identifies (interface 5). */
import type { ApplicationKey } from "./ApplicationKey.ts"

/** The kinds of credential (interface 5.2): Admin Application Key, CI Application Key, Hosting Platform Token. */
export type CredentialKind = "admin" | "ci" | "platform"

/**
 * What an operation demands of a credential.
 *
 * **Details**
 *
 * - `kinds`: the kinds that are accepted.
 * - `permission`: the permission in the repository that a token of the hosting platform needs.
 * - `reach`: `"all owners"` where the operation concerns every owner, so that a key of one owner is refused.
 */
export interface Demand {
  readonly kinds: ReadonlyArray<CredentialKind>
  readonly permission: "read" | "write"
  readonly reach?: "all owners"
}

/**
 * An authenticated caller.
 *
 * **Details**
 *
 * `subject` names the caller in records and holds no secret. `key` is null for a token of the hosting platform.
 */
export interface Principal {
  readonly kind: CredentialKind
  readonly subject: string
  readonly key: ApplicationKey | null
}
