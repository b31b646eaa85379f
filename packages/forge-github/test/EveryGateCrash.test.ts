/** Crashes of a server before and after each write of a gate: one part of all points, or all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Crash from "./gateCrash.ts"

const part = process.env["LAWS_PART"] ?? "1"

/** Into how many parts the points are divided. */
const parts = 7

/** The points of one part, `LAWS_PART` (the first), or all of them. */
const isChosen = (at: number): boolean => part === "all" || at % parts === Number(part) % parts

describe("a gate whose server dies anywhere", () => {
  for (const each of Crash.cases) {
    it(`(51) ${each.name}, wherever the server dies`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(each.schedule, 0)
        assert.deepStrictEqual<unknown>(Crash.found(whole), Crash.expected(each))
        const points = Array.from({ length: whole.points }, (_, index) => index + 1).filter(isChosen)
        const found = yield* Effect.forEach(points, (at) => Crash.faults(each.schedule, whole, at))
        assert.deepStrictEqual(found.flat(), [])
      }).pipe(Effect.runPromise)
    )

    it(`(51) ${each.name}: a server that takes what was under way for done is found`, { timeout: 600_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* Crash.end(each.schedule, 0)
        const points = Array.from({ length: whole.points }, (_, index) => index + 1).filter((at) => at % 3 === 1)
        const found = yield* Effect.forEach(points, (at) =>
          Crash.faults(each.schedule, whole, at, { isForgetful: true })
        )
        assert.isNotEmpty(found.flat())
      }).pipe(Effect.runPromise)
    )
  }
})
