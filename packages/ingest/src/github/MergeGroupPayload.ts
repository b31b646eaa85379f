/**
 * GitHub's event `merge_group`: the checks of a queued pull request are requested, or its merge group is deleted.
 */
import type { Instant } from "@lazaret/domain"
import type { QueueEvent } from "@lazaret/queue"
import { Option, Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as EventId from "./EventId.ts"
import * as MergeGroup from "./MergeGroup.ts"
import * as Payload from "./Payload.ts"

const MergeGroupPayload = Schema.Struct({
  action: Schema.Literals(["checks_requested", "destroyed"]),
  reason: Payload.maybe(Schema.String),
  merge_group: Schema.Struct({
    head_sha: Payload.Sha,
    head_ref: Schema.String,
    head_commit: Schema.Struct({ timestamp: Payload.Time })
  }),
  repository: Schema.Struct({ ...Payload.PayloadRepository.fields, pushed_at: Payload.maybe(Payload.Time) })
})

type MergeGroupPayload = typeof MergeGroupPayload.Type

/**
 * The reading of a payload.
 *
 * **Details**
 *
 * - `checks_requested`: the checks start. GitHub makes groups of queued pull requests only, so the pull request is
 *   queued as well. That event is ignored when it is known already; it replaces one that is late or lost.
 * - `destroyed`: `merged` and `dequeued` are outcomes of the pull request; with any other reason (`invalidated`: a pull
 *   request ahead has left) the round of checks is stale, and GitHub makes the next group.
 *
 * The round of checks has the name of the group's commit, so that what old groups still report does not touch new ones.
 * The payload has no time of its own. It has the time when the commit of the group was made (for rebased commits that
 * may be long ago), and when the repository was last pushed to, which making the branch of a group does: the later one
 * counts.
 */
export const read = (payload: unknown): Delivery.Reading => {
  const action = Payload.actionOf(payload)
  return actions.has(action)
    ? decode(payload)
    : Delivery.ignored(`The action "${action}" does not move the merge queue.`)
}

const actions: ReadonlySet<string> = new Set(MergeGroupPayload.fields.action.literals)

const decode = Delivery.reader(MergeGroupPayload, (payload) =>
  Option.match(MergeGroup.ofRef(payload.merge_group.head_ref), {
    onNone: () =>
      Delivery.ignored(
        `The branch "${Payload.excerpt(payload.merge_group.head_ref, 300)}" names no queued pull request.`
      ),
    onSome: (group) => {
      const events = payload.action === "checks_requested" ? started(group, payload) : [ended(group, payload)]
      return Delivery.make(Payload.refOf(payload.repository), { events })
    }
  })
)

const started = (group: MergeGroup.MergeGroup, payload: MergeGroupPayload): ReadonlyArray<QueueEvent.QueueEvent> => {
  const at = timeOf(payload)
  const round = payload.merge_group.head_sha
  const id = (place: "queued" | "checks_started") =>
    EventId.of(place, "merge_group:checks_requested", { name: round, at })
  return [
    { ...group, id: id("queued"), at, kind: "queued" },
    { ...group, id: id("checks_started"), at, kind: "checks_started", checkType: "draft_pr", round }
  ]
}

const ended = (group: MergeGroup.MergeGroup, payload: MergeGroupPayload): QueueEvent.QueueEvent => {
  const at = timeOf(payload)
  const round = payload.merge_group.head_sha
  const id = (place: "merged" | "dequeued" | "checks_ended") =>
    EventId.of(place, "merge_group:destroyed", { name: round, at })
  if (payload.reason === "merged") return { ...group, id: id("merged"), at, kind: "merged" }
  if (payload.reason === "dequeued") return { ...group, id: id("dequeued"), at, kind: "dequeued" }
  return { ...group, id: id("checks_ended"), at, kind: "checks_ended", state: "stale", round }
}

const timeOf = ({ merge_group: group, repository }: MergeGroupPayload): Instant.Instant =>
  Math.max(group.head_commit.timestamp, repository.pushed_at ?? 0)
