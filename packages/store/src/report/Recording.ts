/** The rule of recording reports: what follows from them before and after their executions are folded. Pure. */
import { Event, type HealthStatus, type Instant, Repository, JobRunEvents } from "@lazaret/domain"
import { Effect } from "effect"
import type { PullFact, PullNumber } from "./PullFact.ts"
import { pullNumbersOf, pullsOf } from "../Rows.ts"
import * as Claim from "./Claim.ts"
import * as DefaultBranch from "./DefaultBranch.ts"
import type { ForkTests } from "./ForkTests.ts"

/** How a repository stands when reports are recorded. */
export interface Standing {
  readonly settings: Repository.RepositorySettings
  readonly earliest: DefaultBranch.Earliest
  readonly horizon: Instant.Instant | null
  readonly forkTests: ForkTests
}

/**
 * The decision on what a driver stores for reports.
 *
 * **Details**
 *
 * - `outcomes`: of every report, in order; `fresh`: the reports to store, in order, without expired executions.
 * - `earliest`, `defaultBranch`: what holds from now on, for the executions that are stored too.
 * - `compared`: the identities whose verdicts are compared before and after. When the reports change which branch is the
 *   default one, these are the identities in them: the verdicts on the others are about another history then.
 * - `pulls`: the pull requests of commits to note; `pullNumbers`: their numbers, also where nothing else is known of them.
 */
export interface Decision<C extends Claim.Candidate> extends Claim.Claims<C> {
  readonly earliest: DefaultBranch.Earliest
  readonly defaultBranch: string
  readonly compared: "all" | "reported"
  readonly pulls: ReadonlyArray<PullFact>
  readonly pullNumbers: ReadonlyArray<PullNumber>
}

/**
 * Decides what recording reports stores.
 *
 * **Details**
 *
 * `claimed` holds at least the stored reports that share a key or a content with a candidate.
 */
export const decide = <C extends Claim.Candidate>(
  { earliest: known, forkTests: addedBefore, horizon, settings }: Standing,
  candidates: ReadonlyArray<C>,
  claimed: ReadonlyArray<Claim.Claimed>
): Decision<C> => {
  const { forkTests, fresh, outcomes } = Claim.claim(candidates, claimed, { horizon, forkTests: addedBefore })
  const reports = fresh.map(({ report }) => report)
  const earliest = DefaultBranch.earliestWith(known, reports)
  const defaultBranch = Repository.defaultBranch(settings, earliest)
  return {
    fresh,
    forkTests,
    outcomes: DefaultBranch.isKnown(settings, earliest) ? outcomes : outcomes.map(DefaultBranch.unknownIn),
    earliest,
    defaultBranch,
    compared: defaultBranch === Repository.defaultBranch(settings, known) ? "all" : "reported",
    pulls: reports.flatMap(({ run }) => pullsOf(run)),
    pullNumbers: reports.flatMap(({ run }) => pullNumbersOf(run))
  }
}

/** A verdict that differs before and after a write, whatever lay between. */
export interface Transition {
  readonly from: HealthStatus.HealthStatus
  readonly to: HealthStatus.HealthStatus
}

/**
 * The events of a recording: of the runs that are outages now, and of the transitions among the compared identities.
 *
 * **Details**
 *
 * - They name the last new report as their cause.
 * - Transitions have one event each up to `Event.mostMoves`, beyond that one event for all of them together. `describe` finds
 *   out what an event of its own says; it is not called beyond the limit.
 * - When the reports change which branch is the default one, no outage is reported.
 */
export const eventsOf = <T extends Transition, E>(
  { compared, defaultBranch: branch, fresh }: Decision<Claim.Candidate>,
  { outages, transitions }: Happened<T>,
  describe: (transitions: ReadonlyArray<T>) => Effect.Effect<ReadonlyArray<Event.Move>, E>
): Effect.Effect<ReadonlyArray<Event.Event>, E> => {
  const last = fresh.at(-1)?.report
  if (last === undefined) return Effect.succeed([])
  const cause = { id: last.id, at: last.receivedAt, branch }
  const found = compared === "all" ? JobRunEvents.outages(outages, cause) : []
  if (transitions.length === 0) return Effect.succeed(found)
  return transitions.length > Event.mostMoves
    ? Effect.succeed([...found, Event.manyHealthChanged(transitions, cause)])
    : Effect.map(describe(transitions), (moves) => [...found, ...Event.healthChanged(moves, cause)])
}

/** The changes by folding new executions: the verdicts on compared identities, and the runs that are outages now. */
export interface Happened<T extends Transition> {
  readonly transitions: ReadonlyArray<T>
  readonly outages: ReadonlyArray<JobRunEvents.OutageRun>
}
