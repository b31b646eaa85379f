/** Scenarios of a driven queue over PostgreSQL, in each of which a server dies: they end as in memory without a death. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Crash from "./drive/crash.ts"
import { stores } from "./postgres.ts"

/** At how many moments of each scenario a server dies: in memory it does at all of them, which takes an hour here. */
const deaths = Number(process.env["DEATHS"] ?? 1)

/** The seed of these moments. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

describe("a driven queue on PostgreSQL whose server dies", () => {
  for (const [index, scenario] of Crash.scenarios.entries()) {
    it(`(51) ${scenario.name}`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(scenario, 0)
        const numRuns = Math.min(deaths, whole.points)
        const points = fc.sample(fc.integer({ min: 1, max: whole.points }), { numRuns, seed: seed + index })
        const found = yield* Effect.forEach(points, (at) => Crash.faults(scenario, whole, at, { stores }))
        assert.deepStrictEqual(found.flat(), [])
      }).pipe(Effect.runPromise)
    )
  }
})
