/** The problem documents of the services' errors: status and sentence of each are decided here and nowhere below. */
import { Problem } from "@lazaret/api"
import type * as Services from "@lazaret/services"
import type { Fault, Invalid, StoreError } from "@lazaret/services"
import { Effect, String } from "effect"

/** The errors of the services by their tags. */
type Errors = {
  readonly [Tag in keyof typeof Services]: (typeof Services)[Tag] extends abstract new (...parts: never) => infer E
    ? Extract<E, { readonly _tag: Tag }>
    : never
}

const shardDifference = {
  total: (planned: string, asked: string) => `are ${planned}, and this one says that there are ${asked}.`,
  piece: (planned: string, asked: string) => `are split by ${planned}, and this one by ${asked}.`,
  list: (planned: string, asked: string) =>
    planned === asked
      ? `have a list of ${planned} names, and this one has other names.`
      : `have a list of ${planned} names, and this one has ${asked}.`
} as const

const notFound = (detail: string) => new Problem.NotFound({ detail })

const conflict = (detail: string) => new Problem.Conflict({ detail })

const problems = {
  DeliveryRefused: ({ owner, reason, repository }: Errors["DeliveryRefused"]) =>
    reason === "replayed"
      ? conflict("This delivery was received before, and counts only once.")
      : new Problem.Forbidden({ detail: `The GitHub App of this server is not installed for ${owner}/${repository}.` }),
  RepositoryNotFound: ({ owner, repository }: Errors["RepositoryNotFound"]) =>
    notFound(
      `The server has no data of the repository ${owner}/${repository}. Check the name, upload a test report for it, or send ` +
        "events of its merge queue."
    ),
  TestNotFound: () =>
    notFound(
      "No test with this test_id has run on the default branch of this repository. Search for tests to find its test_id."
    ),
  FailureNotFound: () =>
    notFound(
      "This test has no stored failure with this failure_id. List the failures of the test to find the stored ones."
    ),
  SubjectNotFound: ({ name, subject }: Errors["SubjectNotFound"]) =>
    notFound(
      `The server has no results of the ${subject} ${name}. ` +
        (subject === "pull request"
          ? "The number comes from uploads: `lazaret ingest` sends the pull request from GitHub Actions."
          : "Upload its test reports first, and use the same name.")
    ),
  VerdictNotFound: () =>
    notFound(
      "No verdict on this execution is kept: ask for the failures of its commit, run or pull request first, and take the " +
        "execution_id of a failure that did not pass on a rerun before."
    ),
  QuarantineNotFound: () =>
    notFound(
      "This repository has no active quarantine with this id. List the quarantines of the repository to find the active ones."
    ),
  CauseNotFound: () => notFound("This repository has no cause with this id. List its causes with `lazaret causes`."),
  OwnersFileNotFound: () =>
    notFound("No CODEOWNERS was uploaded for this repository. Upload one with `lazaret owners upload`."),
  PauseNotFound: () => notFound("The merge queue of this repository is not paused."),
  PullRequestNotOpen: ({ number }: Errors["PullRequestNotOpen"]) =>
    notFound(
      `No merge queue of this repository knows an open pull request ${number}. A new one appears within a minute.`
    ),
  QueueNotActing: ({ branch }: Errors["QueueNotActing"]) =>
    conflict(
      `The merge queue of ${branch} has no active gate: it is mirrored, or the gate is in the shadow. Queue and dequeue at the hosting ` +
        "platform; GET …/merge-queue/preflight says what keeps a gate in the shadow."
    ),
  QueueNotGated: ({ branch }: Errors["QueueNotGated"]) =>
    conflict(
      `${branch === "" ? "The default branch" : branch} has no gate and is not driven: set \`merge_queue.mode\` to gate or drive in ` +
        ".lazaret/queue.yml."
    ),
  QueueRuleNotFound: ({ rule }: Errors["QueueRuleNotFound"]) =>
    notFound(`The merge queue has no rule ${rule}: name one of \`queue_rules\` in .lazaret/queue.yml, or none.`),
  PullRequestNotQueued: ({ number }: Errors["PullRequestNotQueued"]) =>
    notFound(`Pull request ${number} is not in a merge queue of this repository.`),
  SessionNotFound: () => notFound("There is no session with this id. List the sessions to find those that are open."),
  PinNotFound: () => notFound("There is no pin with this id. List the pins to find it."),
  RoleNotFound: () => notFound("There is no role with this id. List the roles to find those that people have."),
  RoleOutOfReach: ({ owner }: Errors["RoleOutOfReach"]) =>
    new Problem.Forbidden({
      detail:
        `You do not administer ${owner === null ? "all owners" : `the owner ${owner}`}: give roles for an owner that you ` +
        "administer, or ask an admin of all owners."
    }),
  ShardPlanDiffers: ({ asked, jobName, of, planned, runId }: Errors["ShardPlanDiffers"]) =>
    conflict(
      `The shards of the job ${jobName} in the run ${runId} ${shardDifference[of](planned, asked)} Give every shard of a run the same ` +
        "list and the same number of shards; a second split in one run needs a job name of its own."
    ),
  KeyNotFound: () => notFound("There is no active key with this id. List the keys to find the active ones."),
  WebhookNotFound: () =>
    notFound("There is no webhook with this id. List the webhooks of the repository to find its id."),
  NotifierNotFound: () => notFound("There is no notifier with this id. List the notifiers to find its id."),
  NotifierOutOfReach: ({ owner }: Errors["NotifierOutOfReach"]) =>
    new Problem.Forbidden({
      detail:
        `You do not administer ${owner === null ? "all owners" : `the owner ${owner}`}: name repositories of owners that you ` +
        "administer, or ask an admin of all owners."
    }),
  NotificationFailed: ({ reason }: Errors["NotificationFailed"]) =>
    conflict(
      `The test message was not accepted: ${reason}. Correct the notifier or the settings of the server, and try again.`
    ),
  DeadLetterNotFound: () =>
    notFound("This webhook has no dead letter of this event. List its dead letters to find the stored ones."),
  FlakyDetectionOff: () =>
    notFound("Flaky detection is off for this repository, or nothing has been uploaded for it yet."),
  BadgeNotFound: () =>
    notFound("There is no such badge: its repository or test is unknown, or the repository does not show badges."),
  KeyOutOfReach: ({ keyOwner }: Errors["KeyOutOfReach"]) =>
    new Problem.Forbidden({
      detail: `This key is bound to the owner ${keyOwner} and creates keys for that owner only: name it as the owner.`
    }),
  NoWorkflowRuns: () =>
    conflict(
      "This server reads no CI runs. Connect it to GitHub (LAZARET_GITHUB_APP_ID or LAZARET_GITHUB_TOKEN) or to GitLab (LAZARET_GITLAB_TOKEN)."
    ),
  ForgeError: ({ message, reason }: Errors["ForgeError"]) =>
    reason === "unavailable" || reason === "rate_limited"
      ? new Problem.Unavailable({ detail: `The hosting platform does not answer (${message}). Try again later.` })
      : new Problem.Conflict({
          detail: `The hosting platform refuses (${message}). Check that the app is installed for the repository and may read actions.`
        }),
  AppNotRegistered: ({ message }: Errors["AppNotRegistered"]) => conflict(message),
  TokenRefused: ({ reason }: Errors["TokenRefused"]) =>
    new Problem.Forbidden({ detail: `The token of the CI system is refused. ${reason}` }),
  IssuerUnavailable: ({ issuer }: Errors["IssuerUnavailable"]) =>
    new Problem.Unavailable({
      detail: `The issuer ${issuer} of the token does not respond with its keys. Send the same request again later.`
    }),
  IdempotencyConflict: () =>
    conflict(
      "This idempotency key was used for another report. Use a new key for new content, or repeat the first upload unchanged."
    ),
  AliasRefused: ({ reason }: Errors["AliasRefused"]) => conflict(reason),
  AliasNotFound: () =>
    notFound("No alias with this alias_id holds in this repository. List the aliases to find those that hold."),
  QuarantineExists: ({ branch }: Errors["QuarantineExists"]) =>
    conflict(
      `The test is already quarantined ${branch === null ? "for every branch" : "on this branch"}. Remove the active ` +
        "quarantine first to give another reason."
    ),
  LastAdminKey: () =>
    conflict("This is the last admin key for all owners. Create another one first, and revoke this one with it."),
  RedeliveryFailed: ({ reason }: Errors["RedeliveryFailed"]) =>
    conflict(`The receiver did not accept the event: ${reason}`)
}

/** The errors that are one problem document each. */
type Simple = Errors[keyof typeof problems]

/** The errors of the services. */
export type ServiceError = Simple | Invalid | StoreError

/** The problem document of an error. A failed store is a defect. */
type ProblemOf<E extends ServiceError> =
  | ReturnType<(typeof problems)[Extract<E["_tag"], keyof typeof problems>]>
  | (E extends Invalid ? Problem.Unprocessable : never)
  | (E extends StoreError ? Problem.Unavailable | Problem.Unprocessable : never)

/** The query parameters that hold the bounds of a window. */
interface Bounds {
  readonly start: string
  readonly end: string
}

/** Turns the errors of a use case into problem documents; `bounds` names the parameters of its window. */
export const toProblemWith =
  (bounds: Bounds) =>
  <A, E extends ServiceError, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, ProblemOf<E>, R> =>
    effect.pipe(
      // The result has the problem of the tag that the switch tests, which is one of `E`.
      Effect.catch((error: E) => problemOf(error, bounds) as Effect.Effect<never, ProblemOf<E>>)
    )

/** Turns the errors of a use case into problem documents. */
export const toProblem = toProblemWith({ start: "start", end: "end" })

const problemOf = (error: ServiceError, bounds: Bounds): Effect.Effect<never, ProblemOf<ServiceError>> => {
  if (error._tag === "StoreError") return storeProblem(error)
  if (error._tag === "Invalid") return Effect.fail(Problem.unprocessable(error.faults.map(faultOf(bounds))))
  // The record has the function of each tag, which takes the error of that tag.
  const make = problems[error._tag] as (error: Simple) => ProblemOf<Simple>
  return Effect.fail(make(error))
}

const faultOf =
  (bounds: Bounds) =>
  (fault: Fault): Problem.Fault => {
    switch (fault._tag) {
      case "ForeignCursor":
        return { location: "query.cursor", message: foreignCursor }
      case "InvalidWindow":
        return { location: `query.${bounds[fault.bound]}`, message: fault.message }
      case "InvalidConfiguration":
        return configurationFault(fault)
      case "EventAhead":
        return { location: `body.events.${fault.index}.at`, message: eventAhead }
      case "ReasonRequired":
        return { location: "body.reason", message: "is required by a setting of the repository: say why in a sentence" }
      case "EndInThePast":
        return { location: "body.expires_at", message: "must be in the future; to end the quarantine now, delete it" }
      case "PolicyContradiction":
        return contradiction(fault)
      case "ProviderRequired":
        return {
          location: "body.provider",
          message:
            fault.offered.length === 0
              ? "is needed: people cannot sign in with a provider yet. Name the one that they will have"
              : `must be one of ${fault.offered.join(", ")}`
        }
      case "TooManyNewTests":
        return {
          location: "body",
          message:
            `has too many tests that this job does not know: runs of forks may add ${fault.most} tests to a repository in a day ` +
            "(UTC). Nothing was stored; upload it again tomorrow, or from a branch of the repository itself"
        }
      case "Unconfirmed":
        return { location: "body.confirm", message: `must be ${fault.expected}, the name of the thing to delete` }
    }
  }

/** The place of a fault in the configuration file, which cannot be confused with a field of the request. */
export const configurationPlace = (path: string): string =>
  path === "document" ? "configuration" : `configuration.${path}`

const configurationFault = ({ line, message, path }: ConfigurationFault): Problem.Fault => ({
  location: configurationPlace(path),
  message: `Line ${line}: ${message}`
})

interface ConfigurationFault {
  readonly line: number
  readonly message: string
  readonly path: string
}

const contradiction = ({ above, field, most, policy }: Extract<Fault, { readonly _tag: "PolicyContradiction" }>) => ({
  location: `body.${String.camelToSnake(policy)}.${String.camelToSnake(field)}`,
  message: `must not be above ${String.camelToSnake(above)}, which is ${most}`
})

const foreignCursor =
  "This cursor was not made for this list. Take it unchanged from a Link header of the same list, with the same filters " +
  "and sort, or leave it out to start at the first page."

const eventAhead = "is more than a day ahead of the server's clock: give the time at which it happened"

/** The problem document of a failed storage operation. */
export const storeProblem = (error: StoreError): Effect.Effect<never, Problem.Unavailable | Problem.Unprocessable> => {
  switch (error.reason) {
    case "unavailable":
      return Effect.andThen(Effect.logWarning("The storage does not respond", error), Effect.fail(Problem.unavailable))
    case "invalid":
      return Effect.fail(
        Problem.unprocessable([{ location: "body", message: "holds text that cannot be stored: send valid Unicode" }])
      )
    case "damaged":
      return Effect.fail(Problem.damaged)
    case "failed":
      return Effect.die(error)
  }
}
