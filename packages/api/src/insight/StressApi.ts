/** The operations on stress runs (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { RecordedStressRun, RecordStressRun, StressRunsOfTest } from "./Stress.ts"
import { stressExamples } from "./StressExamples.ts"

const recordStressRun = HttpApiEndpoint.post("recordStressRun", `${repositoryPath}/stress-runs`, {
  params: Parameter.repository,
  payload: RecordStressRun,
  success: RecordedStressRun,
  error: Problem.ofRepositoryBody
}).pipe(
  Operation.demands(Access.uploads),
  Operation.audited(false),
  Operation.documented({
    summary: "Store the result of a stress run",
    description:
      "Stores how often tests passed and failed in a stress run on one commit, for 90 days. The same run again changes nothing. The executions " +
      "themselves are uploaded as reports. An unknown repository is created.",
    example: stressExamples.recordStressRun
  })
)

const listStressRuns = HttpApiEndpoint.get("listStressRuns", `${repositoryPath}/tests/:test_id/stress-runs`, {
  params: { ...Parameter.repository, test_id: Parameter.testId },
  success: StressRunsOfTest,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "List the stress runs of a test",
    description: "Shows what stress runs proved of a test, also of one that has not run on the default branch.",
    example: stressExamples.listStressRuns
  })
)

/** The group of stress runs. */
export class StressApi extends Operation.guarded(
  "stress",
  { description: "What running tests again and again on one commit has shown." },
  recordStressRun,
  listStressRuns
) {}
