/** The roles that groups of a sign-in provider give, as a setting states them (our choice). */
import { Schema } from "effect"
import { Grant, Role } from "./Role.ts"

/** A group of the provider and the role that it gives; the group `*` is everybody who may sign in. */
export interface GroupRole {
  readonly group: string
  readonly grant: Grant
}

/**
 * The mapping that a text such as `*=viewer@acme,ops=admin@*,web=member@acme/widgets` states; null for any other text.
 *
 * @example
 * ```ts
 * import { RoleMapping } from "@lazaret/domain"
 *
 * RoleMapping.parse("ops=admin@*") // => [{ group: "ops", grant: { role: "admin", owner: null, repository: null } }]
 * RoleMapping.parse("ops=owner@acme") // => null
 * ```
 */
export const parse = (text: string): ReadonlyArray<GroupRole> | null => {
  const all = text.split(",").map((each) => entryOf(each.trim()))
  return all.every((entry) => entry !== null) ? all : null
}

const entryOf = (text: string): GroupRole | null => {
  const [, group = "", role, owner = "", repository] = /^(\S.*?)=([a-z]+)@([^/]+)(?:\/(.+))?$/u.exec(text) ?? []
  const grant = { role, owner: owner === "*" ? null : owner, repository: repository ?? null }
  return isRole(role) && isGrant(grant) ? { group, grant } : null
}

const isRole = Schema.is(Role)

const isGrant = Schema.is(Grant)

/** The grants of a person in these groups. */
export const grantsOf = (mapping: ReadonlyArray<GroupRole>, groups: ReadonlyArray<string>): ReadonlyArray<Grant> =>
  mapping.filter(({ group }) => group === "*" || groups.includes(group)).map(({ grant }) => grant)
