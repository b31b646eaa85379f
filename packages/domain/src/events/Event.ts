/**
 * Events: what has happened in a repository, as the log keeps it and as webhooks tell it.
 *
 * An event reports what was observed when it was written. A late upload may show the past in another light; then a further
 * event says so, and no earlier one is changed.
 */
import { Schema } from "effect"
import { parse, v5 } from "uuid"
import type * as Health from "../health/Health.ts"
import type { FirstVerdict, Mark } from "../failure/FailurePrecision.ts"
import type { HealthStatus } from "../health/HealthStatus.ts"
import * as Instant from "../time/Instant.ts"
import type { PullRef } from "../report/PullRef.ts"
import type { QueuePause } from "../repository/QueuePause.ts"
import * as TestId from "../report/TestId.ts"
import * as TestIdentity from "../report/TestIdentity.ts"
import type { TestIssue } from "../issue/TestIssue.ts"

/**
 * Schema of the types of events.
 *
 * **Details**
 *
 * - `test.health_changed`: the verdict on one identity moved. `tests.health_changed`: those on very many moved at once.
 * - `job_run.outage`: a job run of the default branch was found to be an outage. It has the counts of that moment; the list of
 *   outages has those of all uploads.
 * - `job_run.tests_missing`: tests that were expected in a job run of the default branch did not run, or whole jobs did not report.
 * - `quarantine.created`, `quarantine.removed`: by a person or by the automation.
 * - `quarantine.changed`: its life was changed. `quarantine.expiring`: it is about to end by itself. `quarantine.expired`: it
 *   has ended by itself, and failures of its test block again.
 * - `queue.paused`, `queue.unpaused`: the merge queue.
 * - `queue.evicted`: a pull request left the merge queue without being merged, and no person had asked for that. `queue.healed`: the
 *   gate kept one in the queue, or put it back.
 * - `queue.commanded`: a person gave the merge queue commands in a comment or by a label at the hosting platform.
 * - `queue.tree_mismatch`: what the merge queue landed is not what was tested.
 * - `queue.write_refused`: the platform refuses, repeatedly, what the merge queue decided. `queue.bypassed`: a pull request was
 *   merged although its group had not passed the gate.
 * - `check.action_requested`: a person pressed a button of the check at the hosting platform.
 * - `failure.marked`: a person said what a failure was. `gate.excuses_suspended`, `gate.excuses_resumed`: excuses by verdict
 *   ended because `flaky` was wrong too often, or hold again.
 * - `issue.opened`, `issue.closed`, `issue.reopened`: the issue of an unhealthy test in the issue tracker.
 * - `cause.changed`: a person decided about a cause. `cause.reopened`: a closed cause failed again. `cause.merged`, `cause.split`:
 *   causes that people decided about became one, or a part of one became a cause of its own.
 * - `tests.slower`: tests or jobs of the default branch became slower.
 * - `costs.week_ended`: what flaky tests cost in a week that is over, where they cost something.
 */
export const EventType = Schema.Literals([
  "test.health_changed",
  "tests.health_changed",
  "job_run.outage",
  "job_run.tests_missing",
  "quarantine.created",
  "quarantine.removed",
  "quarantine.changed",
  "quarantine.expiring",
  "quarantine.expired",
  "queue.paused",
  "queue.unpaused",
  "queue.tree_mismatch",
  "queue.write_refused",
  "queue.bypassed",
  "queue.evicted",
  "queue.healed",
  "queue.commanded",
  "check.action_requested",
  "failure.marked",
  "gate.excuses_suspended",
  "gate.excuses_resumed",
  "issue.opened",
  "issue.closed",
  "issue.reopened",
  "cause.changed",
  "cause.reopened",
  "cause.merged",
  "cause.split",
  "tests.slower",
  "costs.week_ended"
])

/** The type of an event. */
export type EventType = typeof EventType.Type

/** The fields of an event that its type decides. */
export type Detail = { readonly [field: string]: Schema.Json }

/**
 * An event.
 *
 * **Details**
 *
 * - `id` follows from what happened: emitting the same event again yields the same id.
 * - `at`: when it was observed. `actor`: `auto`, or the credential of who did it.
 * - `summary`: one sentence in English.
 */
export interface Event {
  readonly id: string
  readonly at: Instant.Instant
  readonly type: EventType
  readonly actor: string
  readonly testId: TestId.TestId | null
  readonly testName: string | null
  readonly branch: string | null
  readonly summary: string
  readonly detail: Detail
}

/** The actor of what nobody did by hand. */
export const auto = "auto"

/** `removedBy` of a quarantine that has ended by itself. The automation leaves its test alone as if a person had ended it. */
export const expiry = "expiry"

/**
 * A verdict that one write has moved.
 *
 * `rule`, `commit` and `ranAt` (when its execution finished) are what led to the verdict that holds now; `pull` is the pull request
 * that brought the commit.
 */
export interface Move {
  readonly identity: TestIdentity.TestIdentity
  readonly from: HealthStatus
  readonly to: HealthStatus
  readonly rule: Health.Rule
  readonly commit: string | null
  readonly ranAt: Instant.Instant | null
  readonly pull: PullRef | null
}

/** The upload that moved verdicts; `id` is that of its report. */
export interface Cause {
  readonly id: string
  readonly at: Instant.Instant
  readonly branch: string
}

/**
 * The most changed verdicts of one write that are reported as events of their own; more are one event with the counts.
 *
 * More are not read one after another, and would flood a receiver.
 */
export const mostMoves = 500

/** The events of the verdicts that an upload has moved, at most {@link mostMoves}; in the order of identities. */
export const healthChanged = (moves: ReadonlyArray<Move>, cause: Cause): ReadonlyArray<Event> =>
  moves
    .toSorted((a, b) => TestIdentity.IdentityOrder(a.identity, b.identity))
    .map(({ commit, from, identity, pull, ranAt, rule, to }) => ({
      ...about("test.health_changed", [cause.id, TestIdentity.key(identity)], cause.at),
      testId: TestId.of(identity.testName),
      testName: identity.testName,
      branch: cause.branch,
      summary: `"${shortened(identity.testName)}" was ${from} and is ${to} now (${identity.pipelineName}, ${identity.jobName}).`,
      detail: {
        from,
        to,
        rule,
        pipelineName: identity.pipelineName,
        jobName: identity.jobName,
        commit,
        ranAt: ranAt === null ? null : Instant.toIso(ranAt),
        pullRequest: pull === null ? null : { ...pull, user: { ...pull.user } }
      }
    }))

/** The event that stands for more changed verdicts than are reported one by one. */
export const manyHealthChanged = (moves: ReadonlyArray<Pick<Move, "from" | "to">>, cause: Cause): Event => {
  // There are few kinds of changes and at most 200,000 transitions: building a text for each would block other
  // requests.
  const changes: Array<{ readonly from: HealthStatus; readonly to: HealthStatus; tests: number }> = []
  for (const { from, to } of moves) {
    const known = changes.find((change) => change.from === from && change.to === to)
    if (known === undefined) changes.push({ from, to, tests: 1 })
    else known.tests += 1
  }
  return {
    ...about("tests.health_changed", [cause.id], cause.at),
    branch: cause.branch,
    summary: `The verdict on ${moves.length} tests changed with one upload.`,
    detail: { total: moves.length, changes: changes.sort((a, b) => b.tests - a.tests) }
  }
}

/** The merge queue was paused, or its pause was given another reason. */
export const paused = (pause: QueuePause, at: Instant.Instant, by: string): Event => ({
  ...about("queue.paused", [`${pause.pauseDate}`, pause.reason, `${at}`], at),
  actor: by,
  summary: "The merge queue is paused.",
  detail: { reason: pause.reason, pause_date: Instant.toIso(pause.pauseDate) }
})

/** The pause of the merge queue has ended. */
export const unpaused = (pause: QueuePause, at: Instant.Instant, by: string): Event => ({
  ...about("queue.unpaused", [`${pause.pauseDate}`, `${at}`], at),
  actor: by,
  summary: "The merge queue is no longer paused.",
  detail: { reason: pause.reason, pause_date: Instant.toIso(pause.pauseDate) }
})

/** A group of a merge queue landed as another tree than the one that was tested. */
export interface TreeMismatch {
  readonly branch: string
  readonly pulls: ReadonlyArray<number>
  readonly tested: string | null
  readonly landed: string
}

/** A landed tree is not the tested one. The id follows from the group, so that one audit is one event. */
export const treeMismatch = ({ branch, landed, pulls, tested }: TreeMismatch, at: Instant.Instant): Event => ({
  ...about("queue.tree_mismatch", [branch, `${tested}`, landed, JSON.stringify(pulls)], at),
  branch,
  summary: `${pulls.map((number) => `#${number}`).join(", ")} was merged into ${shortened(branch)} as another tree than the one that was tested.`,
  detail: { pullRequests: [...pulls], tested, landed }
})

/** A write of a merge queue that the platform refuses; `command` is its id, `detail` the answer of the platform. */
export interface WriteRefused {
  readonly branch: string
  readonly command: string
  readonly kind: string
  readonly pulls: ReadonlyArray<number>
  readonly detail: string
}

/** The platform refuses a write. The id follows from the write alone, so that it is one event however often it is repeated. */
export const writeRefused = ({ branch, command, detail, kind, pulls }: WriteRefused, at: Instant.Instant): Event => {
  const whose = pulls.length === 0 ? "" : ` of ${pulls.map((number) => `#${number}`).join(", ")}`
  return {
    ...about("queue.write_refused", [branch, command], at),
    branch,
    summary: `The platform refuses the ${kind}${whose} for the merge queue of ${shortened(branch)}: ${shortened(detail)}`,
    detail: { pullRequests: [...pulls], write: kind, answer: detail }
  }
}

/** A pull request was merged without the gate. The id follows from the pull request, which is merged once. */
export const bypassed = (branch: string, number: number, commit: string | null, at: Instant.Instant): Event => ({
  ...about("queue.bypassed", [branch, `${number}`], at),
  branch,
  summary: `#${number} was merged into ${shortened(branch)} without the gate.`,
  detail: { pullRequests: [number], commit }
})

/** A pull request that left a merge queue, or was kept in it: why, with the evidence. `key` names the stay in the queue. */
export interface QueueFate {
  readonly key: string
  readonly branch: string
  readonly outcome: "evicted" | "healed"
  readonly reason: string
  readonly number: number
  readonly summary: string
  readonly commit: string | null
  readonly checks: ReadonlyArray<string>
  readonly tests: ReadonlyArray<{ readonly check: string; readonly test: string | null; readonly verdict: string }>
  readonly attempts: number
  readonly url: string | null
  readonly isSaved: boolean
}

/** A pull request left a merge queue, or was kept in it. The id follows from the stay, so that it is one event. */
export const queueFate = (fate: QueueFate, at: Instant.Instant): Event => {
  const { attempts, branch, checks, commit, isSaved, key, number, outcome, reason, summary, tests, url } = fate
  return {
    ...about(`queue.${outcome}`, [branch, key], at),
    branch,
    summary,
    detail: {
      pullRequests: [number],
      reason,
      commit,
      checks: [...checks],
      tests: tests.map((each) => ({ ...each })),
      attempts,
      url,
      isSaved
    }
  }
}

/** Commands of a person to the merge queue; `source` is the comment or the delivery that gave them. */
export interface Commanded {
  readonly source: string
  readonly number: number
  readonly commands: ReadonlyArray<string>
  /** The person, with the name of the platform. */
  readonly actor: string
}

/** A person gave the merge queue commands. The id follows from the source alone, so that commands count once. */
export const commanded = ({ actor, commands, number, source }: Commanded, at: Instant.Instant): Event => ({
  ...about("queue.commanded", [source], at),
  actor,
  summary: `${commands.map((command) => `"${shortened(command)}"`).join(", ")} was asked for pull request #${number}.`,
  detail: { pullRequest: number, commands: [...commands] }
})

/** The press of a button of a check; `delivery` is the platform's id of the message that reported it. */
export interface ActionRequest {
  readonly delivery: string
  readonly action: string
  readonly commit: string
  readonly by: string
}

/** A button of a check was pressed. The id follows from the delivery alone, so that a repeated one is the same event. */
export const actionRequested = ({ action, by, commit, delivery }: ActionRequest, at: Instant.Instant): Event => ({
  ...about("check.action_requested", [delivery], at),
  actor: `GitHub user ${by}`,
  summary: `"${action}" was requested for commit ${commit.slice(0, 12)}.`,
  detail: { action, commit }
})

/** A person said what a failure was; the detail has the verdict that was answered. */
export const failureMarked = (
  { commit, executionId, jobName, pipelineName, probability, testId, testName, verdict }: FirstVerdict,
  { at, by, truth }: Mark
): Event => ({
  ...about("failure.marked", [testId, executionId, truth, `${at}`], at),
  actor: by,
  testId,
  testName,
  summary: `A failure of "${shortened(testName)}" was marked as ${truth}; the verdict was ${verdict}.`,
  detail: { executionId, pipelineName, jobName, commit, truth, verdict, probability }
})

/** Excuses by verdict were suspended, or hold again; `reason` is what was known, in a clause. */
export const excusesChanged = (isSuspended: boolean, reason: string, at: Instant.Instant): Event => ({
  ...about(isSuspended ? "gate.excuses_suspended" : "gate.excuses_resumed", [`${at}`], at),
  summary: isSuspended
    ? `No failure passes the gate by its verdict any more: ${reason}.`
    : `Failures pass the gate by their verdict again: ${reason}.`,
  detail: { reason }
})

/** A change of an issue; `why` is a clause. */
export interface IssueChange {
  readonly type: "issue.opened" | "issue.closed" | "issue.reopened"
  readonly actor: string
  readonly why: string
}

/** The issue of a test was opened, closed or reopened. */
export const issueChanged = (
  { issue, testId, testName, url }: Pick<TestIssue, "issue" | "testId" | "testName" | "url">,
  { actor, type, why }: IssueChange,
  at: Instant.Instant
): Event => ({
  ...about(type, [testId, issue, `${at}`], at),
  actor,
  testId,
  testName,
  summary: `Issue ${shortened(issue)} of "${shortened(testName)}" was ${type.slice("issue.".length)}: ${why}.`,
  detail: { issue, url, why }
})

/** The cost of a week: when it began, what it cost, and what is worth mending first, each in words. */
export interface CostOfWeek {
  readonly start: Instant.Instant
  readonly summary: string
  readonly detail: Detail
}

/** The cost of flaky tests in a week that is over. The id follows from the week, so that it is one event however often it is computed. */
export const costsOfWeek = ({ detail, start, summary }: CostOfWeek, at: Instant.Instant): Event => ({
  ...about("costs.week_ended", [`${start}`], at),
  summary,
  detail: { week: Instant.toIso(start).slice(0, 10), ...detail }
})

/** It never changes: receivers know events by their ids. */
const namespace = parse("b6a3c6c4-2c0f-5e59-9b0b-3d1e8f5a7c42")

/** An event of a type that follows from what happened, to be completed. */
export const about = (type: EventType, what: ReadonlyArray<string>, at: Instant.Instant): Event => ({
  id: v5(JSON.stringify([type, ...what]), namespace),
  at,
  type,
  actor: auto,
  testId: null,
  testName: null,
  branch: null,
  summary: "",
  detail: {}
})

/** The actor of an event: the automation or a person. */
export const actorOf = (isAutomatic: boolean, by: string): string => (isAutomatic ? auto : by)

/** A name in a summary: it may have 10,000 characters. */
export const shortened = (name: string): string => {
  const characters = [...name]
  return characters.length <= shownOfName ? name : `${characters.slice(0, shownOfName).join("")}…`
}

const shownOfName = 200
