/** The port of stress runs, and its rules over a driver: what running a test again and again on one commit has shown. */
import { Instant, type Repository, type Stress, type TestId } from "@lazaret/domain"
import { Context, Effect } from "effect"
import type { Driver, Transaction } from "../Driver.ts"
import * as Aliases from "../report/Aliases.ts"
import { stressRuns } from "../Rows.ts"
import type { StoreError } from "../StoreError.ts"

/**
 * The runs of one test in a stress run.
 *
 * **Details**
 *
 * `runId`: the stress run, of which each run of the tests is an attempt. `claim`: what clean runs were to prove. `at`: when it was stored.
 */
export interface StressRun extends Stress.Tally {
  readonly runId: string
  readonly testId: TestId.TestId
  readonly testName: string
  readonly commit: string
  readonly claim: Stress.Claim
  readonly at: Instant.Instant
}

/** How long stress runs are kept, and how many rows of a repository (our choice): those stored last. */
export const stressBounds = { days: 90, most: 5000 } as const

/**
 * The port of stress runs.
 *
 * **Laws**
 *
 * - *Once.* Of the rows of one run and test the first one stays; the same rows again change nothing.
 * - *Bounded.* A row is removed {@link stressBounds}`.days` after it was stored, the oldest beyond `most` earlier.
 * - A row follows the aliases of its test, and is removed with the test.
 */
export class StressStore extends Context.Service<
  StressStore,
  {
    /** Stores the rows of a run, and yields how many were new. Creates the repository. */
    readonly record: (
      ref: Repository.RepositoryRef,
      runs: ReadonlyArray<StressRun>,
      at: Instant.Instant
    ) => Effect.Effect<number, StoreError>
    /** The latest stress runs of a test, the latest first, ties by run; at most `limit`. */
    readonly ofTest: (
      ref: Repository.RepositoryRef,
      testId: TestId.TestId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StressRun>, StoreError>
    /** The stress runs on a commit, the latest first, ties by run and test; at most `limit`. */
    readonly ofCommit: (
      ref: Repository.RepositoryRef,
      commit: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StressRun>, StoreError>
  }
>()("@lazaret/store/StressStore") {
  /** The port over a driver. */
  static over(driver: Driver["Service"]): StressStore["Service"] {
    return make(driver)
  }
}

const make = (driver: Driver["Service"]): StressStore["Service"] =>
  StressStore.of({
    record: (ref, runs, at) =>
      runs.length === 0
        ? Effect.succeed(0)
        : driver.transact("StressStore.record", ref, at, (transaction) =>
            Effect.gen(function* () {
              const ids = [...new Set(runs.map(({ runId }) => runId))]
              const stored = yield* transaction.select(stressRuns, { where: [["runId", "in", ids]], order: [] })
              const known = new Set(stored.map(keyOf))
              const fresh = [...new Map(runs.map((run) => [keyOf(run), run])).values()].filter(
                (run) => !known.has(keyOf(run))
              )
              yield* transaction.put(stressRuns, fresh)
              yield* trim(transaction, at)
              return fresh.length
            })
          ),
    ofTest: (ref, testId, limit) =>
      driver.read("StressStore.ofTest", ref, (view) =>
        Effect.flatMap(Aliases.namesIn(view), ({ idsOf }) =>
          view.select(stressRuns, {
            where: [["testId", "in", idsOf(testId)]],
            order: ["at", "runId", "testId"],
            isDescending: true,
            limit
          })
        )
      ),
    ofCommit: (ref, commit, limit) =>
      driver.read("StressStore.ofCommit", ref, (view) =>
        view.select(stressRuns, {
          where: [["commit", "=", commit]],
          order: ["at", "runId", "testId"],
          isDescending: true,
          limit
        })
      )
  })

const keyOf = ({ runId, testId }: Pick<StressRun, "runId" | "testId">): string => `${testId} ${runId}`

const trim = Effect.fnUntraced(function* (transaction: Transaction, now: Instant.Instant) {
  const { days, most } = stressBounds
  yield* transaction.remove(stressRuns, [["at", "<", now - days * Instant.day]])
  const excess = (yield* transaction.count(stressRuns, [])) - most
  if (excess <= 0) return
  const oldest = yield* transaction.select(stressRuns, { where: [], order: ["at", "runId", "testId"], limit: excess })
  for (const { runId, testId } of oldest) {
    yield* transaction.remove(stressRuns, [
      ["runId", "=", runId],
      ["testId", "=", testId]
    ])
  }
})
