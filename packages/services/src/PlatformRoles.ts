/** The port of the roles that people have by their permissions at the hosting platform. */
import type { Repository, Role } from "@lazaret/domain"
import { Context, Effect } from "effect"

/** A person: `id` is the one of the sign-in, which begins with the address of its provider. */
export interface Person {
  readonly id: string
  readonly login: string
}

/**
 * The role that a person's permission in a repository stands for now; null for none.
 *
 * **Laws**
 *
 * - It never fails: a platform that does not respond gives no role, and neither does one that the person did not sign in with.
 * - An answer is kept for a few minutes at most: a permission that is taken away ends the role within this time.
 * - The person is known by the id. A login that now belongs to somebody else gives no role.
 */
export interface PlatformRoles {
  readonly of: (person: Person, ref: Repository.RepositoryRef) => Effect.Effect<Role.Role | null>
}

/** The roles by permission; a server without a platform gives nobody such a role. */
export const PlatformRoles: Context.Reference<PlatformRoles> = Context.Reference<PlatformRoles>(
  "@lazaret/services/PlatformRoles",
  { defaultValue: () => ({ of: () => Effect.succeed(null) }) }
)
