/** The table of stress runs. */
import { Schema } from "effect"
import { Num, rowsOf, Str } from "../driver/RowFields.ts"
import type { StressRun } from "./StressStore.ts"
import type { Table } from "../driver/Table.ts"

/** The stress runs of tests by run and test. */
export const stressRuns: Table<StressRun> = {
  name: "stress_runs",
  scope: "repository",
  columns: {
    runId: "text",
    testId: "uuid",
    testName: "text",
    commit: "text",
    passed: "integer",
    failed: "integer",
    claim: "json",
    at: "instant"
  },
  key: ["runId", "testId"],
  ...rowsOf(
    Schema.Struct({
      runId: Str,
      testId: Str,
      testName: Str,
      commit: Str,
      passed: Num,
      failed: Num,
      claim: Schema.Struct({ confidence: Num, below: Num }),
      at: Num
    })
  )
}
