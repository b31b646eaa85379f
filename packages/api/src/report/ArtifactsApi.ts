/** The operation that reads test reports from the artifacts of past CI runs (beyond the interface). */
import { HttpApi, HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { Backfill, BackfillStep } from "./Backfill.ts"
import * as Parameter from "../definition/Parameter.ts"

const backfillRepository = HttpApiEndpoint.post("backfillRepository", `${repositoryPath}/backfill`, {
  params: Parameter.repository,
  payload: Backfill,
  success: BackfillStep,
  error: Problem.ofRepositoryBody
})
  .annotate(HttpApi.PayloadParseOptions, Operation.strict)
  .pipe(
    Operation.demands(Access.administrative("write")),
    Operation.documented({
      summary: "Read the artifacts of past runs",
      description:
        "Makes one step: reads the test reports in the artifacts of up to ten completed runs, the newest first, with the times of " +
        "their runs. Repeat it with the `next_page` of the response. An artifact never counts twice, so a step that failed may be repeated. " +
        "If the operation takes longer than ten seconds, the response starts with line breaks; a response that ends early has failed."
    })
  )

/** The group of the operations on artifacts. */
export class ArtifactsApi extends Operation.guarded(
  "artifacts",
  { description: "Test reports from the artifacts of CI runs." },
  backfillRepository
) {}
