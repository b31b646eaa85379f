/** GitHub's event `status`: a commit of a merge group has a new status from an integration without check runs. */
import type { QueueEvent } from "@lazaret/queue"
import { Option, Schema } from "effect"
import * as CheckState from "./CheckState.ts"
import * as Delivery from "./Delivery.ts"
import * as EventId from "./EventId.ts"
import * as MergeGroup from "./MergeGroup.ts"
import * as Payload from "./Payload.ts"

const StatusPayload = Schema.Struct({
  id: Schema.Int,
  sha: Payload.Sha,
  context: Schema.String,
  state: Schema.String,
  description: Payload.maybe(Schema.String),
  target_url: Payload.maybe(Schema.String),
  avatar_url: Payload.maybe(Schema.String),
  updated_at: Payload.Time,
  branches: Schema.Array(Schema.Struct({ name: Schema.String, commit: Schema.Struct({ sha: Schema.String }) })),
  repository: Payload.PayloadRepository
})

type StatusPayload = typeof StatusPayload.Type

/**
 * The reading of a payload: the check as it is now, for every merge group whose commit it is. Without one the commit may be the head of a
 * pull request, which waits for its required checks.
 *
 * **Details**
 *
 * A status names up to ten branches that hold its commit; the groups further behind hold it, too, and are not meant.
 */
export const read = Delivery.reader(StatusPayload, (status) => {
  const events = status.branches
    .filter(({ commit }) => commit.sha === status.sha)
    .flatMap(({ name }) => Option.toArray(MergeGroup.ofRef(name)))
    .map((group) => updated(group, status))
  return events.length === 0
    ? Delivery.make(Payload.refOf(status.repository), { checked: status.sha })
    : Delivery.make(Payload.refOf(status.repository), { events })
})

const updated = (group: MergeGroup.MergeGroup, status: StatusPayload): QueueEvent.QueueEvent => {
  const state = CheckState.ofStatus(status.state)
  const name = `${status.id}:${group.pullRequest}`
  const place = state === "pending" ? "check_pending" : "check_ended"
  return {
    ...group,
    id: EventId.of(place, "status", { name, at: status.updated_at }),
    at: status.updated_at,
    kind: "check_updated",
    round: status.sha,
    check: {
      name: Payload.excerpt(status.context, 1000) || "status",
      description: Payload.excerpt(status.description, 10_000),
      url: Payload.address(status.target_url),
      detailsUrl: Payload.address(status.target_url),
      state,
      avatarUrl: Payload.address(status.avatar_url)
    }
  }
}
