/** Check runs: one round of checks of a queued pull request, from its start to the queue's verdict. */
import type { Instant } from "@lazaret/domain"
import * as QueueCheck from "./QueueCheck.ts"
import type * as QueueEvent from "./QueueEvent.ts"
import { Text } from "@lazaret/domain"

/**
 * One round of checks.
 *
 * **Details**
 *
 * - `round`: the name that the feed gave it, null without one.
 * - `pullRequest`: the pull request that the checks run on.
 * - `endedAt` and `endState`: null while the round runs.
 * - `checks`: in the order of their names, each name once.
 * - `evaluatedConditions`: the latest known report, empty if none was given.
 */
export interface CheckRun {
  readonly round: string | null
  readonly checkType: QueueEvent.CheckType
  readonly pullRequest: number
  readonly startedAt: Instant.Instant
  readonly endedAt: Instant.Instant | null
  readonly endState: QueueCheck.EndState | null
  readonly checks: ReadonlyArray<QueueCheck.QueueCheck>
  readonly evaluatedConditions: string
}

/** The round that a `checks_started` event begins. */
export const start = (event: QueueEvent.Of<"checks_started">): CheckRun => ({
  round: event.round ?? null,
  checkType: event.checkType,
  pullRequest: event.checkPullRequest ?? event.pullRequest,
  startedAt: event.at,
  endedAt: null,
  endState: null,
  checks: [],
  evaluatedConditions: event.evaluatedConditions ?? ""
})

/**
 * The round with one check as it is now: a new name joins, a known one is replaced.
 *
 * **Details**
 *
 * A check may still be reported after the round has ended, because feeds stamp both with the same second; the list
 * follows, the verdict stays (our choice).
 */
export const update = (run: CheckRun, event: QueueEvent.Of<"check_updated">): CheckRun => {
  const others = run.checks.filter((check) => check.name !== event.check.name)
  return {
    ...run,
    checks: [...others, event.check].sort((a, b) => Text.compare(a.name, b.name)),
    evaluatedConditions: event.evaluatedConditions ?? run.evaluatedConditions
  }
}

/** Whether an event is about this round: unless both have a name, and not the same one. */
export const isMeant = (run: CheckRun, event: { readonly round?: string }): boolean =>
  run.round === null || event.round === undefined || run.round === event.round

/**
 * The verdict of an end on the whole round: the queue's verdict, or, where one suite of several has ended, that of all
 * checks together, which is `pending` while one is still out.
 */
export const verdict = (run: CheckRun, event: QueueEvent.Of<"checks_ended">): QueueCheck.State =>
  event.suite === undefined ? event.state : QueueCheck.combine([event.state, ...run.checks.map((check) => check.state)])

/** The round with the verdict on it. */
export const end = (run: CheckRun, event: QueueEvent.Of<"checks_ended">, endState: QueueCheck.EndState): CheckRun => ({
  ...run,
  endedAt: event.at,
  endState,
  evaluatedConditions: event.evaluatedConditions ?? run.evaluatedConditions
})

/**
 * The global state of a round (interface 2.11).
 *
 * **Details**
 *
 * The verdict once the round has ended; until then what its checks say together (`QueueCheck.combine`). A trusted round
 * without checks is `success`: it stands for the pull request's own green checks (our choice).
 */
export const state = (run: CheckRun): QueueCheck.State => {
  if (run.endState !== null) return run.endState
  if (run.checkType === "trusted" && run.checks.length === 0) return "success"
  return QueueCheck.combine(run.checks.map((check) => check.state))
}

/** Whether a round has passed: its global state lets the pull request merge. */
export const hasPassed = (run: CheckRun): boolean =>
  (run.endState !== null || run.checkType === "trusted") && isPass(state(run))

const isPass = (state_: QueueCheck.State): boolean =>
  state_ === "success" || state_ === "neutral" || state_ === "skipped"
