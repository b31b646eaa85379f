/** Broken engines: for each law one that violates it, so that the law is known to be able to fail. */
import { EngineDecision, type EngineEvent, type EngineState } from "@lazaret/queue"
import type { Decide } from "@lazaret/queue/testing"
import type * as Batch from "../../../src/engine/Batch.ts"
import * as Round from "../../../src/engine/Round.ts"
import type { World } from "./World.ts"

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
  ],
  "19 cleanliness": [
    "leaves its branches behind",
    saying((event) => (event.kind === "issued" && event.command.kind === "discard" ? [] : [event]))
  ]
}

/** By law of two runs (`Twin`): what the engine does wrong, and the engine that does it. */
export const twinMutants: Readonly<Record<string, readonly [fault: string, decide: Decide]>> = {
  "16 webhooks": [
    "takes what it has not heard of for passed",
    seeing((state) =>
      withRounds(state, (round) => {
        const isRead = round.checks.some((check) => check.state !== "pending")
        return isRead
          ? {
              ...round,
              checks: round.checks.map((check) => (check.state === "pending" ? { ...check, state: "success" } : check))
            }
          : round
      })
    )
  ],
  "18 isolation": [
    "takes every base branch for its own",
    seeing((state) => ({
      ...state,
      entries: state.entries.map((entry) =>
        entry.pull === null ? entry : { ...entry, pull: { ...entry.pull, base: "main" } }
      )
    }))
  ]
}

/** A broken engine that is broken only where a setting is on. */
export interface SettingMutant {
  readonly law: string
  readonly setting: Partial<World>
  readonly fault: string
  readonly decide: Decide
}

/** Gives up every batch of a kind ahead of a pull request of higher priority. */
const yielding =
  (mayYield: (batch: Batch.Batch) => boolean): Decide =>
  (state, configuration, now) => {
    const priorityOf = (number: number) => state.entries.find((entry) => entry.number === number)?.priority ?? 0
    const taken = new Set(state.batches.flatMap(({ members }) => members.map(({ number }) => number)))
    const waiting = state.entries.filter(({ number }) => !taken.has(number)).map(({ priority }) => priority)
    const yields = state.batches.find(
      (batch) => mayYield(batch) && batch.members.every(({ number }) => priorityOf(number) < Math.max(0, ...waiting))
    )
    const decision = EngineDecision.decide(state, configuration, now)
    if (yields === undefined || !configuration.preempt) return decision
    return { ...decision, events: [{ kind: "batch_dissolved", batch: yields.id }, ...decision.events] }
  }

const isPassed = ({ phase }: Batch.Batch): boolean => phase === "green" || phase === "landing"

const skipping = { skips: true, fastForward: true }

/** For each setting that lets the engine leave its usual order: engines that leave it too far. */
export const settingMutants: ReadonlyArray<SettingMutant> = [
  {
    law: "6 no innocent by inference",
    setting: skipping,
    fault: "lands what passed without those under it",
    decide: seeing((state) => ({
      ...state,
      batches: state.batches.toSorted((a, b) => Number(isPassed(b)) - Number(isPassed(a)))
    }))
  },
  {
    law: "9 no starvation",
    setting: { preempts: true },
    fault: "gives up who was overtaken often enough",
    decide: (state, configuration, now) =>
      EngineDecision.decide(
        state,
        configuration.preempt ? { ...configuration, maxOvertakes: 10_000 } : configuration,
        now
      )
  },
  {
    law: "15 idempotency",
    setting: { preempts: true },
    fault: "gives up what is being landed",
    decide: yielding(({ phase }) => phase === "landing")
  },
  {
    law: "15 idempotency",
    setting: { preempts: true },
    fault: "gives up what passed",
    decide: yielding(isPassed)
  }
]
