/** The roles of people, from every source. */
import { type AssignedRole, type Credential, type Repository, Role } from "@lazaret/domain"
import { RepositoryStore, RoleStore, type StoreError } from "@lazaret/store"
import { Context, Effect, Layer } from "effect"
import { PlatformRoles } from "./PlatformRoles.ts"

/** The number of repositories that one answer asks the hosting platform about. */
const mostAsked = 100

const concurrency = 8

/**
 * Decides what a person holds now.
 *
 * **Details**
 *
 * The sources are the groups of the sign-in, which the session keeps, the roles that were given by hand, and the permission at the
 * hosting platform. The effective role in a repository is the highest of them (`Role.permits`, `Role.effective`). The two latter are read for each
 * request, so that a role that is taken away ends in open sessions, too.
 *
 * Lists of what is within reach ask the platform about the first 100 repositories of the server.
 */
export class Roles extends Context.Service<
  Roles,
  {
    /** The person with every grant that can matter for a demand on a repository, or (null) on none. */
    readonly withGrants: (
      person: Credential.User,
      demand: Credential.Demand,
      ref: Repository.RepositoryRef | null
    ) => Effect.Effect<Credential.User, StoreError>
    /** The person with every grant: one without any may not sign in. */
    readonly atSignIn: (person: Credential.User) => Effect.Effect<Credential.User, StoreError>
  }
>()("@lazaret/services/Roles") {
  /** Over the roles and the repositories of the store. */
  static readonly layer = Layer.effect(
    Roles,
    Effect.gen(function* () {
      const repositories = yield* RepositoryStore
      const store = yield* RoleStore
      const platform = yield* PlatformRoles

      const byHand = Effect.fnUntraced(function* ({ id, login, provider }: Credential.User) {
        if (provider === null) return []
        const person: AssignedRole.Person = { id, login, provider }
        const found = yield* store.of(person)
        if (found.every(({ personId }) => personId !== null)) return found.map(grantOf)
        // The first person with the login gets the role, also among several at the same time.
        yield* store.claim(person)
        return (yield* store.of(person)).map(grantOf)
      })

      const byPermission = (person: Credential.User, refs: ReadonlyArray<Repository.RepositoryRef>) =>
        Effect.map(
          Effect.forEach(
            refs,
            (ref) =>
              Effect.map(platform.of(person, ref), (role): ReadonlyArray<Role.Grant> =>
                role === null ? [] : [{ role, owner: ref.owner, repository: ref.repository }]
              ),
            { concurrency }
          ),
          (found) => found.flat()
        )

      const withHand = (person: Credential.User) =>
        Effect.map(byHand(person), (given) => ({ ...person, grants: [...person.grants, ...given] }))

      const everywhere = Effect.fnUntraced(function* (given: Credential.User) {
        const person = yield* withHand(given)
        const known = yield* repositories.list
        const unsettled = known.filter((ref) => Role.effective(person.grants, ref) === null).slice(0, mostAsked)
        return { ...person, grants: [...person.grants, ...(yield* byPermission(person, unsettled))] }
      })

      const withGrants = Effect.fn("Roles.withGrants")(function* (
        given: Credential.User,
        demand: Credential.Demand,
        ref: Repository.RepositoryRef | null
      ) {
        // Permissions are of single repositories: they show what is within reach, and administer no owner.
        if (ref === null) return yield* demand.role === "viewer" ? everywhere(given) : withHand(given)
        if (demand.role === undefined || Role.permits(given.grants, demand, ref)) return given
        const person = yield* withHand(given)
        if (Role.permits(person.grants, demand, ref)) return person
        return { ...person, grants: [...person.grants, ...(yield* byPermission(person, [ref]))] }
      })

      return Roles.of({ withGrants, atSignIn: everywhere })
    })
  )
}

const grantOf = ({ owner, repository, role }: AssignedRole.AssignedRole): Role.Grant => ({ role, owner, repository })
