/** The examples of the operations on stress runs, checked against the definition by a test. */
import type { Schema } from "effect"
import type * as Stress from "./Stress.ts"

type Encoded<S extends Schema.Top> = S["Encoded"]

const body: Encoded<typeof Stress.RecordStressRun> = {
  run_id: "9182736450-stress-lq2x0c5w",
  commit: "5f2c1d0",
  confidence: 0.95,
  below: 0.1,
  tests: [{ test_name: "cart > pays with a card", passed: 29, failed: 0 }]
}

const runs: Encoded<typeof Stress.StressRunsOfTest> = {
  stress_runs: [
    {
      run_id: "9182736450-stress-lq2x0c5w",
      commit: "5f2c1d0",
      ended_at: "2026-01-31T12:00:00.000Z",
      passed: 29,
      failed: 0,
      judgement: "clean",
      confidence: 0.95,
      bound: 0.0981,
      sentence: "29 clean runs: fails in less than 9.8 % of its runs, with 95 %"
    }
  ]
}

/** The examples of the operations on stress runs. */
export const stressExamples = {
  recordStressRun: { request: { "application/json": body }, response: { stored: 1 } },
  listStressRuns: { response: runs }
}
