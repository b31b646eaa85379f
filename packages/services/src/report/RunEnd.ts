/** The pass of a run of tests as a whole, which no report lists. */
import { Report, type Repository, TestId, TestIdentity } from "@lazaret/domain"
import { TestStore, type StoreError } from "@lazaret/store"
import { Clock, Effect, Option } from "effect"

/** The passed case of a run whose tests ended with 0. */
const passed = Report.caseOf({ testName: TestIdentity.testRun, conclusion: "passed" })

/**
 * Yields the passed case `test run` for a job in which that case is not healthy, so that it recovers; none for any other job.
 *
 * **Details**
 *
 * The failed case says that a run failed outside of its tests (`TestIdentity.testRun`). A job that never failed so has no such test.
 */
export const make = Effect.gen(function* () {
  const tests = yield* TestStore
  return Effect.fnUntraced(function* (
    ref: Repository.RepositoryRef,
    { jobName, pipelineName }: Pick<Report.RunContext, "pipelineName" | "jobName">
  ): Effect.fn.Return<ReadonlyArray<Report.Case>, StoreError> {
    const found = yield* tests.get(ref, TestId.of(TestIdentity.testRun), yield* Clock.currentTimeMillis)
    const ofJob = Option.getOrElse(found, () => []).find(
      ({ identity }) => identity.pipelineName === pipelineName && identity.jobName === jobName
    )
    return ofJob === undefined || ofJob.state.status === "healthy" ? [] : [passed]
  })
})
