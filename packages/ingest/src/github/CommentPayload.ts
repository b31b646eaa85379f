/** GitHub's event `issue_comment`: a person writes commands to the merge queue. */
import { PullRequestNumber, QueueCommand } from "@lazaret/queue"
import { Schema } from "effect"
import * as Delivery from "./Delivery.ts"
import * as Payload from "./Payload.ts"

const CommentPayload = Schema.Struct({
  action: Schema.Literal("created"),
  issue: Schema.Struct({
    number: PullRequestNumber.PullRequestNumber,
    pull_request: Payload.maybe(Schema.Unknown),
    user: Payload.maybe(Payload.Account)
  }),
  comment: Schema.Struct({
    id: Schema.Int,
    body: Payload.maybe(Schema.String),
    created_at: Payload.Time
  }),
  sender: Payload.Account,
  repository: Payload.PayloadRepository
})

/**
 * The reading of a payload: the commands of a new comment.
 *
 * **Details**
 *
 * A comment that is edited or deleted later changes nothing: its commands were given when it was written. Comments of bots, ours
 * among them, and comments on issues hold no commands.
 */
export const read = (payload: unknown): Delivery.Reading =>
  Payload.actionOf(payload) === "created"
    ? decode(payload)
    : Delivery.ignored("Commands count when a comment is created.")

const decode = Delivery.reader(CommentPayload, ({ comment, issue, repository, sender }) => {
  if (issue.pull_request === undefined || issue.pull_request === null) {
    return Delivery.ignored("The comment is not on a pull request.")
  }
  if (Payload.isBot(sender)) return Delivery.ignored("Comments of bots hold no commands.")
  const commands = QueueCommand.parse(Payload.excerpt(comment.body, longest))
  if (commands.length === 0) return Delivery.ignored("The comment holds no command.")
  const how = { _tag: "Comment", id: comment.id, at: comment.created_at, commands } as const
  const asked = { number: issue.number, author: issue.user?.login ?? null, by: sender.login, how }
  return Delivery.make(Payload.refOf(repository), { asked })
})

/** GitHub takes comments of 65,536 characters. */
const longest = 65_536
