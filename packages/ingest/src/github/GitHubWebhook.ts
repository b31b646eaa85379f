/**
 * Deliveries of GitHub's webhooks: the name of an event and its payload in, facts out.
 *
 * **Rules**
 *
 * - Times are those of the payload, never of the arrival, and ids are derived from the content (`EventId`): the same
 *   deliveries give the same queue in any order and with any repetitions.
 * - No state is kept between deliveries. The branch of a merge group names base branch and pull request (`MergeGroup`),
 *   and each round of checks has the name of its commit.
 */
import { Option } from "effect"
import * as CheckPayload from "./CheckPayload.ts"
import * as CommentPayload from "./CommentPayload.ts"
import * as Delivery from "./Delivery.ts"
import * as MergeGroupPayload from "./MergeGroupPayload.ts"
import * as Payload from "./Payload.ts"
import * as PullRequestPayload from "./PullRequestPayload.ts"
import * as PushPayload from "./PushPayload.ts"
import * as RepositoryPayload from "./RepositoryPayload.ts"
import * as StatusPayload from "./StatusPayload.ts"
import * as WorkflowJobPayload from "./WorkflowJobPayload.ts"
import * as WorkflowRunPayload from "./WorkflowRunPayload.ts"

export type { Asked, Delivery, Fault, Reading, Unusable } from "./Delivery.ts"
export type { InstallationChange } from "./InstallationPayload.ts"
export { read as readInstallation } from "./InstallationPayload.ts"
export { configurationFile } from "./PushPayload.ts"

const readers: ReadonlyMap<string, (payload: unknown) => Delivery.Reading> = new Map([
  ["pull_request", PullRequestPayload.read],
  ["issue_comment", CommentPayload.read],
  ["merge_group", MergeGroupPayload.read],
  ["check_run", CheckPayload.readRun],
  ["check_suite", CheckPayload.readSuite],
  ["status", StatusPayload.read],
  ["push", PushPayload.read],
  ["repository", RepositoryPayload.read],
  ["workflow_job", WorkflowJobPayload.read],
  ["workflow_run", WorkflowRunPayload.read]
])

/** The supported events; a webhook does not need to send others. */
export const events: ReadonlyArray<string> = [...readers.keys()]

/**
 * The facts in a delivery: `event` is its header `X-GitHub-Event`, `payload` its body as JSON.
 *
 * @example
 * ```ts
 * import { GitHubWebhook } from "@lazaret/ingest"
 * import { Result } from "effect"
 *
 * const reading = GitHubWebhook.read("ping", { zen: "Keep it logically awesome." })
 * Result.flip(reading) // => Result.succeed({ kind: "ignored", reason: "Deliveries of the event \"ping\" are not used here." })
 * ```
 */
export const read = (event: string, payload: unknown): Delivery.Reading => {
  const reader = readers.get(event)
  if (reader === undefined) {
    return Delivery.ignored(`Deliveries of the event "${event.slice(0, 100)}" are not used here.`)
  }
  return Option.match(Payload.unnameable(payload), {
    onNone: () => reader(payload),
    onSome: (name) =>
      Delivery.ignored(
        `The repository "${name}" has no path here: an owner is 1 to 40 letters, digits and hyphens, a name 1 to 100 ` +
          "letters, digits, underscores, hyphens and dots."
      )
  })
}
