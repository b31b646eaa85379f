/** Roles of people: what somebody who signed in may do (our choice). Keys have scopes instead. */
import { Schema } from "effect"
import type { Demand } from "./Credential.ts"
import { Owner, RepositoryName, type RepositoryRef } from "../repository/Repository.ts"

/** The roles, from the least to the most: a viewer reads, a member also quarantines, an admin does everything. */
export const Role = Schema.Literals(["viewer", "member", "admin"])

/** A role. */
export type Role = typeof Role.Type

/**
 * A role in a repository, in all repositories of an owner (`repository` null), or everywhere (`owner` null, too).
 *
 * Names match without regard to case.
 */
export interface Grant {
  readonly role: Role
  readonly owner: string | null
  readonly repository: string | null
}

/** The schema of a grant: a repository needs its owner. */
export const Grant: Schema.Codec<Grant> = Schema.Struct({
  role: Role,
  owner: Schema.NullOr(Owner),
  repository: Schema.NullOr(RepositoryName)
}).check(
  Schema.makeFilter(({ owner, repository }: Grant) =>
    owner === null && repository !== null ? "a repository needs its owner" : undefined
  )
)

/**
 * Whether a role holds everything that another one holds.
 *
 * @example
 * ```ts
 * import { Role } from "@lazaret/domain"
 *
 * Role.includes("admin", "member") // => true
 * Role.includes("viewer", "member") // => false
 * ```
 */
export const includes = (held: Role, needed: Role): boolean =>
  Role.literals.indexOf(held) >= Role.literals.indexOf(needed)

/** Whether a grant holds in a repository; without one, whether it holds in all repositories of its owner. */
export const covers = ({ owner, repository }: Grant, ref: RepositoryRef | null): boolean => {
  if (ref === null) return repository === null
  if (owner === null) return true
  if (owner.toLowerCase() !== ref.owner.toLowerCase()) return false
  return repository === null || repository.toLowerCase() === ref.repository.toLowerCase()
}

/**
 * Whether grants meet the demand of an operation on a repository, or (null) on none.
 *
 * **Details**
 *
 * - An operation that names no role is for programs, and nobody meets it by a role.
 * - One that concerns all owners needs the role everywhere.
 * - Without a repository a viewer may have the role anywhere: such operations show what is within reach. Other roles count
 *   only where they hold for an owner, because keys and sessions belong to owners.
 *
 * **Laws**
 *
 * A further grant never takes a permission away, and a higher role in a grant never does. Without grants nothing is
 * permitted.
 *
 * @example
 * ```ts
 * import { Role } from "@lazaret/domain"
 *
 * const grants = [{ role: "member", owner: "acme", repository: "widgets" }] as const
 * const quarantines = { kinds: ["admin"], permission: "write", role: "member" } as const
 * Role.permits(grants, quarantines, { owner: "Acme", repository: "widgets" }) // => true
 * Role.permits(grants, quarantines, { owner: "acme", repository: "gadgets" }) // => false
 * Role.permits(grants, { ...quarantines, role: "admin" }, { owner: "acme", repository: "widgets" }) // => false
 * ```
 */
export const permits = (grants: ReadonlyArray<Grant>, demand: Demand, ref: RepositoryRef | null): boolean => {
  const { reach, role } = demand
  if (role === undefined) return false
  return grants.some((grant) => {
    if (!includes(grant.role, role)) return false
    if (reach === "all owners") return grant.owner === null
    return covers(grant, ref) || (ref === null && role === "viewer")
  })
}

/**
 * The effective role in a repository: the highest of the grants that cover it; null without one.
 *
 * **Laws**
 *
 * It is a role of one of the grants, and no covering grant has a higher one. So grants of several sources put together give the
 * highest role of the sources.
 *
 * @example
 * ```ts
 * import { Role } from "@lazaret/domain"
 *
 * const grants = [
 *   { role: "viewer", owner: "acme", repository: null },
 *   { role: "member", owner: "acme", repository: "widgets" }
 * ] as const
 * Role.effective(grants, { owner: "acme", repository: "widgets" }) // => "member"
 * Role.effective(grants, { owner: "other", repository: "widgets" }) // => null
 * ```
 */
export const effective = (grants: ReadonlyArray<Grant>, ref: RepositoryRef): Role | null =>
  grants
    .filter((grant) => covers(grant, ref))
    .reduce<Role | null>((highest, { role }) => (highest === null || includes(role, highest) ? role : highest), null)

/** The owners whom an admin role holds for: null stands for all of them. */
export const administered = (grants: ReadonlyArray<Grant>): ReadonlyArray<string> | null => {
  const held = grants.filter(({ repository, role }) => role === "admin" && repository === null)
  return held.some(({ owner }) => owner === null) ? null : held.flatMap(({ owner }) => (owner === null ? [] : [owner]))
}

/** Whether an admin role covers everything of an owner; null: of all owners. */
export const administers = (grants: ReadonlyArray<Grant>, owner: string | null): boolean => {
  const owners = administered(grants)
  return owners === null || owners.some((each) => each.toLowerCase() === owner?.toLowerCase())
}
