/** Broken engines: for each law one that violates it, so that the law is known to be able to fail. */
import { EngineDecision, type EngineEvent, type EngineState } from "@lazaret/queue"
import type { Decide } from "@lazaret/queue/testing"
import * as Round from "../../../src/engine/Round.ts"

type State = EngineState.EngineState
type Event = EngineEvent.EngineEvent

const seeing =
  (change: (state: State) => State): Decide =>
  (state, configuration, now) =>
    EngineDecision.decide(change(state), configuration, now)

const saying =
  (change: (event: Event, state: State) => ReadonlyArray<Event>): Decide =>
  (state, configuration, now) => {
    const decision = EngineDecision.decide(state, configuration, now)
    return { ...decision, events: decision.events.flatMap((event) => change(event, state)) }
  }

const withRounds = (state: State, change: (round: Round.Round) => Round.Round): State => ({
  ...state,
  batches: state.batches.map((batch) => (batch.round === null ? batch : { ...batch, round: change(batch.round) }))
})

const evictAll = (event: Event, state: State): ReadonlyArray<Event> => {
  if (event.kind !== "batch_split") return [event]
  const members = state.batches.find(({ id }) => id === event.batch)?.members ?? []
  const reason = { code: "checks_failed", round: "r", tree: "t", checks: ["unit"], members: [1] } as const
  return members.map(({ head, number }) => ({ kind: "dequeued", number, head, reason }))
}

let drawn = 0

/** By law: what the engine does wrong, and the engine that does it. */
export const mutants: Readonly<Record<string, readonly [fault: string, decide: Decide]>> = {
  "1 tested lands": [
    "takes every check that ended for green",
    seeing((state) =>
      withRounds(state, (round) => ({
        ...round,
        checks: round.checks.map((check) => (check.state === "failure" ? { ...check, state: "success" } : check))
      }))
    )
  ],
  "2 no unpinned code": [
    "lands without reading the pull requests again",
    seeing((state) => ({
      ...state,
      entries: state.entries.map((entry) => ({
        ...entry,
        confirmed:
          state.batches.find(({ members }) => members.some(({ number }) => number === entry.number))?.round?.sha ?? null
      }))
    }))
  ],
  "3 order": [
    "takes the last one first",
    seeing((state) => ({
      ...state,
      entries: state.entries.map((entry) => ({ ...entry, queuedAt: -entry.queuedAt }))
    }))
  ],
  "4 no double merge": [
    "lands again what has landed",
    (state, configuration, now) => {
      const decision = EngineDecision.decide(state, configuration, now)
      const { base } = state
      if (base?.tree.includes("h1.1") !== true || state.inflight.length > 0 || state.seq > 200) return decision
      const members = [{ number: 1, head: "h1.1" }]
      const subject = { batch: "again", members, from: base.sha, to: base.sha, tree: base.tree }
      const land: Event = { kind: "issued", command: { kind: "land", id: `again/${state.seq}`, ...subject } }
      return { ...decision, events: [...decision.events, land] }
    }
  ],
  "5 single fate": [
    "gives no evidence",
    saying((event) => [event.kind === "dequeued" ? { ...event, reason: { code: event.reason.code } } : event])
  ],
  "6 no innocent by inference": ["evicts a whole red batch", saying(evictAll)],
  "7 independence": [
    "takes what is red for the head",
    seeing((state) => ({
      ...state,
      batches: state.batches.toSorted((a, b) => Number(b.phase === "red") - Number(a.phase === "red"))
    }))
  ],
  "8 liveness": [
    "builds nothing a second time",
    saying((event) =>
      event.kind === "issued" && event.command.kind === "build" && !event.command.id.endsWith("/1") ? [] : [event]
    )
  ],
  "9 no starvation": [
    "counts no overtakes",
    saying((event) => [event.kind === "batch_formed" ? { ...event, overtaken: [] } : event])
  ],
  "10 pause": ["does not know of pauses", seeing((state) => ({ ...state, pause: null }))],
  "11 bisect cost": [
    "never infers the culprit",
    (state, configuration, now) => EngineDecision.decide(state, { ...configuration, inferCulprit: "never" }, now)
  ],
  "12 rerun bound": [
    "has no budget",
    (state, configuration, now) => {
      const rerun = { perRound: 99, perPullRequest: 99, shareOfRounds: 99 }
      return EngineDecision.decide(state, { ...configuration, rerun }, now)
    }
  ],
  "13 a rerun excuses nothing": [
    "takes a rerun for a success",
    seeing((state) =>
      withRounds(state, (round) => ({
        ...round,
        checks: round.checks.map((check) =>
          Round.ranAt(round, check.name) > 0 ? { ...check, state: "success" } : check
        )
      }))
    )
  ],
  "14 determinism": [
    "draws its ids",
    saying((event) => {
      drawn += 1
      return [event.kind === "issued" ? { ...event, command: { ...event.command, id: `c${drawn}` } } : event]
    })
  ],
  "15 idempotency": [
    "asks for everything again",
    (state, configuration, now) => {
      const decision = EngineDecision.decide(state, configuration, now)
      const again = state.inflight.slice(0, state.seq < 60 ? 1 : 0).map(({ command }): Event => ({
        kind: "issued",
        command: { ...command, id: `${command.id}/${state.seq}` }
      }))
      return { ...decision, events: [...decision.events, ...again] }
    }
  ]
}
