import { StressRuns } from "@lazaret/services"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as StressSentence from "../../src/insight/StressSentence.ts"
import { commit, memory, noon, record, ref, testsWith } from "../builders.ts"

const test = testsWith(memory)

const tally = (testName: string, passed: number, failed = 0) => ({ testName, passed, failed })

const stress = (runId: string, tests: ReadonlyArray<ReturnType<typeof tally>>) =>
  StressRuns.use((runs) => runs.record(ref, { runId, commit, claim: { confidence: 0.95, below: 0.1 }, tests }))

const sentence = (of = commit) => Effect.flatMap(StressSentence.make, (sentenceOf) => sentenceOf(ref, of))

describe("StressSentence", () => {
  test("the latest stress run of each test on a commit counts, and tests of the default branch are not new", function* () {
    yield* TestClock.setTime(noon)
    assert.strictEqual(yield* sentence(), null)
    yield* stress("1", [tally("a", 2, 1), tally("b", 29)])
    assert.strictEqual(yield* sentence(), "2 new tests ran again and again: 1 flaky, 1 clean.")
    yield* TestClock.adjust("1 minute")
    yield* stress("2", [tally("a", 29)])
    assert.strictEqual(yield* sentence(), "2 new tests, 29 clean runs each.")
    assert.strictEqual(yield* sentence("another"), null)
    yield* record({ test: "a", commit: "main", hoursAgo: 1 })
    assert.strictEqual(yield* Effect.map(sentence(), String), "2 tests, 29 clean runs each.")
  })
})
