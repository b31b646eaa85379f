/** Stress runs on the wire (beyond the interface). */
import { TestIdentity, Text } from "@lazaret/domain"
import { Schema } from "effect"
import { Timestamp } from "../definition/Timestamp.ts"

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 0.999 }))

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const claim = {
  confidence: Share.annotate({ description: "Of the statement that clean runs make, such as 0.95." }),
  below: Share.annotate({ description: "The share of failures that clean runs were to exclude, such as 0.1." })
}

/** The body that stores a stress run. */
export const RecordStressRun = Schema.Struct({
  run_id: Text.between(1, 255).annotate({ description: "The run of which each run of the tests is an attempt." }),
  commit: Text.between(1, 255),
  ...claim,
  tests: Schema.Array(
    Schema.Struct({ test_name: TestIdentity.Name, passed: Count, failed: Count }).annotate({
      identifier: "StressedTest"
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(1000))
}).annotate({ identifier: "RecordStressRun" })

/** How many tests of a stress run were stored. */
export const RecordedStressRun = Schema.Struct({
  stored: Schema.Int.annotate({ description: "0 when the run was stored before." })
}).annotate({ identifier: "RecordedStressRun" })

/** The stress runs of a test. */
export const StressRunsOfTest = Schema.Struct({
  stress_runs: Schema.Array(
    Schema.Struct({
      run_id: Schema.String,
      commit: Schema.String,
      ended_at: Timestamp,
      passed: Schema.Int,
      failed: Schema.Int,
      judgement: Schema.Literals(["clean", "flaky", "failing", "absent"]).annotate({
        description:
          "`flaky`: it passed and failed on one commit; `failing`: it failed in every run; `absent`: it had no result."
      }),
      confidence: Schema.Finite,
      bound: Schema.Finite.annotate({
        description: "The share of failures that the passes exclude with the confidence, if they were all of its runs."
      }),
      sentence: Schema.String
    }).annotate({ identifier: "StressRun" })
  ).annotate({ description: "The latest 20, the latest first." })
}).annotate({ identifier: "StressRunsOfTest" })
