/** GitHub's event `pull_request`: a pull request has a new head, enters the merge queue, leaves it, or is merged. */
import { type Instant, PullHead, PullRef, Text } from "@lazaret/domain"
import { PullRequestNumber, type QueueEvent } from "@lazaret/queue"
import { Option, Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as EventId from "./EventId.ts"
import * as Payload from "./Payload.ts"

const PullRequestPayload = Schema.Struct({
  action: Schema.Literals(["enqueued", "dequeued", "closed"]),
  reason: Payload.maybe(Schema.String),
  pull_request: Schema.Struct({
    id: PullRef.PullRef.fields.id,
    node_id: Payload.NodeId,
    number: PullRequestNumber.PullRequestNumber,
    title: Schema.String,
    user: Schema.optionalKey(Schema.Unknown),
    base: Schema.Struct({ ref: Payload.Branch }),
    updated_at: Payload.Time,
    merged_at: Payload.maybe(Payload.Time),
    merge_commit_sha: Payload.maybe(Payload.Sha)
  }),
  repository: Payload.PayloadRepository
})

type PullRequestPayload = typeof PullRequestPayload.Type

/**
 * The reading of a payload.
 *
 * **Details**
 *
 * - `enqueued`: queued, when the pull request was last updated.
 * - `dequeued`: dequeued with GitHub's reason, or merged if it has been.
 * - `closed`: merged, with the commit that the merge made; nothing if it was closed without being merged.
 *
 * - `opened`, `reopened`, `synchronize`: the head commit, whose report is wanted.
 *
 * - `labeled`, `unlabeled`: the label, which may ask for the queue. Those of bots count for nothing.
 *
 * A merge that bypasses the queue is reported as well: the queue ignores it, but its commit is recorded.
 */
export const read = (payload: unknown): Delivery.Reading => {
  const action = Payload.actionOf(payload)
  if (headActions.has(action)) return decodeHead(payload)
  if (action === "labeled" || action === "unlabeled") return decodeLabel(payload)
  return actions.has(action)
    ? decode(payload)
    : Delivery.ignored(`The action "${action}" does not move the merge queue.`)
}

/** GitHub writes null for the repository of a head that was deleted. */
const HeadRepository = Payload.maybe(
  Schema.Struct({ id: Schema.Int, owner: Schema.Struct({ login: Text.between(1, 255) }) })
)

const HeadPayload = Schema.Struct({
  pull_request: Schema.Struct({
    number: Schema.optionalKey(PullHead.PullHead.fields.number),
    head: Schema.Struct({ sha: Payload.Sha, repo: HeadRepository }),
    base: Schema.optionalKey(Schema.Struct({ repo: HeadRepository }))
  }),
  repository: Payload.PayloadRepository
})

const headActions: ReadonlySet<string> = new Set(["opened", "reopened", "synchronize"])

const decodeHead = Delivery.reader(HeadPayload, ({ pull_request: { base, head, number }, repository }) =>
  Delivery.make(Payload.refOf(repository), {
    heads: [head.sha],
    pullHeads:
      number === undefined || !head.repo || !base?.repo
        ? []
        : [{ number, commit: head.sha, owner: head.repo.owner.login, isFork: head.repo.id !== base.repo.id }]
  })
)

const LabelPayload = Schema.Struct({
  action: Schema.Literals(["labeled", "unlabeled"]),
  label: Schema.Struct({ name: Text.between(1, 255) }),
  pull_request: Schema.Struct({
    number: PullRequestNumber.PullRequestNumber,
    user: Payload.maybe(Payload.Account)
  }),
  sender: Payload.Account,
  repository: Payload.PayloadRepository
})

const decodeLabel = Delivery.reader(LabelPayload, ({ action, label, pull_request: pull, repository, sender }) => {
  if (Payload.isBot(sender)) return Delivery.ignored("Labels of bots ask for nothing.")
  const how = { _tag: "Label", label: label.name, isAdded: action === "labeled" } as const
  const asked = { number: pull.number, author: pull.user?.login ?? null, by: sender.login, how }
  return Delivery.make(Payload.refOf(repository), { asked })
})

const actions: ReadonlySet<string> = new Set(PullRequestPayload.fields.action.literals)

const decode = Delivery.reader(PullRequestPayload, (payload) => {
  const { merged_at: mergedAt, updated_at: updatedAt } = payload.pull_request
  if (payload.action === "enqueued") return moved(payload, { kind: "queued", at: updatedAt })
  if (mergedAt !== null && mergedAt !== undefined) return merged(payload, mergedAt)
  if (payload.action === "closed") return Delivery.ignored("The pull request was closed without being merged.")
  const reason = Payload.excerpt(payload.reason, 1000)
  return moved(payload, { kind: "dequeued", at: updatedAt, ...(reason === "" ? {} : { reason }) })
})

type Move =
  | Pick<QueueEvent.Of<"queued">, "kind" | "at">
  | Pick<QueueEvent.Of<"merged">, "kind" | "at">
  | Pick<QueueEvent.Of<"dequeued">, "kind" | "at" | "reason">

const eventOf = ({ action, pull_request: pull }: PullRequestPayload, move: Move): QueueEvent.QueueEvent => ({
  id: EventId.of(move.kind, `pull_request:${action}`, { name: pull.node_id, at: move.at }),
  branch: pull.base.ref,
  pullRequest: pull.number,
  ...move
})

const moved = (payload: PullRequestPayload, move: Move): Delivery.Reading =>
  Delivery.make(Payload.refOf(payload.repository), { events: [eventOf(payload, move)] })

const merged = (payload: PullRequestPayload, at: Instant.Instant): Delivery.Reading => {
  const commit = payload.pull_request.merge_commit_sha
  const pulls = Option.match(pullOf(payload), {
    onNone: () => [],
    onSome: (pull) => (commit === null || commit === undefined ? [] : [{ commit, pull }])
  })
  return Delivery.make(Payload.refOf(payload.repository), { events: [eventOf(payload, { kind: "merged", at })], pulls })
}

/** A pull request is shown with all its fields or not at all: an author whose account is gone has none. */
const pullOf = ({ pull_request: { id, number, title, user } }: PullRequestPayload): Option.Option<PullRef.PullRef> =>
  asPullRef({ id, number, title: Payload.excerpt(title, 10_000), user })

const asPullRef = Schema.decodeUnknownOption(PullRef.PullRef)
