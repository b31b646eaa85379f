/**
 * GitHub's events `check_run` and `check_suite`: a check of a merge group has a new state, a suite of them is over, or
 * somebody pressed a button of our check.
 */
import { type Instant, Text } from "@lazaret/domain"
import { type QueueEvent } from "@lazaret/queue"
import { Option, Schema } from "effect"
import * as CheckState from "./CheckState.ts"
import * as Delivery from "./Delivery.ts"
import * as EventId from "./EventId.ts"
import * as MergeGroup from "./MergeGroup.ts"
import * as Payload from "./Payload.ts"

const RunPayload = Schema.Struct({
  action: Schema.Literals(["created", "completed"]),
  check_run: Schema.Struct({
    node_id: Payload.NodeId,
    name: Schema.String,
    head_sha: Payload.Sha,
    status: Schema.String,
    conclusion: Payload.maybe(Schema.String),
    started_at: Payload.maybe(Payload.Time),
    completed_at: Payload.maybe(Payload.Time),
    html_url: Payload.maybe(Schema.String),
    details_url: Payload.maybe(Schema.String),
    output: Payload.maybe(Schema.Struct({ title: Payload.maybe(Schema.String) })),
    app: Payload.maybe(
      Schema.Struct({ owner: Payload.maybe(Schema.Struct({ avatar_url: Payload.maybe(Schema.String) })) })
    ),
    check_suite: Payload.maybe(Schema.Struct({ head_branch: Payload.maybe(Schema.String) }))
  }),
  repository: Payload.PayloadRepository
})

type CheckRun = (typeof RunPayload.Type)["check_run"]

const SuitePayload = Schema.Struct({
  action: Schema.Literal("completed"),
  check_suite: Schema.Struct({
    node_id: Payload.NodeId,
    head_sha: Payload.Sha,
    head_branch: Payload.maybe(Schema.String),
    conclusion: Payload.maybe(Schema.String),
    updated_at: Payload.Time
  }),
  repository: Payload.PayloadRepository
})

const PressPayload = Schema.Struct({
  action: Schema.Literals(["rerequested", "requested_action"]),
  check_run: Schema.Struct({ head_sha: Payload.Sha }),
  requested_action: Payload.maybe(Schema.Struct({ identifier: Text.between(1, 100) })),
  sender: Schema.Struct({ login: Text.between(1, 100) }),
  repository: Payload.PayloadRepository
})

/**
 * The reading of a payload of `check_run`: the check as it is now, when it started or ended; or the button that was
 * pressed.
 */
export const readRun = (payload: unknown): Delivery.Reading => {
  const action = Payload.actionOf(payload)
  if (action === "rerequested" || action === "requested_action") return decodePress(payload)
  return action === "created" || action === "completed"
    ? decodeRun(payload)
    : Delivery.ignored(`The action "${action}" changes no check.`)
}

/**
 * The reading of a payload of `check_suite`: one suite of the round is over, when it was last updated.
 *
 * **Details**
 *
 * GitHub Actions has a suite for every workflow, so the end of one need not be the end of the round: the queue ends the
 * round when nothing else is out.
 */
export const readSuite = (payload: unknown): Delivery.Reading => {
  const action = Payload.actionOf(payload)
  return action === "completed" ? decodeSuite(payload) : Delivery.ignored(`The action "${action}" ends no checks.`)
}

/** GitHub sends these actions only to the app that made the check. */
const decodePress = Delivery.reader(
  PressPayload,
  ({ action, check_run: run, repository, requested_action: button, sender }) => {
    const commit = run.head_sha
    if (action === "rerequested") return Delivery.make(Payload.refOf(repository), { heads: [commit] })
    const identifier = button?.identifier
    if (identifier === undefined) return Delivery.ignored("The delivery names no button.")
    return Delivery.make(Payload.refOf(repository), { press: { action: identifier, commit, by: sender.login } })
  }
)

const decodeRun = Delivery.reader(RunPayload, ({ check_run: run, repository }) =>
  Option.match(MergeGroup.ofRef(run.check_suite?.head_branch), {
    onNone: () => noMergeGroup,
    onSome: (group) => {
      const at = timeOf(run)
      if (at === null) return Delivery.ignored("The check has no time yet.")
      return Delivery.make(Payload.refOf(repository), { events: [updated(group, run, at)] })
    }
  })
)

const decodeSuite = Delivery.reader(SuitePayload, ({ check_suite: suite, repository }) =>
  Option.match(MergeGroup.ofRef(suite.head_branch), {
    onNone: () => noMergeGroup,
    onSome: (group) => {
      const ended: QueueEvent.QueueEvent = {
        ...group,
        id: EventId.of("checks_ended", "check_suite:completed", { name: suite.node_id, at: suite.updated_at }),
        at: suite.updated_at,
        kind: "checks_ended",
        state: CheckState.ofConclusion(suite.conclusion),
        round: suite.head_sha,
        suite: suite.node_id
      }
      return Delivery.make(Payload.refOf(repository), { events: [ended] })
    }
  })
)

const noMergeGroup = Delivery.ignored("The check is not about a merge group.")

const isOver = (run: CheckRun): boolean => run.status === "completed"

const timeOf = (run: CheckRun): Instant.Instant | null =>
  (isOver(run) ? run.completed_at : null) ?? run.started_at ?? null

const updated = (group: MergeGroup.MergeGroup, run: CheckRun, at: Instant.Instant): QueueEvent.QueueEvent => ({
  ...group,
  id: EventId.of(isOver(run) ? "check_ended" : "check_pending", "check_run", { name: run.node_id, at }),
  at,
  kind: "check_updated",
  round: run.head_sha,
  check: {
    name: Payload.excerpt(run.name, 1000) || "check",
    description: Payload.excerpt(run.output?.title, 10_000),
    url: Payload.address(run.html_url),
    detailsUrl: Payload.address(run.details_url),
    state: isOver(run) ? CheckState.ofConclusion(run.conclusion) : "pending",
    avatarUrl: Payload.address(run.app?.owner?.avatar_url)
  }
})
