/** The operations that export executions and verdicts (beyond the interface). */
import { TestId } from "@lazaret/domain"
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import { linked } from "../definition/Linked.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { ExportedExecutions, ExportedVerdicts } from "./Export.ts"
import * as Timestamp from "../definition/Timestamp.ts"

const page: Schema.Codec.Encoded<typeof ExportedExecutions> = {
  size: 1,
  per_page: 10,
  total: 1,
  next_start: "2026-02-02T08:00:00.000Z",
  executions: [
    {
      execution_id: "7dc56e5e-6349-5313-b052-7c23025884d7.0",
      test_id: TestId.of("suite > adds"),
      test_name: "suite > adds",
      pipeline_name: "CI",
      job_name: "unit",
      file: "src/adds.test.ts",
      run_id: "9182736450",
      commit: "5f2c1d0",
      finished_at: "2026-01-30T16:40:00.000Z",
      conclusion: "passed",
      flaky: false,
      reruns: 0,
      duration_seconds: 0.25,
      exception_type: null,
      excused: false
    }
  ]
}

const verdicts: Schema.Codec.Encoded<typeof ExportedVerdicts> = {
  size: 1,
  per_page: 10,
  verdicts: [
    {
      test_id: TestId.of("suite > adds"),
      execution_id: "7dc56e5e-6349-5313-b052-7c23025884d7.0",
      test_name: "suite > adds",
      pipeline_name: "CI",
      job_name: "unit",
      commit: "5f2c1d0",
      run_id: "9182736450",
      finished_at: "2026-01-30T16:40:00.000Z",
      verdict: "flaky",
      probability_flaky: 0.97,
      outcome: "flaky",
      marked: null,
      marked_by: null,
      marked_at: null
    }
  ]
}

const exportExecutions = HttpApiEndpoint.get("exportExecutions", `${repositoryPath}/export/executions`, {
  params: Parameter.repository,
  query: Schema.Struct({ ...Timestamp.bounds, ...Parameter.page }),
  success: linked(ExportedExecutions),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Export executions",
    description:
      "Shows all executions of the default branch in a window, by test: `per_page` counts tests of a pipeline and job, `size` those of this page. " +
      "Tests that did not run in the last 30 days are left out. A short window keeps pages small.",
    example: { response: page }
  })
)

const exportVerdicts = HttpApiEndpoint.get("exportVerdicts", `${repositoryPath}/export/verdicts`, {
  params: Parameter.repository,
  query: Schema.Struct({ ...Timestamp.bounds, ...Parameter.page }),
  success: linked(ExportedVerdicts),
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Export verdicts",
    description:
      "Shows the verdict that was answered first on each failure in a window, with what came out of it. A verdict is kept for 90 days, one whose " +
      "outcome is known for a year.",
    example: { response: verdicts }
  })
)

/** The group of exports. */
export class ExportApi extends Operation.guarded(
  "export",
  { description: "Executions and verdicts for a database of your own." },
  exportExecutions,
  exportVerdicts
) {}
