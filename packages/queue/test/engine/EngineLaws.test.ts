import { assert, describe, it } from "@effect/vitest"
import { EngineEvent, EngineFold } from "@lazaret/queue"
import { Schema } from "effect"
import * as fc from "fast-check"
import { batchOf, choices, fault } from "./support/Bisect.ts"
import { budget, search, isFull } from "./support/Budget.ts"
import { laws } from "./support/Law.ts"
import { mutants, settingMutants, twinMutants } from "./support/Mutant.ts"
import { play } from "./support/Schedule.ts"
import * as Twin from "./support/Twin.ts"
import { worlds } from "./support/World.ts"

const schedules = fc.tuple(worlds, fc.array(fc.nat({ max: 1_000_000 }), { minLength: 20, maxLength: 120 }))

const largest = isFull ? 16 : 8

const bisections = Array.from({ length: largest }, (_, index) => index + 1).flatMap((count) =>
  choices(count, 3).map((bad) => ({ count, bad }))
)

describe("laws of the engine", () => {
  for (const [name, law] of Object.entries(laws)) {
    it(`law ${name} holds for every schedule`, { timeout: 600_000 }, () => {
      fc.assert(
        fc.property(schedules, ([world, drawn]) => {
          assert.deepStrictEqual(law(play(world, drawn)), [])
        }),
        budget
      )
    })

    it(`law ${name} is violated by an engine that ${mutants[name]?.[0]}`, { timeout: 600_000 }, () => {
      const broken = mutants[name]?.[1]
      const property = fc.property(schedules, ([world, drawn]) => law(play(world, drawn, broken)).length === 0)
      assert.isTrue(fc.check(property, search).failed)
    })
  }

  for (const [name, law] of Object.entries(Twin.laws)) {
    it(
      `law ${name} holds for every schedule, and is violated by an engine that ${twinMutants[name]?.[0]}`,
      { timeout: 600_000 },
      () => {
        fc.assert(
          fc.property(schedules, ([world, drawn]) => assert.deepStrictEqual(law(world, drawn), [])),
          budget
        )
        const broken = twinMutants[name]?.[1]
        const property = fc.property(schedules, ([world, drawn]) => law(world, drawn, broken).length === 0)
        assert.isTrue(fc.check(property, search).failed)
      }
    )
  }

  for (const { decide, fault: broken, law, setting } of settingMutants) {
    it(`law ${law} is violated by an engine that ${broken}`, { timeout: 600_000 }, () => {
      const named = laws[law]
      assert.isDefined(named)
      const property = fc.property(
        schedules,
        ([world, drawn]) => named(play({ ...world, ...setting }, drawn, decide)).length === 0
      )
      assert.isTrue(fc.check(property, search).failed)
    })
  }

  it("every event of a log survives its schema, and gives the same state", { timeout: 600_000 }, () => {
    const log = Schema.Array(EngineEvent.Logged)
    fc.assert(
      fc.property(schedules, ([world, drawn]) => {
        const { machine } = play(world, drawn)
        const text = JSON.stringify(Schema.encodeSync(log)(machine.log))
        assert.deepStrictEqual(EngineFold.fold(Schema.decodeUnknownSync(log)(JSON.parse(text))), machine.state)
      }),
      budget
    )
  })

  it(
    "law 11 bisect cost: every culprit is found within the bound, and every innocent lands",
    { timeout: 600_000 },
    () => {
      for (const infer of ["judged_real", "never"] as const) {
        for (const { bad, count } of bisections) assert.isNull(fault(batchOf(count, bad, infer)))
      }
    }
  )

  it("law 11 bisect cost is violated by an engine that never infers the culprit", () => {
    const broken = mutants["11 bisect cost"]?.[1]
    assert.isNotNull(fault(batchOf(8, [8], "judged_real"), broken))
  })
})
