/**
 * The reads of the engine at the hosting platform: snapshots, never edges.
 *
 * **Details**
 *
 * A snapshot carries a `version`: a number that grows with every newer read of the same subject, such as the moment at
 * which the read began. A snapshot that is not newer than the last one of its subject changes nothing.
 */
import { Schema } from "effect"
import { PullRequestNumber } from "../PullRequestNumber.ts"
import * as QueueCheck from "../QueueCheck.ts"
import { Text } from "@lazaret/domain"
import * as FailureClass from "./FailureClass.ts"

/** Schema of a commit or tree name. */
export const Sha = Text.between(1, 255)

/** Schema of the version of a snapshot. */
export const Version = Schema.Int

/** Schema of a pull request at the commit that was queued. */
export const Member = Schema.Struct({ number: PullRequestNumber, head: Sha })

/** A pull request at the commit that was queued. */
export type Member = typeof Member.Type

/** Schema of the tip of the base branch. */
export const Tip = Schema.Struct({ sha: Sha, tree: Sha, version: Version })

/** The tip of the base branch: its commit and that commit's tree. */
export type Tip = typeof Tip.Type

/**
 * Schema of a pull request as it was read.
 *
 * **Details**
 *
 * - `mergeable`: null while the hosting platform has not computed it.
 * - `blockedBy`: the label that keeps it out of the queue.
 */
export const Pull = Schema.Struct({
  number: PullRequestNumber,
  state: Schema.Literals(["open", "closed", "merged"]),
  draft: Schema.Boolean,
  head: Sha,
  base: Text.between(1, 255),
  mergeable: Schema.NullOr(Schema.Boolean),
  approved: Schema.Boolean,
  blockedBy: Schema.NullOr(Text.between(1, 255)),
  version: Version
})

/** A pull request as it was read. */
export type Pull = typeof Pull.Type

/** Schema of the latest attempt of a check on a commit, attempts counted from 1; `url` is its page where it is known. */
export const Check = Schema.Struct({
  name: Text.between(1, 1000),
  state: QueueCheck.State,
  attempt: Schema.Int,
  url: Schema.optionalKey(Schema.NullOr(Text.Address))
})

/** The latest attempt of a check on a commit. */
export type Check = typeof Check.Type

/**
 * Schema of a judged failure: which test failed in which check, and what that means.
 *
 * **Details**
 *
 * `test` is null where a check failed without a report of tests.
 */
export const Failure = Schema.Struct({
  check: Text.between(1, 1000),
  test: Schema.NullOr(Text.Storable),
  class: FailureClass.FailureClass,
  probability: Schema.NullOr(Schema.Number)
})

/** A judged failure. */
export type Failure = typeof Failure.Type

/**
 * Schema of a group that the hosting platform's own queue has built.
 *
 * **Details**
 *
 * `id` is the commit that is tested, `onto` the commit under the members: the tip of the base branch, or the `id` of the
 * group ahead.
 */
export const Group = Schema.Struct({
  id: Sha,
  tree: Sha,
  onto: Sha,
  members: Schema.Array(Member)
})

/** A group that the hosting platform's own queue has built. */
export type Group = typeof Group.Type
