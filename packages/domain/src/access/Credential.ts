/** Credentials: their kinds, what an operation demands of one, and the caller that one identifies (interface 5). */
import type { UploadOrigin } from "./UploadOrigin.ts"
import type { Provider } from "./AssignedRole.ts"
import * as ApplicationKey from "./ApplicationKey.ts"
import type { NarrowScope, Scope } from "./ApplicationKey.ts"
import type { RepositoryRef } from "../repository/Repository.ts"
import * as Role from "./Role.ts"

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
 * - `role`: the least role of a person who signed in; without it, the operation is for programs.
 * - `reach`: `"all owners"` where the operation concerns every owner, so that a key of one owner is refused.
 */
export interface Demand {
  readonly kinds: ReadonlyArray<CredentialKind>
  readonly narrow?: ReadonlyArray<NarrowScope>
  readonly permission: "read" | "write"
  readonly role?: Role.Role
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
 * a token of the hosting platform, a token of a CI system (only this has an `origin`) and a person (only this has a `user`).
 * `sessionId` is there when the caller presented the cookie of a session.
 */
export interface Principal {
  readonly kind: CredentialKind
  readonly subject: string
  readonly key: ApplicationKey.ApplicationKey | null
  readonly origin?: UploadOrigin
  readonly user?: User
  readonly sessionId?: string
}

/** A person who signed in, with the roles that the sign-in gave. */
export interface User {
  readonly id: string
  readonly login: string
  /** The provider of the sign-in; null for one before this was kept. */
  readonly provider: Provider | null
  readonly grants: ReadonlyArray<Role.Grant>
}

/** The administrative reach of a caller as grants: the scope `admin` of a key is the role of an admin. */
export const grantsOf = ({ key, user }: Principal): ReadonlyArray<Role.Grant> => {
  if (user !== undefined) return user.grants
  return key?.scope === "admin" ? [{ role: "admin", owner: key.owner, repository: null }] : []
}

/** Whether a key or a person reaches a repository at all; other callers reach none by themselves. */
export const reaches = ({ key, user }: Principal, ref: RepositoryRef): boolean =>
  user === undefined
    ? key !== null && ApplicationKey.reaches(key, ref)
    : user.grants.some((grant) => Role.covers(grant, ref))

/** Whether a key or a person administers a repository; other callers administer none by themselves. */
export const administers = (caller: Principal, ref: RepositoryRef): boolean =>
  grantsOf(caller).some((grant) => grant.role === "admin" && Role.covers(grant, ref))

/** An application key as a caller. */
export const ofKey = (key: ApplicationKey.ApplicationKey): Principal => ({
  kind: ApplicationKey.kindOf(key.scope),
  subject: `key ${key.id}`,
  key
})

/** A person as a caller. Of the kinds of credential, a person reads the events that a token of the platform reads. */
export const ofUser = (user: User): Principal => ({ kind: "platform", subject: user.login, key: null, user })
