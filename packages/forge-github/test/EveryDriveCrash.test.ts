/** Crashes of a server at points of every scenario of a driven queue: one part of all points, or all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crash from "./drive/crash.ts"

const part = process.env["LAWS_PART"] ?? "1"

/** Into how many parts the points are divided. */
const parts = 13

/** The points of one part, `LAWS_PART` (the first), or all of them (`npm run deaths`). Every thirteenth is in it. */
const isChosen = (at: number): boolean => part === "all" || at % parts === Number(part) % parts

describe("a driven queue whose server dies anywhere", () => {
  for (const scenario of Crash.scenarios) {
    it(`${scenario.name}, wherever it dies`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(scenario, 0)
        const points = Array.from({ length: whole.points }, (_, index) => index + 1).filter(isChosen)
        const found = yield* Effect.forEach(points, (at) => Crash.faults(scenario, whole, at))
        assert.deepStrictEqual([...whole.faults, ...found.flat()], [])
      }).pipe(Effect.runPromise)
    )
  }
})
