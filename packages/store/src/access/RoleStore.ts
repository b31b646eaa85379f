/** The port of the roles that people are given by hand. */
import type { AssignedRole } from "@lazaret/domain"
import { Context, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.ts"

/**
 * The port of roles.
 *
 * **Details**
 *
 * Roles belong to names, like keys: a role for a repository exists before its first report, and stays when the repository is
 * removed.
 */
export class RoleStore extends Context.Service<
  RoleStore,
  {
    /**
     * Gives a role, and yields it as stored. One with the same `AssignedRole.subject` keeps its id, its creation and its person,
     * and takes the new role; of concurrent calls one creates it, and the others change it.
     */
    readonly set: (role: AssignedRole.AssignedRole) => Effect.Effect<AssignedRole.AssignedRole, StoreError>
    /** All roles in the order of creation, then id. */
    readonly list: Effect.Effect<ReadonlyArray<AssignedRole.AssignedRole>, StoreError>
    /** The roles of a person (`AssignedRole.isOf`), in the order of creation, then id. */
    readonly of: (person: AssignedRole.Person) => Effect.Effect<ReadonlyArray<AssignedRole.AssignedRole>, StoreError>
    /** Makes the roles of a person's login that belong to nobody yet the person's; of several people the first one gets them. */
    readonly claim: (person: AssignedRole.Person) => Effect.Effect<void, StoreError>
    /** Takes a role away, and yields it. */
    readonly remove: (id: string) => Effect.Effect<Option.Option<AssignedRole.AssignedRole>, StoreError>
  }
>()("@lazaret/store/RoleStore") {}
