/** The port of the roles that people have by their permissions at the hosting platform. */
import type { Repository, Role } from "@lazaret/domain"
import { Cache, Context, Duration, Effect, Exit } from "effect"
import type { ForgeError } from "../ports/Forge.ts"

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

/** How long an answer is kept, how many are, and how long a request may take. */
const limits = {
  timeToLive: Duration.minutes(5),
  /** The pause before the next request about the same person to a platform that failed. */
  afterFailure: Duration.seconds(10),
  timeout: Duration.seconds(5),
  kept: 50_000
}

/** Keeps the answers of a platform for five minutes; a platform that fails gives no role. */
export const keptRoles = <Question>(
  ask: (question: Question) => Effect.Effect<Role.Role | null, ForgeError>
): Effect.Effect<(question: Question) => Effect.Effect<Role.Role | null>> =>
  Effect.map(
    Cache.makeWith((question: Question) => Effect.timeout(ask(question), limits.timeout), {
      capacity: limits.kept,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? limits.timeToLive : limits.afterFailure)
    }),
    (roles) => (question) => Effect.orElseSucceed(Cache.get(roles, question), () => null)
  )

/** Makes a refusal of the platform an answer: the person has no role there. */
export const withoutRefusal = (
  answer: Effect.Effect<Role.Role | null, ForgeError>
): Effect.Effect<Role.Role | null, ForgeError> =>
  Effect.catchIf(
    answer,
    ({ reason }) => reason === "refused" || reason === "not_installed",
    () => Effect.succeed(null)
  )
