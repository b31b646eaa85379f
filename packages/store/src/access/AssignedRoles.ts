/** Roles over a driver. */
import { AssignedRole } from "@lazaret/domain"
import { Effect, Option } from "effect"
import type { Driver } from "../Driver.ts"
import { type AssignedRoleRow, assignedRoles } from "../Rows.ts"
import { RoleStore } from "./RoleStore.ts"
import type { Query } from "../driver/Table.ts"

/** The port of roles. */
export const make = (driver: Driver["Service"]): RoleStore["Service"] =>
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
