/** Snapshots of pull requests, folded into the state of the engine. */
import * as EngineState from "./EngineState.ts"
import * as Entry from "./Entry.ts"
import type { Member, Pull } from "./Observation.ts"
import * as Foresight from "./Foresight.ts"
import * as Round from "./Round.ts"

/** The state after a pull request was read: its entry has the snapshot, and an open one has a head for the gate. */
export const see = (state: EngineState.EngineState, pull: Pull, at: number): EngineState.EngineState => {
  const clock = EngineState.clock(state, at)
  const seen = EngineState.withEntry(state, pull.number, (entry) => Entry.see(entry, pull, { clock, base: pull.base }))
  const head = state.heads.find(({ number }) => number === pull.number)
  const others = state.heads.filter(({ number }) => number !== pull.number)
  if (pull.state !== "open") {
    const foresight = pull.state === "merged" ? Foresight.merged(seen.foresight, pull) : seen.foresight
    return { ...unwanted(seen, pull.number, () => true), heads: others, foresight }
  }
  if (head?.sha === pull.head) return seen
  const round = Round.begin(pull.head, pull.head, clock)
  return {
    ...unwanted(seen, pull.number, (sha) => sha !== pull.head),
    heads: [...others, { number: pull.number, sha: pull.head, round }]
  }
}

/** A pull request at another head, or one that is closed, is not put into the platform's queue, and its old check is not set. */
const unwanted = (
  state: EngineState.EngineState,
  number: number,
  isOld: (head: string) => boolean
): EngineState.EngineState => {
  const isMeant = (member: Member) => member.number === number && isOld(member.head)
  const old = state.heads.find((head) => head.number === number)?.sha
  const isShared = state.heads.some((head) => head.sha === old && head.number !== number)
  return {
    ...EngineState.withoutCommands(
      state,
      (command) =>
        (command.kind === "enqueue" && isMeant(command.member)) ||
        (command.kind === "set_check" && command.sha === old && !isShared)
    ),
    parked: state.parked.filter((member) => !isMeant(member))
  }
}
