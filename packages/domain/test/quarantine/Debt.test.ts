import { Instant, QuarantineDebt, QuarantineLife } from "@lazaret/domain"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const now = 100 * Instant.day

const factsOf = (id: string, parts: Partial<QuarantineDebt.Facts> = {}, createdAt = now - 10 * Instant.day) => ({
  quarantine: {
    id,
    testName: id,
    reason: "",
    branch: null,
    createdAt,
    createdBy: "key 1",
    source: "manual" as const,
    removedAt: null,
    removedBy: null,
    ...QuarantineLife.unlimited
  },
  executions: [],
  status: null,
  owners: [],
  newFailures: 0,
  latestFailure: null,
  ...parts
})

const run = (runId: string, days: number, conclusion: "passed" | "failed" | "skipped" = "failed") => ({
  runId,
  conclusion,
  at: now - days * Instant.day
})

const Draw = Schema.Array(
  Schema.Struct({
    owners: Schema.Array(Schema.Literals(["@a", "@b", "@c"])),
    runs: Schema.Array(Schema.Literals(["1", "2", "3"])),
    age: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 }))
  })
)

describe("QuarantineDebt", () => {
  it("a run counts once, when the test failed in it after the quarantine began", () => {
    const executions = [
      run("1", 2),
      run("1", 2),
      run("2", 3, "passed"),
      run("3", 11),
      run("4", 10),
      run("5", 1, "skipped")
    ]
    const { ageDays, blockedRuns, lastBlockedAt } = QuarantineDebt.itemOf(factsOf("a", { executions }), now)
    assert.deepStrictEqual([ageDays, blockedRuns, lastBlockedAt], [10, 2, now - 2 * Instant.day])
  })

  it.prop(
    "every quarantine counts for each of its owners once, and one without an owner for nobody, who comes last",
    [Draw],
    ([draw]) => {
      const items = draw.map(({ age, owners, runs }, index) => {
        const executions = runs.map((runId) => run(runId, 0))
        return QuarantineDebt.itemOf(factsOf(`${index}`, { owners, executions }, now - age * Instant.day), now)
      })
      const debts = QuarantineDebt.byOwner(items)
      for (const owner of ["@a", "@b", "@c", null]) {
        const own = items.filter(({ owners }) => (owner === null ? owners.length === 0 : owners.includes(owner)))
        const debt = debts.find((each) => each.owner === owner)
        assert.strictEqual(debt?.quarantines ?? 0, own.length)
        assert.strictEqual(
          debt?.blockedRuns ?? 0,
          own.reduce((sum, each) => sum + each.blockedRuns, 0)
        )
        if (debt !== undefined) {
          assert.strictEqual(debt.oldestAt, Math.min(...own.map(({ quarantine }) => quarantine.createdAt)))
        }
      }
      assert.isTrue(debts.every(({ owner }, index) => owner !== null || index === debts.length - 1))
      const counts = [...items].sort(QuarantineDebt.order).map(({ blockedRuns }) => blockedRuns)
      assert.deepStrictEqual(
        counts,
        counts.toSorted((a, b) => b - a)
      )
    }
  )
})
