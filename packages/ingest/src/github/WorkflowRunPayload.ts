/** GitHub's event `workflow_run`: a run has completed, and its artifacts can be read. */
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const WorkflowRunPayload = Schema.Struct({
  action: Schema.String,
  workflow_run: Schema.Struct({ id: Schema.Int }),
  repository: Payload.PayloadRepository
})

/** The facts of a payload: the id of the run. What else it says is asked of the platform, which knows the latest state. */
export const read = Delivery.reader(WorkflowRunPayload, ({ action, repository, workflow_run: { id } }) =>
  action === "completed"
    ? Delivery.make(Payload.refOf(repository), { completedRun: String(id) })
    : Delivery.ignored("The workflow run is not completed.")
)
