/** The contents of the database of 0.1.0 in `0.1.0.json.gz`: the same facts can be recorded by any later version. */
import type { Repository } from "@lazaret/domain"
import { ExecutionStore, KeyStore, QuarantineStore, QueueStore, RetentionStore } from "@lazaret/store"
import { JobRun, Sample } from "@lazaret/store-conformance"
import { Effect } from "effect"

/** The repository. */
export const repository: Repository.RepositoryRef = { owner: "acme", repository: "Widgets" }

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

/** Records 40 days of runs with an outage, a rerun on another branch and more, drops the first days, and fills other tables. */
export const record = Effect.fnUntraced(function* (ref: Repository.RepositoryRef) {
  const executions = yield* ExecutionStore
  for (let day = 40; day > 0; day--) yield* executions.append(ref, reportOf(day))
  for (const runAttempt of [1, 2]) {
    const at = Sample.daysAgo(2) + runAttempt
    const context = { branch: "topic", baseBranch: "main", commit: "c60", runId: "topic", runAttempt }
    const result = { testName: "adds_%", at }
    yield* executions.append(
      ref,
      Sample.report(`topic ${runAttempt}`, context, [runAttempt === 1 ? Sample.failure(result) : result])
    )
  }
  yield* (yield* RetentionStore).drop(ref, Sample.daysAgo(33))
  const quarantines = yield* QuarantineStore
  for (const [index, testName] of JobRun.testNames.slice(0, 2).entries()) {
    yield* quarantines.insert(ref, Sample.quarantine(uuid(index), { testName, branch: index === 0 ? null : "main" }))
  }
  yield* quarantines.remove(ref, uuid(1), { at: Sample.noon + 1, by: "key 1" })
  const queues = yield* QueueStore
  yield* queues.setPause(ref, "release", { at: Sample.noon, by: "key 1" })
  yield* (yield* KeyStore).insert(Sample.key(uuid(9)))
})

const reportOf = (day: number) => {
  const at = Sample.daysAgo(day)
  const cases = [...JobRun.testNames, ...Array.from({ length: 70 }, (_, test) => `law ${test}`)].map(
    (testName, test) => {
      const result = { testName, at: at + test, durationMs: test + 0.25, filepath: `tests/${test % 7}.test.ts` }
      if (day === 9 && test % 3 > 0) return Sample.failure(result)
      if ((day * 7 + test) % 23 === 0) return Sample.failure({ ...result, reruns: test % 3 })
      return test % 31 === 30 ? { ...result, flaky: true, reruns: 2 } : result
    }
  )
  return Sample.report(`day ${day}`, { commit: `c${day}`, runId: `run ${day}`, pullRequest: null }, cases)
}
