/**
 * Events of the engine: the log from which its state is folded.
 *
 * **Details**
 *
 * The log belongs to one base branch of one repository and is ordered by the sequence number that its single writer
 * gives: what was known when. Four kinds of events share it: intents of people, observations (snapshots), results of
 * commands, and decisions. Decisions are in the log, so that a later version of the rules never reinterprets the past.
 * All modes (mirror, gate, drive) write the same log.
 */
import { Schema } from "effect"
import { Instant } from "@lazaret/domain"
import { PullRequestNumber } from "../PullRequestNumber.ts"
import * as QueuePriority from "../QueuePriority.ts"
import { Text } from "@lazaret/domain"
import { CheckMatch } from "./CheckMatch.ts"
import * as DequeueReason from "./DequeueReason.ts"
import * as EngineCommand from "./EngineCommand.ts"
import * as FailureClass from "./FailureClass.ts"
import * as Fate from "./Fate.ts"
import { BranchRule } from "./Preflight.ts"
import { Check, Failure, Group, Member, Pull, Sha, Tip, Version } from "./Observation.ts"

const Name = Text.between(1, 255)
const Numbers = Schema.Array(PullRequestNumber)
const judged = {
  class: FailureClass.FailureClass,
  probability: Schema.NullOr(Schema.Number),
  checks: Schema.Array(Schema.String),
  failures: Schema.Array(Failure)
}

/**
 * Schema of what people ask for. `by` names the person; `config_read` is the configuration in force; `trial_waived` lets a gate act
 * before its trial is over, or (`mode`) a queue be driven at a platform that is not certified.
 */
export const Intent = Schema.Union([
  Schema.Struct({
    kind: Schema.tag("queue_asked"),
    number: PullRequestNumber,
    head: Sha,
    rule: Name,
    priority: QueuePriority.QueuePriority,
    by: Name
  }),
  Schema.Struct({ kind: Schema.tag("dequeue_asked"), number: PullRequestNumber, by: Name }),
  Schema.Struct({
    kind: Schema.tag("priority_asked"),
    number: PullRequestNumber,
    priority: QueuePriority.QueuePriority,
    by: Name
  }),
  Schema.Struct({ kind: Schema.tag("retry_asked"), number: PullRequestNumber, by: Name }),
  Schema.Struct({ kind: Schema.tag("pause_set"), reason: Schema.String, by: Name }),
  Schema.Struct({ kind: Schema.tag("pause_cleared"), by: Name }),
  Schema.Struct({
    kind: Schema.tag("trial_waived"),
    reason: Schema.String,
    by: Name,
    mode: Schema.optionalKey(Schema.Literal("drive"))
  }),
  Schema.Struct({
    kind: Schema.tag("config_read"),
    digest: Name,
    mode: Schema.Literals(["off", "mirror", "gate", "drive"]),
    shadow: Schema.Boolean
  })
])

/**
 * Schema of what was read at the hosting platform or uploaded.
 *
 * **Details**
 *
 * - `checks_seen`: `running` says whether a workflow run of the commit is queued or works; absent where nobody asked.
 * - `base_seen`: `rewritten` says that the tip seen before is not an ancestor of this one.
 * - `reports_seen`: the judged failures of one attempt on a commit; a later one replaces the former.
 * - `branch_seen`: where a queue branch points; null: it does not exist.
 * - `group_seen`, `group_gone`, `group_landed`: a group of the platform's own queue; `landed` names the commit on the
 *   base branch that holds it.
 * - `evicted`: the platform's queue took a pull request out: why, when by the platform's clock, and who asked for it.
 *   The reason may be `unknown` at first, and be seen later.
 *   `conflict_seen`: the platform calls an entry unmergeable; whether its pull request conflicts, at the head of the entry.
 *   `bypassed`: a pull request was merged although its group had not passed the gate.
 * - `queue_seen`: the platform's own queue in its order. `rules_seen`: the rules of the repository for the branch.
 *   `jobs_seen`: the jobs that reported tests of a commit, by the required checks whose jobs they are.
 */
export const Observation = Schema.Union([
  Schema.Struct({ kind: Schema.tag("pull_seen"), pull: Pull }),
  Schema.Struct({ kind: Schema.tag("base_seen"), tip: Tip, rewritten: Schema.Boolean }),
  Schema.Struct({
    kind: Schema.tag("checks_seen"),
    sha: Sha,
    version: Version,
    checks: Schema.Array(Check),
    running: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({
    kind: Schema.tag("reports_seen"),
    sha: Sha,
    attempt: Schema.Int,
    failures: Schema.Array(Failure)
  }),
  Schema.Struct({ kind: Schema.tag("branch_seen"), branch: Name, sha: Schema.NullOr(Sha), version: Version }),
  Schema.Struct({ kind: Schema.tag("group_seen"), group: Group }),
  Schema.Struct({
    kind: Schema.tag("group_gone"),
    id: Sha,
    cause: Schema.Literals(["merged", "invalidated", "dequeued"])
  }),
  Schema.Struct({ kind: Schema.tag("group_landed"), id: Sha, sha: Sha, tree: Sha }),
  Schema.Struct({
    kind: Schema.tag("evicted"),
    member: Member,
    cause: Schema.Literals(["checks_failed", "checks_timeout", "conflict", "closed", "by_hand", "other", "unknown"]),
    at: Schema.optionalKey(Instant.Instant),
    by: Schema.optionalKey(Name)
  }),
  Schema.Struct({ kind: Schema.tag("bypassed"), member: Member, sha: Schema.NullOr(Sha) }),
  Schema.Struct({ kind: Schema.tag("queue_seen"), members: Schema.Array(Member) }),
  Schema.Struct({ kind: Schema.tag("rules_seen"), rules: Schema.Array(BranchRule) }),
  Schema.Struct({ kind: Schema.tag("conflict_seen"), member: Member, isConflict: Schema.Boolean }),
  Schema.Struct({ kind: Schema.tag("jobs_seen"), sha: Sha, matches: Schema.Array(CheckMatch) })
])

/**
 * Schema of the outcome of a command.
 *
 * **Details**
 *
 * `unknown`: it may or may not have taken effect; it is tried again. `members` of a refused build are the pull requests that the platform lets
 * nobody merge, and they are held; without `members` the whole build is tried again.
 */
export const Outcome = Schema.Union([
  Schema.Struct({ kind: Schema.tag("done"), command: Text.between(1, 500), answer: EngineCommand.Answer }),
  Schema.Struct({
    kind: Schema.tag("refused"),
    command: Text.between(1, 500),
    refusal: EngineCommand.RefusalReason,
    detail: Schema.String,
    base: Schema.NullOr(Tip),
    members: Schema.optionalKey(Schema.Array(PullRequestNumber))
  }),
  Schema.Struct({ kind: Schema.tag("unknown"), command: Text.between(1, 500) })
])

/**
 * Why the round of a batch counts no more.
 *
 * **Details**
 *
 * `base_renamed`: the base branch has another commit with the same tree, so the commits are made again and the round is
 * reused. `edited`: somebody changed the queue branch. `incident`: it failed during an incident. `configuration`: other checks are
 * required now than those that passed.
 */
export const VoidReason = Schema.Literals([
  "base_moved",
  "ahead_changed",
  "base_renamed",
  "edited",
  "incident",
  "configuration"
])

/**
 * Schema of what the engine decided.
 *
 * **Details**
 *
 * `batches_joined`: a batch that passed, and those under it, are landed as one. `batch_dissolved`: its members wait again, for a higher
 * priority. `round_begun`: the head of a pull request is tested in place. `batch_foreseen`: what a queue in the shadow would have done with these
 * members. `group_concluded`: `returns` says that its members did nothing wrong and are put back into the queue. `group_reopened`: a
 * group that had passed is held again, because the platform had not merged it when a pause began. `group_healed`: the platform
 * started none of the required `checks` of a group, and the gate takes its members out of the queue and puts them in again.
 * `fate`: why a pull request left the queue, or how it was kept. `entry_removed`: a pull request that conflicts is taken out, because the platform keeps it although it cannot merge it.
 */
export const Decision = Schema.Union([
  Schema.Struct({ kind: Schema.tag("issued"), command: EngineCommand.EngineCommand }),
  Schema.Struct({ kind: Schema.tag("batch_formed"), members: Schema.Array(Member), rule: Name, overtaken: Numbers }),
  Schema.Struct({ kind: Schema.tag("round_begun"), batch: Name, sha: Sha }),
  Schema.Struct({ kind: Schema.tag("round_reused"), batch: Name, sha: Sha }),
  Schema.Struct({ kind: Schema.tag("round_passed"), batch: Name, required: Schema.String }),
  Schema.Struct({ kind: Schema.tag("round_reopened"), batch: Name }),
  Schema.Struct({
    kind: Schema.tag("round_failed"),
    batch: Name,
    outcome: Schema.Literals(["red", "timeout", "missing"]),
    ...judged
  }),
  Schema.Struct({ kind: Schema.tag("round_inferred"), batch: Name }),
  Schema.Struct({ kind: Schema.tag("round_rerun"), batch: Name, isFree: Schema.Boolean, ...judged }),
  Schema.Struct({ kind: Schema.tag("round_voided"), batch: Name, reason: VoidReason }),
  Schema.Struct({
    kind: Schema.tag("batch_foreseen"),
    batch: Name,
    outcome: Schema.Literals(["landed", "left", "rerun"]),
    members: Schema.Array(Member),
    ...judged
  }),
  Schema.Struct({ kind: Schema.tag("batch_split"), batch: Name }),
  Schema.Struct({ kind: Schema.tag("parts_joined"), root: Name }),
  Schema.Struct({ kind: Schema.tag("batches_joined"), batch: Name }),
  Schema.Struct({ kind: Schema.tag("batch_dissolved"), batch: Name }),
  Schema.Struct({
    kind: Schema.tag("dequeued"),
    number: PullRequestNumber,
    head: Sha,
    reason: DequeueReason.DequeueReason
  }),
  Schema.Struct({ kind: Schema.tag("merged_elsewhere"), number: PullRequestNumber, head: Sha }),
  Schema.Struct({ kind: Schema.tag("conflict_held"), batch: Name, number: PullRequestNumber, ahead: Numbers }),
  Schema.Struct({ kind: Schema.tag("conflict_freed"), number: PullRequestNumber }),
  Schema.Struct({ kind: Schema.tag("incident_began"), signature: Schema.String, batches: Schema.Array(Name) }),
  Schema.Struct({ kind: Schema.tag("incident_probed"), batch: Name }),
  Schema.Struct({ kind: Schema.tag("incident_ended"), cause: Schema.Literals(["passed", "expired", "configuration"]) }),
  Schema.Struct({
    kind: Schema.tag("tree_audited"),
    group: Sha,
    members: Schema.Array(Member),
    tested: Schema.NullOr(Sha),
    landed: Sha,
    outcome: Schema.Literals(["equal", "mismatch", "untested"])
  }),
  Schema.Struct({
    kind: Schema.tag("group_concluded"),
    group: Sha,
    conclusion: Schema.Literals(["success", "failure"]),
    reason: Schema.NullOr(DequeueReason.DequeueReason),
    returns: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.Struct({ kind: Schema.tag("group_reopened"), group: Sha }),
  Schema.Struct({ kind: Schema.tag("entry_removed"), member: Member }),
  Schema.Struct({ kind: Schema.tag("fate"), ...Fate.Fate.fields }),
  Schema.Struct({ kind: Schema.tag("group_healed"), group: Sha, checks: Schema.Array(Schema.String) })
])

/** A decision of the engine. */
export type Decision = typeof Decision.Type

/** Schema of an event of the engine. */
export const EngineEvent = Schema.Union([
  ...Intent.members,
  ...Observation.members,
  ...Outcome.members,
  ...Decision.members
])

/** An event of the engine: an intent, an observation, the outcome of a command, or a decision. */
export type EngineEvent = typeof EngineEvent.Type

/** The event of one kind. */
export type Of<Kind extends EngineEvent["kind"]> = Extract<EngineEvent, { readonly kind: Kind }>

/** Schema of an event in the log: its place and when the writer appended it. */
export const Logged = Schema.Struct({ seq: Schema.Int, at: Instant.Instant, event: EngineEvent })

/** An event in the log: its place, counted from 1, and when the writer appended it. */
export type Logged = typeof Logged.Type
