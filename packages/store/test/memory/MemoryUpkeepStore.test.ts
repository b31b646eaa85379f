import { Health, Report, TestId } from "@lazaret/domain"
import { assert, describe } from "@effect/vitest"
import { test } from "@lazaret/tools/steps"
import { Effect } from "effect"
import * as MemoryRecording from "../../src/memory/MemoryRecording.ts"
import * as MemoryState from "../../src/memory/MemoryState.ts"
import * as MemoryTables from "../../src/memory/MemoryTables.ts"
import * as MemoryUpkeepStore from "../../src/memory/MemoryUpkeepStore.ts"
import * as RepositoryEntry from "../../src/memory/RepositoryEntry.ts"

const ref = { owner: "acme", repository: "widgets" }

const now = Date.UTC(2026, 5, 30, 12)

const report = (commit: string, conclusion: "passed" | "failed", at: number) =>
  Report.make({
    key: commit,
    digest: commit,
    receivedAt: now,
    finishedAt: at,
    run: Report.contextOf({ pipelineName: "CI", jobName: "unit", branch: "main", commit }),
    cases: [Report.caseOf({ testName: "adds", at, durationMs: 1, conclusion })]
  })

/** A repository in which a test failed after it had passed. */
const filled = Effect.gen(function* () {
  const state = MemoryState.make()
  const entry = MemoryState.ensure(state, ref)
  yield* MemoryTables.transact(MemoryTables.make(), "record", (rows) =>
    MemoryRecording.record(entry, rows, [report("c1", "passed", now - 2), report("c2", "failed", now - 1)])
  )
  const [identity] = RepositoryEntry.testById(entry, TestId.of("adds")) ?? []
  const [run] = [...entry.runs.byJob.values()].flatMap(({ ordered }) => ordered)
  assert(identity !== undefined && run !== undefined)
  return { entry, identity, run, verify: MemoryUpkeepStore.verify(state) }
})

type Filled = Effect.Success<typeof filled>

const tamperings: ReadonlyArray<readonly [kind: string, tamper: (filled: Filled) => void]> = [
  ["run", ({ run }) => (run.judgement = { ...run.judgement, excused: true })],
  ["order", ({ identity }) => identity.main.reverse()],
  ["health", ({ identity }) => (identity.state = Health.initial)]
]

describe("upkeep in memory", () => {
  for (const [kind, tamper] of tamperings) {
    test(`upkeep in memory finds a ${kind} that is not as computed, and a refold makes it so`, function* () {
      const repository = yield* filled
      const { entry, verify } = repository
      assert.deepStrictEqual(yield* verify(ref), [])
      tamper(repository)
      assert.deepStrictEqual(
        (yield* verify(ref)).map((difference) => difference.kind),
        [kind]
      )
      yield* RepositoryEntry.refold(entry)
      assert.deepStrictEqual(yield* verify(ref), [])
    })
  }
})
