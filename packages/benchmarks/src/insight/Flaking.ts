/** A commit of a pull request on which all tests of a suite failed, and passed when they ran again. */
import type { Report } from "@lazaret/domain"
import { ExecutionStore } from "@lazaret/store"
import { Effect } from "effect"
import * as data from "../postgres/data.ts"

/** Records both attempts. */
export const record = Effect.flatMap(ExecutionStore, (store) =>
  Effect.forEach([1, 2] as const, (attempt) => store.append(data.busy, attemptOf(attempt)))
)

const attemptOf = (attempt: 1 | 2): Report.Report => {
  const planned = { ref: data.busy, job: "suite 0", tests: data.suiteTests, branch: "feature" }
  const report = data.report({ ...planned, number: 20_000_000 + attempt, finishedAt: Date.now() })
  return {
    ...report,
    run: { ...report.run, commit: "f1a4e", runId: "flaking", runAttempt: attempt },
    executions: report.executions.map((execution) => ({
      ...execution,
      conclusion: attempt === 1 ? ("failed" as const) : ("passed" as const),
      flaky: false,
      reruns: 0
    }))
  }
}
