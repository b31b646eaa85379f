/** GitHub's event `workflow_job`: a job is over, and took this long. */
import { JobTime, Text } from "@lazaret/domain"
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const WorkflowJobPayload = Schema.Struct({
  action: Schema.String,
  workflow_job: Schema.Struct({
    run_id: Schema.Int,
    run_attempt: Payload.maybe(Schema.Int),
    name: Text.between(1, 10_000),
    started_at: Payload.maybe(Payload.Time),
    completed_at: Payload.maybe(Payload.Time)
  }),
  repository: Payload.PayloadRepository
})

/** The fact of a payload: the time of the job. */
export const read = Delivery.reader(WorkflowJobPayload, ({ action, repository, workflow_job: job }) => {
  const { completed_at: end = null, name: jobName, run_attempt: attempt, run_id: runId, started_at: start = null } = job
  if (action !== "completed") return Delivery.ignored("The job has not ended.")
  const named = { runId: String(runId), runAttempt: attempt ?? 1, jobName }
  const time = start === null || end === null ? null : JobTime.of(named, { start, end })
  return time === null
    ? Delivery.ignored("The job has no time.")
    : Delivery.make(Payload.refOf(repository), { jobTimes: [time] })
})
