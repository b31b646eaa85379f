import { Report, TestFilter } from "@lazaret/domain"
import { ExecutionStore, MemoryStores, TestStore } from "@lazaret/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

const ref = { owner: "acme", repository: "widgets" }

const now = Date.UTC(2026, 5, 30, 12)

const tests = 9000

const report = (commit: string, at: number) =>
  Report.make({
    key: commit,
    digest: commit,
    receivedAt: now,
    finishedAt: at,
    run: Report.contextOf({ pipelineName: "CI", jobName: "unit", branch: "main", commit }),
    cases: Array.from({ length: tests }, (_, index) =>
      Report.caseOf({ testName: `law ${index}`, at, durationMs: 1, conclusion: "failed" })
    )
  })

describe("an upload to the store in memory", () => {
  it.effect("an upload to memory lets other fibers run while it is recorded, and none of them sees a part of it", () =>
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const { count } = yield* TestStore
      let turns = 0
      const turning = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => (turns += 1)),
            Effect.yieldNow
          )
        )
      )
      yield* executions.append(ref, report("c1", now - 2))
      const before = turns
      const writing = yield* Effect.forkChild(executions.append(ref, report("c2", now - 1)))
      const seen = new Set<number>()
      while (writing.pollUnsafe() === undefined) {
        const { failedPerDay } = yield* count(ref, { filter: TestFilter.all, status: null, now })
        seen.add(failedPerDay.reduce((sum, each) => sum + each, 0))
        yield* Effect.yieldNow
      }
      yield* Fiber.join(writing)
      yield* Fiber.interrupt(turning)
      assert.isAbove(turns - before, tests / 4096)
      assert.isTrue([...seen].every((each) => each === tests || each === 2 * tests))
    }).pipe(Effect.provide(MemoryStores.layer))
  )
})
