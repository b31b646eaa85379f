/** Crashes of a server at every point of every scenario of a driven queue. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crash from "./drive/crash.ts"

describe("a driven queue whose server dies anywhere", () => {
  for (const scenario of Crash.scenarios) {
    it(`${scenario.name}, wherever it dies`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(scenario, 0)
        const points = Array.from({ length: whole.points }, (_, index) => index + 1)
        const found = yield* Effect.forEach(points, (at) => Crash.faults(scenario, whole, at))
        assert.deepStrictEqual([...whole.faults, ...found.flat()], [])
      }).pipe(Effect.runPromise)
    )
  }
})
