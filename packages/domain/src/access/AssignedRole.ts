/** Roles that are given to people by hand (our choice). */
import { Schema } from "effect"
import type { Instant } from "../time/Instant.ts"
import type { Grant } from "./Role.ts"

/** The kinds of provider that people sign in with: OpenID Connect, or GitHub. A server has at most one of each. */
export const Provider = Schema.Literals(["oidc", "github"])

/** A kind of provider. */
export type Provider = typeof Provider.Type

/** A person as a provider names one; `id` stays when the login changes. */
export interface Person {
  readonly id: string
  readonly login: string
  readonly provider: Provider
}

/**
 * A role that was given to the person with a login.
 *
 * **Details**
 *
 * `personId` is null until the first person with this login uses the role. From then on it is the role of this person: a login
 * that the provider gives to somebody else later does not have it.
 */
export interface AssignedRole extends Grant {
  readonly id: string
  readonly provider: Provider
  readonly login: string
  readonly personId: string | null
  readonly createdAt: Instant
}

/** The form in which logins are compared: GitHub ignores case, other providers may not. */
export const loginKey = ({ login, provider }: Pick<Person, "login" | "provider">): string =>
  provider === "github" ? login.toLowerCase() : login

/**
 * Whether a role belongs to a person.
 *
 * @example
 * ```ts
 * import { AssignedRole } from "@lazaret/domain"
 *
 * const role = { provider: "github", login: "Ada", personId: null } as const
 * const ada = { id: "https://github.com#1", login: "ada", provider: "github" } as const
 * AssignedRole.isOf(role, ada) // => true
 * AssignedRole.isOf({ ...role, personId: "https://github.com#2" }, ada) // => false
 * ```
 */
export const isOf = (role: Pick<AssignedRole, "login" | "personId" | "provider">, person: Person): boolean => {
  if (role.provider !== person.provider) return false
  return role.personId === null ? loginKey(role) === loginKey(person) : role.personId === person.id
}

/** The key of a role, which no two roles share: the named person, and the place. A role that is given again replaces the one before. */
export const subject = (role: Pick<AssignedRole, "login" | "owner" | "provider" | "repository">): string =>
  JSON.stringify([
    role.provider,
    loginKey(role),
    role.owner?.toLowerCase() ?? null,
    role.repository?.toLowerCase() ?? null
  ])
