/** GitHub's event `workflow_run`: a run has begun, or it is completed and its artifacts can be read. */
import { Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const WorkflowRunPayload = Schema.Struct({
  action: Schema.String,
  workflow_run: Schema.Struct({
    id: Schema.Int,
    name: Payload.maybe(Text.between(0, 255)),
    head_sha: Payload.Sha,
    run_attempt: Schema.Int
  }),
  repository: Payload.PayloadRepository
})

/** The facts of a payload: the run and whether it is over. The artifacts are asked of the platform, which knows the latest state. */
export const read = Delivery.reader(WorkflowRunPayload, ({ action, repository, workflow_run: run }) => {
  const runId = String(run.id)
  const ciRun = { runId, pipelineName: run.name ?? "", commit: run.head_sha, attempt: run.run_attempt }
  switch (action) {
    case "requested":
    case "in_progress":
      return Delivery.make(Payload.refOf(repository), { ciRun: { ...ciRun, state: "running" } })
    case "completed":
      return Delivery.make(Payload.refOf(repository), { completedRun: runId, ciRun: { ...ciRun, state: "over" } })
    default:
      return Delivery.ignored("The workflow run has neither begun nor ended.")
  }
})
