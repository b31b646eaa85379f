/** An application key on the wire: what reporters read to check their token. */
import { Problem, type Schemas } from "@lazaret/api"
import { ApplicationKey, type Credential, Role } from "@lazaret/domain"
import { Effect, Schema } from "effect"

/** The key as the wire shows it. */
export const of = (key: ApplicationKey.ApplicationKey): typeof Schemas.Application.Type => ({
  id: key.id,
  name: key.name,
  scope: ApplicationKey.kindOf(key.scope),
  ...(isNarrow(key.scope) ? { narrow_scope: key.scope } : {}),
  account_scope: { id: (key.owner ?? "*").toLowerCase(), login: key.owner ?? "*" }
})

/** A person, in the form of a key: the dashboard shows what the roles allow. */
const ofUser = ({ grants, id, login }: Credential.User): typeof Schemas.Application.Type => {
  const owners = Role.administered(grants)
  const [owner = "*"] = owners ?? grants.flatMap((grant) => grant.owner ?? [])
  return {
    id,
    name: login,
    scope: owners === null || owners.length > 0 ? "admin" : "ci",
    account_scope: { id: owner.toLowerCase(), login: owner }
  }
}

const isNarrow = Schema.is(ApplicationKey.NarrowScope)

/** The key of a caller; the token of a CI system is shown as a key that uploads. */
export const ofPrincipal = ({
  key,
  origin,
  subject,
  user
}: Credential.Principal): Effect.Effect<typeof Schemas.Application.Type, Problem.Forbidden> => {
  if (user !== undefined) return Effect.succeed(ofUser(user))
  if (key !== null) return Effect.succeed(of(key))
  if (origin === undefined) return Effect.fail(Problem.forbiddenHere)
  const { owner } = origin.repository
  return Effect.succeed({
    id: subject,
    name: subject,
    scope: "ci",
    narrow_scope: "upload",
    account_scope: { id: owner.toLowerCase(), login: owner }
  })
}
