/**
 * The errors of the use cases: what a caller can correct, with the identifiers to log. Every other failure is a
 * `StoreError`. Callers write the sentences for users.
 */
import { AssignedRole } from "@lazaret/domain"
import { Schema } from "effect"

const ref = { owner: Schema.String, repository: Schema.String }

/** The server has no data of the repository. */
export class RepositoryNotFound extends Schema.TaggedError<RepositoryNotFound>()("RepositoryNotFound", ref) {}

/** No test with this id has run on the default branch of the repository. */
export class TestNotFound extends Schema.TaggedError<TestNotFound>()("TestNotFound", {
  ...ref,
  testId: Schema.String
}) {}

/** The test has no stored failure with this id. */
export class FailureNotFound extends Schema.TaggedError<FailureNotFound>()("FailureNotFound", {
  ...ref,
  testId: Schema.String,
  failureId: Schema.String
}) {}

/** No job run of the commit, the run or the pull request is stored. */
export class SubjectNotFound extends Schema.TaggedError<SubjectNotFound>()("SubjectNotFound", {
  ...ref,
  subject: Schema.Literals(["commit", "run", "pull request"]),
  name: Schema.String
}) {}

/** No verdict on this execution is kept: it did not fail, or nobody has asked about it. */
export class VerdictNotFound extends Schema.TaggedError<VerdictNotFound>()("VerdictNotFound", {
  ...ref,
  testId: Schema.String,
  executionId: Schema.String
}) {}

/** The repository has no active quarantine with this id. */
export class QuarantineNotFound extends Schema.TaggedError<QuarantineNotFound>()("QuarantineNotFound", {
  ...ref,
  quarantineId: Schema.String
}) {}

/** The merge queue of the repository is not paused. */
export class PauseNotFound extends Schema.TaggedError<PauseNotFound>()("PauseNotFound", ref) {}

/** The pull request is not queued. */
export class PullRequestNotQueued extends Schema.TaggedError<PullRequestNotQueued>()("PullRequestNotQueued", {
  ...ref,
  number: Schema.Number
}) {}

/** The repository has no cause with this id. */
export class CauseNotFound extends Schema.TaggedError<CauseNotFound>()("CauseNotFound", {
  ...ref,
  causeId: Schema.String
}) {}

/** No CODEOWNERS was uploaded for the repository. */
export class OwnersFileNotFound extends Schema.TaggedError<OwnersFileNotFound>()("OwnersFileNotFound", ref) {}

/** No live session within reach of the caller has this id. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String
}) {}

/** No role with this id is within reach of the caller. */
export class RoleNotFound extends Schema.TaggedError<RoleNotFound>()("RoleNotFound", { roleId: Schema.String }) {}

/** No pin with this id is within reach of the caller. */
export class PinNotFound extends Schema.TaggedError<PinNotFound>()("PinNotFound", { pinId: Schema.String }) {}

/** The caller does not administer the owner of the role, or (null) all owners. */
export class RoleOutOfReach extends Schema.TaggedError<RoleOutOfReach>()("RoleOutOfReach", {
  owner: Schema.NullOr(Schema.String)
}) {}

/** No open pull request with this number is known to a merge queue that acts. */
export class PullRequestNotOpen extends Schema.TaggedError<PullRequestNotOpen>()("PullRequestNotOpen", {
  ...ref,
  number: Schema.Number
}) {}

/** The merge queue of the base branch is mirrored, or decides in the shadow: it writes nothing. */
export class QueueNotActing extends Schema.TaggedError<QueueNotActing>()("QueueNotActing", {
  ...ref,
  branch: Schema.String
}) {}

/** The base branch has no gate. */
export class QueueNotGated extends Schema.TaggedError<QueueNotGated>()("QueueNotGated", {
  ...ref,
  branch: Schema.String
}) {}

/** No active application key with this id is within reach of the caller. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { keyId: Schema.String }) {}

/** A delivery was carried out before, or comes from a repository where the app is not installed. */
export class DeliveryRefused extends Schema.TaggedError<DeliveryRefused>()("DeliveryRefused", {
  ...ref,
  reason: Schema.Literals(["replayed", "not_installed"])
}) {}

/** The repository has no webhook with this id. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {
  ...ref,
  webhookId: Schema.String
}) {}

/** The webhook has no dead letter of this event. */
export class DeadLetterNotFound extends Schema.TaggedError<DeadLetterNotFound>()("DeadLetterNotFound", {
  ...ref,
  webhookId: Schema.String,
  eventId: Schema.String
}) {}

/** Flaky detection is off for the repository, or nothing is stored for it. */
export class FlakyDetectionOff extends Schema.TaggedError<FlakyDetectionOff>()("FlakyDetectionOff", ref) {}

/** The subject of a badge is unknown or shows no badges. The error is the same for both, so that it reveals nothing. */
export class BadgeNotFound extends Schema.TaggedError<BadgeNotFound>()("BadgeNotFound", {}) {}

/** The key is bound to another owner than the one that it should create a key for. */
export class KeyOutOfReach extends Schema.TaggedError<KeyOutOfReach>()("KeyOutOfReach", {
  keyOwner: Schema.NullOr(Schema.String),
  owner: Schema.NullOr(Schema.String)
}) {}

/** The idempotency key was used for another report. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  ...ref,
  idempotencyKey: Schema.String
}) {}

/** The test is quarantined already on this branch; null stands for every branch. */
export class QuarantineExists extends Schema.TaggedError<QuarantineExists>()("QuarantineExists", {
  ...ref,
  testName: Schema.String,
  branch: Schema.NullOr(Schema.String)
}) {}

/** An alias of a test cannot hold; `reason` says why, and what to do. */
export class AliasRefused extends Schema.TaggedError<AliasRefused>()("AliasRefused", {
  ...ref,
  reason: Schema.String
}) {}

/** No alias with this id holds. */
export class AliasNotFound extends Schema.TaggedError<AliasNotFound>()("AliasNotFound", {
  ...ref,
  aliasId: Schema.String
}) {}

/** The plan of the shards of a run has another list, another number of shards or other pieces than this shard. */
export class ShardPlanDiffers extends Schema.TaggedError<ShardPlanDiffers>()("ShardPlanDiffers", {
  ...ref,
  runId: Schema.String,
  jobName: Schema.String,
  of: Schema.Literals(["total", "piece", "list"]),
  planned: Schema.String,
  asked: Schema.String
}) {}

/** The key is the last admin key for all owners. */
export class LastAdminKey extends Schema.TaggedError<LastAdminKey>()("LastAdminKey", { keyId: Schema.String }) {}

/** The receiver of a webhook did not accept an event; `reason` is that of the sender. */
export class RedeliveryFailed extends Schema.TaggedError<RedeliveryFailed>()("RedeliveryFailed", {
  ...ref,
  webhookId: Schema.String,
  eventId: Schema.String,
  reason: Schema.String
}) {}

/** The repository of a notifier; null for a wide notifier, which has several. */
const someRef = { owner: Schema.NullOr(Schema.String), repository: Schema.NullOr(Schema.String) }

/** There is no notifier with this id. */
export class NotifierNotFound extends Schema.TaggedError<NotifierNotFound>()("NotifierNotFound", {
  ...someRef,
  notifierId: Schema.String
}) {}

/** The caller does not administer an owner that the patterns of a wide notifier name, or (null) all owners. */
export class NotifierOutOfReach extends Schema.TaggedError<NotifierOutOfReach>()("NotifierOutOfReach", {
  owner: Schema.NullOr(Schema.String)
}) {}

/** The channel of a notifier did not accept a test message; `reason` is that of the sender. */
export class NotificationFailed extends Schema.TaggedError<NotificationFailed>()("NotificationFailed", {
  ...someRef,
  notifierId: Schema.String,
  reason: Schema.String
}) {}

/**
 * One fault of an understood request.
 *
 * **Details**
 *
 * - `ForeignCursor`: the cursor belongs to another list.
 * - `InvalidWindow`: `bound` is the bound to correct, `message` how.
 * - `InvalidConfiguration`: a place in the configuration file of the merge queue.
 * - `EventAhead`: the event at `index` of the batch is more than `QueueEvent.mostAhead` ahead of the clock.
 * - `ReasonRequired`: the repository wants a reason for every quarantine.
 * - `EndInThePast`: the new end of a quarantine has passed.
 * - `PolicyContradiction`: `field` is above `most`, the value of the field `above`.
 * - `ProviderRequired`: a role names no provider, and the server offers none or several.
 * - `TooManyNewTests`: the report of a fork would add more tests than `most` in one day.
 * - `Unconfirmed`: a removal does not name `expected`, the thing that it would remove.
 */
export const Fault = Schema.Union([
  Schema.TaggedStruct("ForeignCursor", {}),
  Schema.TaggedStruct("InvalidWindow", { bound: Schema.Literals(["start", "end"]), message: Schema.String }),
  Schema.TaggedStruct("InvalidConfiguration", { path: Schema.String, line: Schema.Number, message: Schema.String }),
  Schema.TaggedStruct("EventAhead", { index: Schema.Number }),
  Schema.TaggedStruct("ReasonRequired", {}),
  Schema.TaggedStruct("EndInThePast", {}),
  Schema.TaggedStruct("PolicyContradiction", {
    policy: Schema.String,
    field: Schema.String,
    above: Schema.String,
    most: Schema.Number
  }),
  Schema.TaggedStruct("ProviderRequired", { offered: Schema.Array(AssignedRole.Provider) }),
  Schema.TaggedStruct("TooManyNewTests", { most: Schema.Number }),
  Schema.TaggedStruct("Unconfirmed", { expected: Schema.String })
])

/** One fault of an understood request. */
export type Fault = typeof Fault.Type

/** The request is understood and invalid; it lists every fault. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", { faults: Schema.Array(Fault) }) {}

/** The token of a CI system is refused; `reason` is a sentence for the caller, without the token. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { reason: Schema.String }) {}

/** The issuer of a token does not respond, or not with its keys. */
export class IssuerUnavailable extends Schema.TaggedError<IssuerUnavailable>()("IssuerUnavailable", {
  issuer: Schema.String,
  cause: Schema.Defect()
}) {}

/** The server reads no runs of a CI system: no platform that shows them is configured. */
export class NoWorkflowRuns extends Schema.TaggedError<NoWorkflowRuns>()("NoWorkflowRuns", ref) {}
