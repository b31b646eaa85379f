/** The use cases of giving people roles by hand (our choice). */
import { AuditEntry, AssignedRole, Credential, Role } from "@lazaret/domain"
import { RoleStore, type StoreError } from "@lazaret/store"
import { Clock, Context, Effect, Layer } from "effect"
import { note } from "../answer/AuditNote.ts"
import { NewId } from "../ports/NewId.ts"
import { Invalid, RoleNotFound, RoleOutOfReach } from "../answer/ServiceError.ts"
import { SignInProviders } from "./SignInProvider.ts"

/** A role to give. Without a provider it is the one that the server has. */
export interface NewRole extends Role.Grant {
  readonly login: string
  readonly provider: AssignedRole.Provider | null
}

/**
 * Lists, gives and takes away the roles within reach of an admin key, or of a person with the role of an admin.
 *
 * **Details**
 *
 * Nobody gives more than the caller administers: an admin of one owner lists, gives and takes away roles for this owner and its
 * repositories, and gets `RoleNotFound` for all others.
 */
export class RoleAdministration extends Context.Service<
  RoleAdministration,
  {
    /** The roles within reach, oldest first. */
    readonly list: (caller: Credential.Principal) => Effect.Effect<ReadonlyArray<AssignedRole.AssignedRole>, StoreError>
    /** Gives a role at once, in open sessions, too. One that the person has at the same place is replaced. */
    readonly set: (
      caller: Credential.Principal,
      role: NewRole
    ) => Effect.Effect<AssignedRole.AssignedRole, Invalid | RoleOutOfReach | StoreError>
    /** Takes a role away at once, in open sessions, too. */
    readonly remove: (caller: Credential.Principal, id: string) => Effect.Effect<void, RoleNotFound | StoreError>
  }
>()("@lazaret/services/RoleAdministration") {
  /** The use cases over the storage port. */
  static readonly layer = Layer.effect(
    RoleAdministration,
    Effect.gen(function* () {
      const store = yield* RoleStore
      const newId = yield* NewId
      const providers = yield* SignInProviders

      const list = Effect.fn("RoleAdministration.list")(function* (caller: Credential.Principal) {
        const grants = Credential.grantsOf(caller)
        return (yield* store.list).filter(({ owner }) => Role.administers(grants, owner))
      })

      const set = Effect.fn("RoleAdministration.set")(function* (caller: Credential.Principal, wanted: NewRole) {
        if (!Role.administers(Credential.grantsOf(caller), wanted.owner)) {
          return yield* new RoleOutOfReach({ owner: wanted.owner })
        }
        const offered = (yield* providers).map(({ kind }) => kind)
        const provider = wanted.provider ?? (offered.length === 1 ? offered[0] : undefined)
        if (provider === undefined) return yield* new Invalid({ faults: [{ _tag: "ProviderRequired", offered }] })
        const role: AssignedRole.AssignedRole = {
          id: yield* newId,
          provider,
          login: wanted.login,
          personId: null,
          role: wanted.role,
          owner: wanted.owner,
          repository: wanted.repository,
          createdAt: yield* Clock.currentTimeMillis
        }
        const subject = AssignedRole.subject(role)
        const before = (yield* store.list).find((each) => AssignedRole.subject(each) === subject)
        yield* note({ owner: role.owner, before: before === undefined ? null : noteOf(before) })
        const stored = yield* store.set(role)
        yield* note({ after: noteOf(stored) })
        return stored
      })

      const remove = Effect.fn("RoleAdministration.remove")(function* (caller: Credential.Principal, id: string) {
        const found = (yield* list(caller)).find((role) => role.id === id)
        if (found === undefined) return yield* new RoleNotFound({ roleId: id })
        yield* note({ owner: found.owner, before: noteOf(found) })
        yield* store.remove(id)
      })

      return RoleAdministration.of({ list, set, remove })
    })
  )
}

const noteOf = ({ createdAt: _at, ...role }: AssignedRole.AssignedRole): AuditEntry.Fields => role
