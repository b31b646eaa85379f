/** Snapshots of pull requests, folded into the state of the engine. */
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import type { Pull } from "./Observation.ts"
import * as Round from "./Round.ts"

/** The state after a pull request was read: its entry has the snapshot, and an open one has a head for the gate. */
export const see = (state: EngineState.EngineState, pull: Pull, at: number): EngineState.EngineState => {
  const clock = EngineState.clock(state, at)
  const seen = EngineState.withEntry(state, pull.number, (entry) => Entry.see(entry, pull, { clock, base: pull.base }))
  const head = state.heads.find(({ number }) => number === pull.number)
  const others = state.heads.filter(({ number }) => number !== pull.number)
  if (pull.state !== "open") return { ...seen, heads: others }
  if (head?.sha === pull.head) return seen
  const round = Round.begin(pull.head, pull.head, clock)
  return { ...seen, heads: [...others, { number: pull.number, sha: pull.head, round }] }
}
