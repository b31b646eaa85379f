/** Crashes of a server at points of a gate. `EveryGateCrash.test.ts` has more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as Crash from "./gateCrash.ts"

const schedules: fc.Arbitrary<Crash.Schedule> = fc.record({
  fates: fc.array(fc.constantFrom<Crash.Fate>("green", "flaky once", "flaky", "real"), { minLength: 1, maxLength: 3 }),
  pause: fc.constantFrom(null, "short")
})

const numRuns = Number(process.env["LAWS_RUNS"] ?? 40)

/** One seed, so that no change is blamed for an older fault; `LAWS_SEED` is another one. */
const seed = Number(process.env["LAWS_SEED"] ?? 1)

describe("a gate whose server dies", () => {
  it.effect("(51) every schedule ends as if no server had died, wherever one does", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(schedules, fc.integer({ min: 1, max: 90 }), (schedule, at) =>
          Effect.gen(function* () {
            const whole = yield* Crash.end(schedule, 0)
            assert.deepStrictEqual(yield* Crash.faults(schedule, whole, at), [])
          }).pipe(Effect.runPromise)
        ),
        { numRuns, seed }
      )
    )
  )

  it.effect("(51) a server that takes what was under way for done is found", () =>
    Effect.gen(function* () {
      const schedule: Crash.Schedule = { fates: ["green"] }
      const whole = yield* Crash.end(schedule, 0)
      const points = Array.from({ length: Math.min(whole.points, 30) }, (_, index) => index + 1)
      const found = yield* Effect.forEach(points, (at) => Crash.faults(schedule, whole, at, { isForgetful: true }))
      assert.isNotEmpty(found.flat())
    })
  )

  it.effect("a schedule ends with every good pull request merged, and every bad one out of the queue", () =>
    Effect.gen(function* () {
      const run = yield* Crash.end({ fates: ["green", "real", "flaky once"], pause: "short" }, 0)
      const { audits, merged, queued, shown, underWay } = run.end
      assert.deepStrictEqual([merged, queued, audits, underWay, shown], [[1, 3], [], ["equal", "equal"], [], []])
      assert.isAbove(run.points, 40)
    })
  )
})
