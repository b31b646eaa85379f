/** Application keys: the credentials that Lazaret issues itself (interface 5). */
import { Schema } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { RepositoryRef } from "../repository/Repository.ts"

/** The scopes of CI keys that do only part of what `ci` does: `upload` sends reports, `read` reads tests and quarantines. */
export const NarrowScope = Schema.Literals(["upload", "read"])

/** A scope that does only part of what `ci` does. */
export type NarrowScope = typeof NarrowScope.Type

/**
 * The rights of a key: `admin` everything, `ci` what CI needs (our choice, interface 5.3), a narrow scope part of that.
 */
export const Scope = Schema.Literals(["admin", "ci", ...NarrowScope.literals])

/** The rights of a key. */
export type Scope = typeof Scope.Type

/**
 * An application key as stored.
 *
 * **Details**
 *
 * - `owner`: the owner whose repositories it reaches; null reaches all owners.
 * - `hash`: SHA-256 of the secret in lower-case hexadecimal; the secret itself is shown once and not kept.
 */
export interface ApplicationKey {
  readonly id: string
  readonly name: string
  readonly owner: string | null
  readonly scope: Scope
  readonly hash: string
  readonly createdAt: Instant
  readonly revokedAt: Instant | null
}

/** The kind of credential (interface 5.2) that a key of this scope is: a narrow key is a CI key. */
export const kindOf = (scope: Scope): "admin" | "ci" => (scope === "admin" ? "admin" : "ci")

/** The name of the admin key that a server starts with. Requests cannot create a key of this name. */
export const firstAdminName = "first admin key"

/** Whether a key is in force for a repository; owners match without regard to case. */
export const reaches = (key: ApplicationKey, ref: Pick<RepositoryRef, "owner">): boolean =>
  key.revokedAt === null && (key.owner === null || key.owner.toLowerCase() === ref.owner.toLowerCase())

/** Whether a key is in force and may do everything: an admin key for all owners. */
export const isRoot = ({ owner, revokedAt, scope }: ApplicationKey): boolean =>
  owner === null && scope === "admin" && revokedAt === null

/**
 * Whether a key reaches everything that a key bound to an owner (null: to none) reaches.
 *
 * @example
 * ```ts
 * import { ApplicationKey } from "@lazaret/domain"
 *
 * ApplicationKey.covers({ owner: "Acme" }, "acme") // => true
 * ApplicationKey.covers({ owner: "acme" }, null) // => false
 * ApplicationKey.covers({ owner: null }, "acme") // => true
 * ```
 */
export const covers = (key: Pick<ApplicationKey, "owner">, owner: string | null): boolean =>
  key.owner === null || key.owner.toLowerCase() === owner?.toLowerCase()
