/** Crashes of a server at points of scenarios of a driven queue. `EveryDriveCrash.test.ts` has more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Crash from "./drive/crash.ts"

const numRuns = Number(process.env["LAWS_RUNS"] ?? 16)

/** One seed, so that no change is blamed for an older fault; `LAWS_SEED` is another one. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

describe("a driven queue whose server dies", () => {
  it("(51) scenarios end as if no server had died", () =>
    fc.assert(
      fc.asyncProperty(Crash.moments, (moment) =>
        Effect.runPromise(Effect.map(Crash.faultsAt(moment), (found) => assert.deepStrictEqual(found, [])))
      ),
      { numRuns, seed }
    ))

  it("(51) a server that takes what was under way for done is found", () =>
    Effect.gen(function* () {
      const scenario = Crash.scenarios.find(({ name }) => name.startsWith("(2)"))
      assert.isDefined(scenario)
      const whole = yield* Crash.end(scenario, 0)
      const points = Array.from({ length: 12 }, (_, index) => 3 * index + 1)
      const found = yield* Effect.forEach(points, (at) => Crash.faults(scenario, whole, at, { isForgetful: true }))
      assert.isNotEmpty(found.flat())
    }).pipe(Effect.runPromise))
})
