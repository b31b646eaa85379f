/** The death of a server that drives a queue at the simulated GitLab, at points of its writes and transactions. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Doom } from "@lazaret/forge-conformance"
import { fileOf, start } from "./queue.ts"

/** The ways to land, each with a batch of which one member fails. */
const landings = {
  "by a push": fileOf("queue_branch_merge_method: fast-forward"),
  "one by one": fileOf("merge_method: merge")
}

/** The end of a queue of three whose server dies at a point; 0: at none. */
const end = (file: string, at: number, isForgetful = false) =>
  Effect.gen(function* () {
    const doom = Doom.make(at)
    const queue = yield* start(file, {}, { doom, isForgetful })
    for (const name of ["a", "bad", "c"]) yield* queue.ask(queue.open({ [name]: name }).iid)
    yield* queue.steps(20)
    const { entries, inflight, pause } = yield* queue.state
    const left = (yield* queue.log).flatMap((event) => (event.kind === "dequeued" ? [event.number] : []))
    return {
      points: doom.passed,
      outcome: {
        states: queue.states(),
        files: Object.keys(queue.filesOf(queue.project.branches.get("main") ?? "")),
        branches: [...queue.project.branches.keys()].filter((name) => name.startsWith("lazaret/")),
        left,
        waiting: [entries.length, inflight.length, pause]
      }
    }
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

describe("a queue that is driven at GitLab, whose server dies", () => {
  for (const [way, file] of Object.entries(landings)) {
    it(`(51) the queue that lands ${way} ends as if no server had died`, { timeout: 1_200_000 }, () =>
      Effect.gen(function* () {
        const whole = yield* end(file, 0)
        assert.deepStrictEqual(whole.outcome.states, ["merged", "opened", "merged"])
        assert.deepStrictEqual([whole.outcome.left, whole.outcome.branches], [[2], []])
        const every = process.env["LAWS_PART"] === "all" ? 1 : 23
        for (let at = 1; at <= whole.points; at += every) {
          assert.deepStrictEqual(
            (yield* end(file, at)).outcome,
            whole.outcome,
            `dies at point ${at} of ${whole.points}`
          )
        }
      }).pipe(Effect.runPromise)
    )
  }

  it("(51) a server that takes what was under way for done is found", { timeout: 1_200_000 }, () =>
    Effect.gen(function* () {
      const file = landings["by a push"]
      const whole = yield* end(file, 0)
      const points = Array.from({ length: whole.points }, (_, index) => index + 1).filter((at) => at % 19 === 0)
      const isFound = (at: number) =>
        Effect.map(
          Effect.exit(end(file, at, true)),
          (died) => Exit.isFailure(died) || JSON.stringify(died.value.outcome) !== JSON.stringify(whole.outcome)
        )
      const found = yield* Effect.filter(points, isFound)
      assert.isNotEmpty(found)
    }).pipe(Effect.runPromise)
  )
})
