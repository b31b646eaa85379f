/** Sessions: what a signed-in browser is known by (our choice). */
import type { Instant } from "../time/Instant.ts"
import type { Provider } from "./AssignedRole.ts"
import type { Grant } from "./Role.ts"

/**
 * A session as stored.
 *
 * **Details**
 *
 * - `hash`: SHA-256 of the secret in the cookie; the secret itself is not kept.
 * - `kind`: `key` for a session of an application key, which ends with the key; `user` for one of a person.
 * - `subjectId`, `name`: the id and the name of the key, or the id and the login of the person.
 * - `owner`: the owner whom the key is bound to; null for a key of all owners, and for a person.
 * - `grants`: the roles that the sign-in gave a person; none for a key, whose scope counts.
 * - `provider`: the one that a person signed in with; null for a key.
 * - `address`, `agent`: where it began, and in which browser.
 */
export interface Session {
  readonly id: string
  readonly hash: string
  readonly kind: "key" | "user"
  readonly subjectId: string
  readonly name: string
  readonly owner: string | null
  readonly grants: ReadonlyArray<Grant>
  readonly provider: Provider | null
  readonly createdAt: Instant
  readonly seenAt: Instant
  readonly address: string | null
  readonly agent: string | null
}

/** How long a session lives, in milliseconds: without a request, and at most. */
export interface Limits {
  readonly idle: number
  readonly absolute: number
}

/**
 * The end of a session (exclusive), when no further request comes.
 *
 * @example
 * ```ts
 * import { Session } from "@lazaret/domain"
 *
 * Session.end({ createdAt: 0, seenAt: 50 }, { idle: 20, absolute: 100 }) // => 70
 * Session.end({ createdAt: 0, seenAt: 90 }, { idle: 20, absolute: 100 }) // => 100
 * ```
 */
export const end = (
  { createdAt, seenAt }: Pick<Session, "createdAt" | "seenAt">,
  { absolute, idle }: Limits
): Instant => Math.min(createdAt + absolute, seenAt + idle)
