/** The law of roles. Roles belong to no repository: cases know theirs by a login of their own. */
import type { AssignedRole } from "@lazaret/domain"
import { RoleStore } from "@lazaret/store"
import { Effect, Option } from "effect"
import { Case, Law, Sample } from "../law/index.ts"

const role = (id: string, parts: Partial<AssignedRole.AssignedRole> = {}): AssignedRole.AssignedRole => ({
  id,
  provider: "github",
  login: `Ada-${id}`,
  personId: null,
  role: "member",
  owner: "Acme",
  repository: null,
  createdAt: Sample.noon,
  ...parts
})

const person = (login: string, number: number, parts: Partial<AssignedRole.Person> = {}): AssignedRole.Person => ({
  id: `https://github.test#${login}${number}`,
  login,
  provider: "github",
  ...parts
})

/** The cases of roles. */
export const cases: ReadonlyArray<Case.Case> = [
  Case.make("RoleStore", "a role comes back with every field, until it is removed", function* () {
    const store = yield* RoleStore
    const { a, b } = yield* Sample.ids("a", "b")
    const every = role(b, { login: role(a).login, owner: null, createdAt: Sample.noon - 1 })
    const one = role(a, { repository: "Widgets \u{1f600}" })
    yield* Law.equal(yield* store.set(one), one)
    yield* Law.equal(yield* store.set(every), every)
    yield* Law.equal(yield* store.of(person(one.login, 1)), [every, one])
    const listed = (yield* store.list).filter(({ id }) => id === a || id === b)
    yield* Law.equal(listed, [every, one], "the list")
    yield* Law.equal(yield* store.remove(a), Option.some(one))
    yield* Law.equal(yield* store.remove(a), Option.none(), "the second removal")
    yield* Law.equal(yield* store.of(person(one.login, 1)), [every])
  }),

  Case.make(
    "RoleStore",
    "a role that is given again in any case replaces the one before, also concurrently",
    function* () {
      const store = yield* RoleStore
      const { a, b, c, d } = yield* Sample.ids("a", "b", "c", "d")
      const { login } = role(a)
      yield* Effect.all(
        [a, b, c].map((id) => store.set(role(id, { login, createdAt: Sample.noon + 1 }))),
        { concurrency: 3 }
      )
      const [first, ...others] = yield* store.of(person(login, 1))
      yield* Law.equal(others, [], "further roles")
      const again = role(a, { login: login.toUpperCase(), owner: "ACME", role: "admin", createdAt: Sample.noon + 9 })
      yield* Law.equal(yield* store.set(again), { ...first, role: "admin" })
      yield* store.set(role(d, { login, repository: "widgets" }))
      yield* Law.equal((yield* store.of(person(login, 1))).length, 2, "the number of places")
    }
  ),

  Case.make(
    "RoleStore",
    "a role belongs to the first person with its login that claims it, and to nobody else",
    function* () {
      const store = yield* RoleStore
      const { a } = yield* Sample.ids("a")
      const given = role(a)
      yield* store.set(given)
      const [one, two] = [person(given.login, 1), person(given.login.toLowerCase(), 2)]
      yield* Law.equal(yield* store.of(person(given.login, 1, { provider: "oidc" })), [], "another provider")
      yield* Law.equal(yield* store.of(person(`${given.login}-other`, 1)), [], "another login")
      yield* Effect.all([store.claim(one), store.claim(two)], { concurrency: 2 })
      const held = [yield* store.of(one), yield* store.of(two)]
      yield* Law.equal(held.flat().length, 1, "the number of owners")
      const owner = held[0]?.length === 1 ? one : two
      const renamed = { ...owner, login: "renamed" }
      yield* Law.equal(yield* store.of(renamed), [{ ...given, personId: owner.id }])
      yield* store.claim(person(given.login, 3))
      const kept = yield* store.set({ ...given, role: "viewer" })
      yield* Law.equal(kept.personId, owner.id, "the person of a role that is given again")
    }
  )
]
