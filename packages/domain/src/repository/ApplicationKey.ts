/** Application keys: the credentials that Lazaret issues itself (interface 5). */
import { Schema } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { RepositoryRef } from "./Repository.ts"

/** What a key may do: `admin` everything, `ci` what CI needs (our choice, interface 5.3). */
export const Scope = Schema.Literals(["admin", "ci"])

/** What a key may do. */
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

/** The name of the admin key that a server starts with. Requests cannot create a key of this name. */
export const firstAdminName = "first admin key"

/** Whether a key is in force for a repository; owners match without regard to case. */
export const reaches = (key: ApplicationKey, ref: Pick<RepositoryRef, "owner">): boolean =>
  key.revokedAt === null && (key.owner === null || key.owner.toLowerCase() === ref.owner.toLowerCase())

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
