/** Roles that are given by hand, on the wire (beyond the interface). */
import { AssignedRole as Domain, Repository, Role, Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

/** A role of a person. */
export const AssignedRole = Schema.Struct({
  id: Schema.String,
  provider: Domain.Provider.annotate({ description: "The provider that the person signs in with." }),
  login: Schema.String,
  person_id: Schema.NullOr(Schema.String).annotate({
    description: "The person with the role; null until the first person with the login uses it."
  }),
  role: Role.Role,
  owner: Schema.NullOr(Schema.String).annotate({ description: "The owner that the role is for; null for all owners." }),
  repository: Schema.NullOr(Schema.String).annotate({ description: "The repository; null for all of the owner." }),
  created_at: Timestamp
}).annotate({ identifier: "AssignedRole", description: "A role that a person was given by hand." })

/** The roles within reach. */
export const AssignedRolesList = Schema.Struct({ size: Schema.Int, roles: Schema.Array(AssignedRole) }).annotate({
  identifier: "AssignedRolesList",
  description: "The roles, oldest first."
})

/** The body that gives a role. The owner must be named, null too: nobody gives a role everywhere by oversight. */
export const SetRole = Schema.Struct({
  login: Text.between(1, 255),
  provider: Schema.optionalKey(
    Schema.NullOr(Domain.Provider).annotate({ description: "The provider; not needed where the server has one." })
  ),
  role: Role.Role,
  owner: Schema.NullOr(Repository.Owner),
  repository: Schema.optionalKey(Schema.NullOr(Repository.RepositoryName))
})
  .check(
    Schema.makeFilter(({ owner, repository = null }) =>
      owner === null && repository !== null ? "must name the owner of the repository" : undefined
    )
  )
  .annotate({ identifier: "SetRole" })
