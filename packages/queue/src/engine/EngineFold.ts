/** The fold of the engine's log into its state. */
import * as CommandFold from "./CommandFold.ts"
import * as DecisionFold from "./DecisionFold.ts"
import * as EngineEvent from "./EngineEvent.ts"
import * as EngineState from "./EngineState.ts"
import { Instant } from "@lazaret/domain"
import * as IntentFold from "./IntentFold.ts"
import * as ObservationFold from "./ObservationFold.ts"

/**
 * The state after one more event of the log.
 *
 * **Details**
 *
 * An event whose sequence number is not higher than the last changes nothing, so a log may be read from any snapshot.
 */
export const step = (state: EngineState.EngineState, { at, event, seq }: EngineEvent.Logged): EngineState.EngineState =>
  seq <= state.seq ? state : apply({ ...state, seq }, event, at)

/** The state that a log gives, from a snapshot of it on. */
export const fold = (
  log: Iterable<EngineEvent.Logged>,
  snapshot: EngineState.EngineState = EngineState.initial
): EngineState.EngineState => {
  let state = snapshot
  for (const logged of log) state = step(state, logged)
  return state
}

const apply = (state: EngineState.EngineState, event: EngineEvent.EngineEvent, at: number): EngineState.EngineState => {
  switch (event.kind) {
    case "queue_asked":
    case "dequeue_asked":
    case "priority_asked":
    case "retry_asked":
    case "pause_set":
    case "pause_cleared":
    case "trial_waived":
    case "config_read":
      return IntentFold.step(state, event, at)
    case "pull_seen":
    case "base_seen":
    case "checks_seen":
    case "reports_seen":
    case "branch_seen":
    case "group_seen":
    case "group_gone":
    case "group_landed":
    case "evicted":
    case "bypassed":
    case "queue_seen":
    case "rules_seen":
    case "jobs_seen":
    case "conflict_seen":
      return ObservationFold.step(state, event, at)
    case "done":
    case "refused":
    case "unknown":
      return CommandFold.step(state, event, at)
    default:
      return DecisionFold.step(withinDay(state, at), event, at)
  }
}

/** Budgets count within a day: what is older is dropped. */
const withinDay = (state: EngineState.EngineState, at: number): EngineState.EngineState => {
  const oldest = at - Instant.day
  if ((state.rounds[0] ?? at) > oldest && (state.reruns[0] ?? at) > oldest) return state
  return {
    ...state,
    rounds: state.rounds.filter((time) => time > oldest),
    reruns: state.reruns.filter((time) => time > oldest)
  }
}
