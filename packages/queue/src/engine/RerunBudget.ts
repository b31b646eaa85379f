/** Reruns: whether a red round is run again, and what that is charged to. */
import type * as EngineConfiguration from "./EngineConfiguration.ts"
import type * as EngineState from "./EngineState.ts"
import * as Incident from "./Incident.ts"
import { Instant } from "@lazaret/domain"
import type { Member } from "./Observation.ts"
import type { Round } from "./Round.ts"
import type * as FailureClass from "./FailureClass.ts"

/** How a red round is run again: free, charged, or not at all. */
export type Rerun = "free" | "charged" | "none"

interface Question {
  readonly round: Round
  readonly members: ReadonlyArray<Member>
  readonly red: Incident.Marked & FailureClass.Judgement
  readonly now: number
}

/** How many reruns any day may have above the share of its rounds, so that a quiet queue has some. */
export const dailyFloor = 10

/**
 * Whether a red round is run again.
 *
 * **Details**
 *
 * A round runs at most 1 + `perRound` times, whatever the cause. Within that, the first rerun for infrastructure and one
 * for a failure that came in during a pause are free. Others are charged to each member and to the day's share. A real
 * failure is never run again. An unknown one runs again once, also after flaky ones, if the pull request is alone and no
 * larger batch with it failed alike: then it has failed twice.
 */
export const decide = (
  state: EngineState.EngineState,
  { members, now, red, round }: Question,
  configuration: EngineConfiguration.EngineConfiguration
): Rerun => {
  const { failures: policy, rerun } = configuration
  if (!round.canRerun || round.attempt > rerun.perRound) return "none"
  if (round.isRedInPause) return "free"
  const isFirstOutage = !round.reds.some((each) => each.class === "infrastructure")
  if (red.class === "infrastructure" && isFirstOutage) return "free"
  if (!isWorth(red, members.length, round, policy)) return "none"
  if (red.class === "unknown" && Incident.hasFailedAlike(state, members, red)) return "none"
  return hasBudget(state, members, rerun, now) ? "charged" : "none"
}

const isWorth = (
  judgement: FailureClass.Judgement,
  size: number,
  round: Round,
  policy: FailureClass.Policy
): boolean => {
  switch (judgement.class) {
    case "real":
      return false
    case "flaky":
    case "infrastructure":
      return (judgement.probability ?? 1) >= (size > 1 ? policy.rerunBatchFrom : policy.rerunSingleFrom)
    case "unknown":
      return (
        size === 1 &&
        !round.reds.some((each) => each.class === "unknown") &&
        (judgement.probability ?? 1) >= policy.rerunSingleFrom
      )
  }
}

const hasBudget = (
  state: EngineState.EngineState,
  members: ReadonlyArray<Member>,
  rerun: EngineConfiguration.RerunLimits,
  now: number
): boolean => {
  const isMember = ({ number }: { readonly number: number }) => members.some((member) => member.number === number)
  const inGroups = state.groups.filter((group) => group.members.some(isMember))
  const ofGroups = inGroups.reduce((sum, { round }) => sum + round.reds.length, 0)
  const since = now - Instant.day
  const rounds = state.rounds.filter((at) => at > since).length
  const reruns = state.reruns.filter((at) => at > since).length
  return (
    ofGroups < rerun.perPullRequest &&
    state.entries.filter(isMember).every((entry) => entry.reruns < rerun.perPullRequest) &&
    reruns + 1 <= rerun.shareOfRounds * rounds + dailyFloor
  )
}
