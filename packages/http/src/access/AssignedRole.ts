/** Roles on the wire. */
import type { Schemas } from "@lazaret/api"
import type { AssignedRole } from "@lazaret/domain"
import type { NewRole } from "@lazaret/services"

/** A role as the wire shows it. */
export const of = (role: AssignedRole.AssignedRole): typeof Schemas.AssignedRole.Type => ({
  id: role.id,
  provider: role.provider,
  login: role.login,
  person_id: role.personId,
  role: role.role,
  owner: role.owner,
  repository: role.repository,
  created_at: role.createdAt
})

/** The list of roles. */
export const listOf = (roles: ReadonlyArray<AssignedRole.AssignedRole>): typeof Schemas.AssignedRolesList.Type => ({
  size: roles.length,
  roles: roles.map(of)
})

/** The role that a body gives. */
export const newOf = ({ login, owner, provider, repository, role }: typeof Schemas.SetRole.Type): NewRole => ({
  login,
  provider: provider ?? null,
  role,
  owner,
  repository: repository ?? null
})
