import { assert, describe, it } from "@effect/vitest"
import { type Credential, Role } from "@lazaret/domain"
import * as fc from "fast-check"

const role = fc.constantFrom(...Role.Role.literals)
const owner = fc.constantFrom("acme", "ACME", "beta")
const ref = fc.record({ owner, repository: fc.constantFrom("widgets", "Widgets", "gadgets") })

const grant: fc.Arbitrary<Role.Grant> = fc.oneof(
  fc.record({ role, owner: fc.constant(null), repository: fc.constant(null) }),
  fc.record({ role, owner, repository: fc.constantFrom(null, "widgets", "gadgets") })
)

const demand: fc.Arbitrary<Credential.Demand> = fc
  .tuple(fc.constantFrom("read", "write"), fc.option(role, { nil: undefined }), fc.boolean())
  .map(([permission, needed, isForAll]) => ({
    kinds: ["admin"],
    permission: permission === "read" ? "read" : "write",
    ...(needed === undefined ? {} : { role: needed }),
    ...(isForAll ? { reach: "all owners" as const } : {})
  }))

const place = fc.option(ref)

const raised = (given: Role.Grant): Role.Grant => ({
  ...given,
  role: Role.Role.literals[Math.min(2, Role.Role.literals.indexOf(given.role) + 1)] ?? "admin"
})

describe("roles", () => {
  it("nothing is permitted without a role, and an operation that names none is permitted to nobody", () => {
    fc.assert(
      fc.property(demand, place, fc.array(grant), (needed, where, grants) => {
        assert.isFalse(Role.permits([], needed, where))
        const { role: _role, ...programs } = needed
        assert.isFalse(Role.permits(grants, programs, where))
      })
    )
  })

  it("a further grant or a higher role never takes a permission away", () => {
    fc.assert(
      fc.property(demand, place, fc.array(grant), grant, (needed, where, grants, further) => {
        if (!Role.permits(grants, needed, where)) return
        assert.isTrue(Role.permits([...grants, further], needed, where))
        assert.isTrue(Role.permits(grants.map(raised), needed, where))
      }),
      { numRuns: 500 }
    )
  })

  it("grants permit what one of them permits, and nothing else", () => {
    fc.assert(
      fc.property(demand, place, fc.array(grant), (needed, where, grants) => {
        const each = grants.some((one) => Role.permits([one], needed, where))
        assert.strictEqual(Role.permits(grants, needed, where), each)
      }),
      { numRuns: 500 }
    )
  })

  it("the effective role is the highest of the sources, never above one of them, and what it permits is permitted", () => {
    fc.assert(
      fc.property(fc.array(grant), fc.array(grant), ref, demand, (groups, byHand, where, needed) => {
        const sources = [Role.effective(groups, where), Role.effective(byHand, where)].filter((each) => each !== null)
        const held = Role.effective([...groups, ...byHand], where)
        assert.isTrue(held === null ? sources.length === 0 : sources.includes(held))
        for (const each of sources) assert.isTrue(held !== null && Role.includes(held, each))
        if (needed.role === undefined || needed.reach !== undefined) return
        const isPermitted = held !== null && Role.includes(held, needed.role)
        assert.strictEqual(Role.permits([...groups, ...byHand], needed, where), isPermitted)
      }),
      { numRuns: 500 }
    )
  })

  it("a role in one repository permits nothing in another one, nor of all owners", () => {
    fc.assert(
      fc.property(demand, role, (needed, held) => {
        const grants = [{ role: held, owner: "acme", repository: "widgets" }]
        assert.isFalse(Role.permits(grants, needed, { owner: "acme", repository: "gadgets" }))
        assert.isFalse(Role.permits(grants, needed, { owner: "beta", repository: "widgets" }))
        assert.isFalse(Role.permits(grants, { ...needed, reach: "all owners" }, null))
        if (needed.role !== "viewer") assert.isFalse(Role.permits(grants, needed, null))
      })
    )
  })

  it("an admin of an owner administers that owner, and nobody else's keys", () => {
    const grants = [
      { role: "admin", owner: "Acme", repository: null },
      { role: "admin", owner: "beta", repository: "widgets" },
      { role: "member", owner: "gamma", repository: null }
    ] as const
    assert.deepStrictEqual(Role.administered(grants), ["Acme"])
    assert.deepStrictEqual(
      ["acme", "beta", "gamma", null].map((each) => Role.administers(grants, each)),
      [true, false, false, false]
    )
    assert.isTrue(Role.administers([{ role: "admin", owner: null, repository: null }], null))
  })
})
