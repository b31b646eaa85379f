/** The port of the roles that people are given by hand, and its rules over a driver. */
import { AssignedRole } from "@lazaret/domain"
import { Context, Effect, Option } from "effect"
import type { StoreError } from "../StoreError.ts"
import type { Driver } from "../Driver.ts"
import { type AssignedRoleRow, assignedRoles } from "../Rows.ts"
import type { Query } from "../driver/Table.ts"

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
>()("@lazaret/store/RoleStore") {
  /** The port over a driver. */
  static readonly over = (driver: Driver["Service"]): RoleStore["Service"] => make(driver)
}

const make = (driver: Driver["Service"]): RoleStore["Service"] =>
  RoleStore.of({
    set: (role) =>
      driver.transact("RoleStore.set", null, null, (transaction) =>
        Effect.gen(function* () {
          const row = rowOf(role)
          const [before] = yield* transaction.select(assignedRoles, {
            where: [["subject", "=", row.subject]],
            order: []
          })
          const stored = before === undefined ? row : { ...before, role: role.role }
          yield* transaction.put(assignedRoles, [stored])
          return roleOf(stored)
        })
      ),
    list: driver.read("RoleStore.list", null, (view) =>
      Effect.map(view.select(assignedRoles, { where: [], order }), (rows) => rows.map(roleOf))
    ),
    of: (person) =>
      driver.read("RoleStore.of", null, (view) =>
        Effect.gen(function* () {
          const own = yield* view.select(assignedRoles, { where: [["personId", "=", person.id]], order })
          const rows = [...own, ...(yield* view.select(assignedRoles, unclaimed(person)))]
          return rows
            .map(roleOf)
            .filter((role) => AssignedRole.isOf(role, person))
            .toSorted(comparePosition)
        })
      ),
    claim: (person) =>
      driver.transact("RoleStore.claim", null, null, (transaction) =>
        Effect.gen(function* () {
          const found = yield* transaction.select(assignedRoles, unclaimed(person))
          if (found.length > 0) {
            yield* transaction.put(
              assignedRoles,
              found.map((row) => ({ ...row, personId: person.id }))
            )
          }
        })
      ),
    remove: (id) =>
      driver.transact("RoleStore.remove", null, null, (transaction) =>
        Effect.gen(function* () {
          const [row] = yield* transaction.select(assignedRoles, { where: [["id", "=", id]], order: [] })
          yield* transaction.remove(assignedRoles, [["id", "=", id]])
          return Option.map(Option.fromUndefinedOr(row), roleOf)
        })
      )
  })

const order = ["createdAt", "id"] as const

const unclaimed = (person: AssignedRole.Person): Query<AssignedRoleRow> => ({
  where: [
    ["provider", "=", person.provider],
    ["loginKey", "=", AssignedRole.loginKey(person)],
    ["personId", "=", null]
  ],
  order
})

const rowOf = (role: AssignedRole.AssignedRole): AssignedRoleRow => ({
  ...role,
  loginKey: AssignedRole.loginKey(role),
  subject: AssignedRole.subject(role)
})

const roleOf = ({ loginKey: _key, subject: _subject, ...role }: AssignedRoleRow): AssignedRole.AssignedRole => role

const comparePosition = (one: AssignedRole.AssignedRole, other: AssignedRole.AssignedRole): number =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)
