/** Each write of a gate over PostgreSQL, with a server that dies before or after it: the ends are those of memory without a death. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Crash from "./gateCrash.ts"
import { stores } from "./postgres.ts"

/** At how many points of each case a server dies. */
const deaths = Number(process.env["DEATHS"] ?? 1)

/** The seed of these points. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

describe("a gate on PostgreSQL whose server dies", () => {
  for (const [index, { name, schedule }] of Crash.cases.entries()) {
    it(`(51) ${name}`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(schedule, 0)
        const points = fc.sample(fc.integer({ min: 1, max: whole.points }), { numRuns: deaths, seed: seed + index })
        const found = yield* Effect.forEach(points, (at) => Crash.faults(schedule, whole, at, { stores }))
        assert.deepStrictEqual(found.flat(), [])
      }).pipe(Effect.runPromise)
    )
  }
})
