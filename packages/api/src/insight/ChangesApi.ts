/** The operations on changes that made tests fail (beyond the interface). */
import { HttpApiEndpoint } from "effect/http-api"
import * as Access from "../definition/Access.ts"
import * as Operation from "../definition/Operation.ts"
import * as Parameter from "../definition/Parameter.ts"
import { repositoryPath } from "../definition/paths.ts"
import * as Problem from "../definition/Problem.ts"
import { FoundChange } from "./Change.ts"

const getTestChange = HttpApiEndpoint.get("getTestChange", `${repositoryPath}/tests/:test_id/change`, {
  params: { ...Parameter.repository, test_id: Parameter.testId },
  success: FoundChange,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Find the commits among which a test began to fail",
    description:
      "Finds the commits that contain the change with 50, 90 and 99 per cent, from the runs since the test was last healthy, at most of 90 " +
      "days. A rare flake names many commits."
  })
)

const getCauseChange = HttpApiEndpoint.get("getCauseChange", `${repositoryPath}/causes/:cause_id/change`, {
  params: { ...Parameter.repository, cause_id: Parameter.uuid("The id of a cause.") },
  success: FoundChange,
  error: Problem.ofRepository
}).pipe(
  Operation.demands(Access.readsTests),
  Operation.documented({
    summary: "Find the commits among which a cause began",
    description:
      "Finds the commits that contain the change with 50, 90 and 99 per cent, from the runs of the 20 tests that fail most often with the " +
      "cause, of 90 days."
  })
)

/** The group of changes. */
export class ChangesApi extends Operation.guarded(
  "changes",
  { description: "The commits among which tests began to fail." },
  getTestChange,
  getCauseChange
) {}
