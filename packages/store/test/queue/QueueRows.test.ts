import { assert, describe, it } from "@effect/vitest"
import { Rows } from "@lazaret/store"
import { Effect } from "effect"

describe("rows of merge queues", () => {
  it.effect("the start of a merge queue that has left the process keeps the checks of who is in the queue", () =>
    Effect.gen(function* () {
      const check = { name: "ci", description: "", url: null, detailsUrl: null, state: "pending", avatarUrl: null }
      const run = {
        round: null,
        checkType: "in_place",
        pullRequest: 7,
        startedAt: 1,
        endedAt: null,
        endState: null,
        checks: [check],
        evaluatedConditions: ""
      }
      const pull = { number: 7, queueRule: "default", priority: 1, queuedAt: 1, run }
      const branches = [{ branch: "main", pullRequests: [pull], completed: [] }]
      const row: unknown = { rules: 1, queue: { last: { at: 1, id: "a" }, branches } }
      const read: unknown = yield* Rows.queueBases.decode([JSON.parse(JSON.stringify(row))])
      assert.deepStrictEqual(read, [row])
    })
  )
})
