/**
 * The errors of the use cases: what a caller can correct, with the identifiers to log. Every other failure is a
 * `StoreError`. Callers write the sentences for users.
 */
import { AssignedRole } from "@lazaret/domain"
import { Schema } from "effect"

const ref = { owner: Schema.String, repository: Schema.String }

/**
 * The server has no data of the repository.
 *
 * **To do:** Check the spelling of owner and repository. A repository exists from its first report or setting.
 */
export class RepositoryNotFound extends Schema.TaggedError<RepositoryNotFound>()("RepositoryNotFound", ref) {}

/**
 * No test with this id has run on the default branch of the repository.
 *
 * **To do:** Search for the test by its name. Its id changes with its name.
 */
export class TestNotFound extends Schema.TaggedError<TestNotFound>()("TestNotFound", {
  ...ref,
  testId: Schema.String
}) {}

/**
 * The test has no stored failure with this id.
 *
 * **To do:** List the failures of the test: retention may have deleted this one.
 */
export class FailureNotFound extends Schema.TaggedError<FailureNotFound>()("FailureNotFound", {
  ...ref,
  testId: Schema.String,
  failureId: Schema.String
}) {}

/**
 * No job run of the commit, the run or the pull request is stored.
 *
 * **To do:** Ask again after a report of the job run has arrived, or check the commit, the run or the number.
 */
export class SubjectNotFound extends Schema.TaggedError<SubjectNotFound>()("SubjectNotFound", {
  ...ref,
  subject: Schema.Literals(["commit", "run", "pull request"]),
  name: Schema.String
}) {}

/**
 * No verdict on this execution is kept: it did not fail, or nobody has asked about it.
 *
 * **To do:** Ask for the verdicts on the commit first: that stores the first verdict on each failure.
 */
export class VerdictNotFound extends Schema.TaggedError<VerdictNotFound>()("VerdictNotFound", {
  ...ref,
  testId: Schema.String,
  executionId: Schema.String
}) {}

/**
 * The repository has no active quarantine with this id.
 *
 * **To do:** Nothing, where the quarantine was to end: it has ended. Else list the active quarantines.
 */
export class QuarantineNotFound extends Schema.TaggedError<QuarantineNotFound>()("QuarantineNotFound", {
  ...ref,
  quarantineId: Schema.String
}) {}

/** The merge queue of the repository is not paused. **To do:** Nothing: it is running. */
export class PauseNotFound extends Schema.TaggedError<PauseNotFound>()("PauseNotFound", ref) {}

/**
 * The pull request is not queued.
 *
 * **To do:** List the queue. The pull request may have been merged or removed meanwhile.
 */
export class PullRequestNotQueued extends Schema.TaggedError<PullRequestNotQueued>()("PullRequestNotQueued", {
  ...ref,
  number: Schema.Number
}) {}

/**
 * The repository has no cause with this id.
 *
 * **To do:** List the causes. A cause whose failures are in another one has its id no longer.
 */
export class CauseNotFound extends Schema.TaggedError<CauseNotFound>()("CauseNotFound", {
  ...ref,
  causeId: Schema.String
}) {}

/**
 * No CODEOWNERS was uploaded for the repository.
 *
 * **To do:** Upload a CODEOWNERS, or connect a hosting platform that shows the one of the repository.
 */
export class OwnersFileNotFound extends Schema.TaggedError<OwnersFileNotFound>()("OwnersFileNotFound", ref) {}

/**
 * No live session within reach of the caller has this id.
 *
 * **To do:** Nothing, where the session was to end: it has ended, or is of an owner that the caller does not administer.
 */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {
  sessionId: Schema.String
}) {}

/**
 * No role with this id is within reach of the caller.
 *
 * **To do:** List the roles: the role was removed, or is of an owner that the caller does not administer.
 */
export class RoleNotFound extends Schema.TaggedError<RoleNotFound>()("RoleNotFound", { roleId: Schema.String }) {}

/**
 * No pin with this id is within reach of the caller.
 *
 * **To do:** List the pins: the pin was removed, or is of an owner that the caller does not administer.
 */
export class PinNotFound extends Schema.TaggedError<PinNotFound>()("PinNotFound", { pinId: Schema.String }) {}

/**
 * The caller does not administer the owner of the role, or (null) all owners.
 *
 * **To do:** Ask an admin of the owner, or (null) of all owners, to give the role.
 */
export class RoleOutOfReach extends Schema.TaggedError<RoleOutOfReach>()("RoleOutOfReach", {
  owner: Schema.NullOr(Schema.String)
}) {}

/**
 * No open pull request with this number is known to a merge queue that acts.
 *
 * **To do:** Check the number, and that the pull request is open. A new one is known after the next read of the platform.
 */
export class PullRequestNotOpen extends Schema.TaggedError<PullRequestNotOpen>()("PullRequestNotOpen", {
  ...ref,
  number: Schema.Number
}) {}

/**
 * The merge queue of the base branch is mirrored, or decides in the shadow: it writes nothing.
 *
 * **To do:** Set the mode of the merge queue to `gate` in its configuration, or act on the platform.
 */
export class QueueNotActing extends Schema.TaggedError<QueueNotActing>()("QueueNotActing", {
  ...ref,
  branch: Schema.String
}) {}

/**
 * The configuration of the merge queue has no rule with this name.
 *
 * **To do:** Name a rule of `queue_rules`, or none: then the first one counts.
 */
export class QueueRuleNotFound extends Schema.TaggedError<QueueRuleNotFound>()("QueueRuleNotFound", {
  ...ref,
  rule: Schema.String
}) {}

/**
 * The base branch has no gate.
 *
 * **To do:** Configure a gate for the base branch.
 */
export class QueueNotGated extends Schema.TaggedError<QueueNotGated>()("QueueNotGated", {
  ...ref,
  branch: Schema.String
}) {}

/**
 * No active application key with this id is within reach of the caller.
 *
 * **To do:** Nothing, where the key was to be revoked: it is revoked, or of an owner that the caller does not administer.
 */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { keyId: Schema.String }) {}

/**
 * A delivery was carried out before, or comes from a repository where the app is not installed.
 *
 * **To do:** Nothing for `replayed`. For `not_installed` install the app in the repository.
 */
export class DeliveryRefused extends Schema.TaggedError<DeliveryRefused>()("DeliveryRefused", {
  ...ref,
  reason: Schema.Literals(["replayed", "not_installed"])
}) {}

/**
 * The repository has no webhook with this id.
 *
 * **To do:** List the webhooks of the repository.
 */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", {
  ...ref,
  webhookId: Schema.String
}) {}

/**
 * The webhook has no dead letter of this event.
 *
 * **To do:** List the dead letters of the webhook: the event may have been delivered meanwhile.
 */
export class DeadLetterNotFound extends Schema.TaggedError<DeadLetterNotFound>()("DeadLetterNotFound", {
  ...ref,
  webhookId: Schema.String,
  eventId: Schema.String
}) {}

/**
 * Flaky detection is off for the repository, or nothing is stored for it.
 *
 * **To do:** Switch flaky detection on in the settings of the repository, or upload a first report.
 */
export class FlakyDetectionOff extends Schema.TaggedError<FlakyDetectionOff>()("FlakyDetectionOff", ref) {}

/**
 * The subject of a badge is unknown or shows no badges. The error is the same for both, so that it reveals nothing.
 *
 * **To do:** Switch badges on in the settings of the repository, or check the address of the badge.
 */
export class BadgeNotFound extends Schema.TaggedError<BadgeNotFound>()("BadgeNotFound", {}) {}

/**
 * The key is bound to another owner than the one that it should create a key for.
 *
 * **To do:** Create the key with an admin key of that owner, or of all owners.
 */
export class KeyOutOfReach extends Schema.TaggedError<KeyOutOfReach>()("KeyOutOfReach", {
  keyOwner: Schema.NullOr(Schema.String),
  owner: Schema.NullOr(Schema.String)
}) {}

/**
 * The idempotency key was used for another report.
 *
 * **To do:** Send the report with a key of its own. The first report of the key is stored.
 */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  ...ref,
  idempotencyKey: Schema.String
}) {}

/**
 * The test is quarantined already on this branch; null stands for every branch.
 *
 * **To do:** Change the quarantine that exists, or end it first.
 */
export class QuarantineExists extends Schema.TaggedError<QuarantineExists>()("QuarantineExists", {
  ...ref,
  testName: Schema.String,
  branch: Schema.NullOr(Schema.String)
}) {}

/**
 * An alias of a test cannot hold; `reason` says why, and what to do.
 *
 * **To do:** Show `reason`.
 */
export class AliasRefused extends Schema.TaggedError<AliasRefused>()("AliasRefused", {
  ...ref,
  reason: Schema.String
}) {}

/**
 * No alias with this id holds.
 *
 * **To do:** Nothing, where the alias was to be revoked: it is revoked.
 */
export class AliasNotFound extends Schema.TaggedError<AliasNotFound>()("AliasNotFound", {
  ...ref,
  aliasId: Schema.String
}) {}

/**
 * The plan of the shards of a run has another list, another number of shards or other pieces than this shard.
 *
 * **To do:** Start all shards of the run with the same list, number of shards and pieces; or run every test in each shard.
 */
export class ShardPlanDiffers extends Schema.TaggedError<ShardPlanDiffers>()("ShardPlanDiffers", {
  ...ref,
  runId: Schema.String,
  jobName: Schema.String,
  of: Schema.Literals(["total", "piece", "list"]),
  planned: Schema.String,
  asked: Schema.String
}) {}

/**
 * The key is the last admin key for all owners.
 *
 * **To do:** Create another admin key for all owners first.
 */
export class LastAdminKey extends Schema.TaggedError<LastAdminKey>()("LastAdminKey", { keyId: Schema.String }) {}

/**
 * The receiver of a webhook did not accept an event; `reason` is that of the sender.
 *
 * **To do:** Mend the receiver, then deliver the event again: it stays a dead letter.
 */
export class RedeliveryFailed extends Schema.TaggedError<RedeliveryFailed>()("RedeliveryFailed", {
  ...ref,
  webhookId: Schema.String,
  eventId: Schema.String,
  reason: Schema.String
}) {}

/** The repository of a notifier; null for a wide notifier, which has several. */
const someRef = { owner: Schema.NullOr(Schema.String), repository: Schema.NullOr(Schema.String) }

/**
 * There is no notifier with this id.
 *
 * **To do:** List the notifiers: the notifier was removed, or is of an owner that the caller does not administer.
 */
export class NotifierNotFound extends Schema.TaggedError<NotifierNotFound>()("NotifierNotFound", {
  ...someRef,
  notifierId: Schema.String
}) {}

/**
 * The caller does not administer an owner that the patterns of a wide notifier name, or (null) all owners.
 *
 * **To do:** Ask an admin of the owner, or (null) of all owners, or name patterns of your own owners alone.
 */
export class NotifierOutOfReach extends Schema.TaggedError<NotifierOutOfReach>()("NotifierOutOfReach", {
  owner: Schema.NullOr(Schema.String)
}) {}

/**
 * The channel of a notifier did not accept a test message; `reason` is that of the sender.
 *
 * **To do:** Correct the address or the secret of the channel, and test the notifier again.
 */
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

/**
 * The request is understood and invalid; it lists every fault.
 *
 * **To do:** Correct every fault of `faults`. The same request fails again.
 */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", { faults: Schema.Array(Fault) }) {}

/**
 * The token of a CI system is refused; `reason` is a sentence for the caller, without the token.
 *
 * **To do:** Show `reason`. Get a new token, with the audience that the server expects.
 */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { reason: Schema.String }) {}

/**
 * The issuer of a token does not respond, or not with its keys.
 *
 * **To do:** Try again later. Nothing was stored.
 */
export class IssuerUnavailable extends Schema.TaggedError<IssuerUnavailable>()("IssuerUnavailable", {
  issuer: Schema.String,
  cause: Schema.Defect()
}) {}

/**
 * The server reads no runs of a CI system: no platform that shows them is configured.
 *
 * **To do:** Configure a hosting platform, or upload the reports from the jobs.
 */
export class NoWorkflowRuns extends Schema.TaggedError<NoWorkflowRuns>()("NoWorkflowRuns", ref) {}
