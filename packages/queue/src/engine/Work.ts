/** Work: a decision in the making, the state as it will be after the events that were decided so far. */
import type { EngineConfiguration } from "./EngineConfiguration.ts"
import * as EngineCommand from "./EngineCommand.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import * as EngineFold from "./EngineFold.ts"
import type * as EngineState from "./EngineState.ts"

/**
 * A decision in the making.
 *
 * **Details**
 *
 * Mutable on purpose and local to one call of `EngineDecision.decide`. `wakeAt` is the earliest instant at which time
 * alone changes the decision; null: never.
 */
export interface Work {
  state: EngineState.EngineState
  wakeAt: number | null
  readonly configuration: EngineConfiguration
  readonly now: number
  readonly events: Array<Decided>
}

/**
 * The entries that a decision adds to the log; `done` stands for writes that are not executed: those of a queue in the
 * shadow, and comments that are off.
 */
export type Decided = EngineEvent.Decision | EngineEvent.Of<"pause_set" | "done">

/** One pass over the state: emits what it decides. */
export type Pass = (work: Work) => void

/** Adds an event: every pass from here on sees the state after it. */
export const emit = (work: Work, event: Decided): void => {
  work.events.push(event)
  work.state = EngineFold.step(work.state, { seq: work.state.seq + 1, at: work.now, event })
}

/**
 * Issues a command, unless one with its id is under way.
 *
 * **Details**
 *
 * In the shadow a write that has nothing to answer is done at once, so that the queue goes on deciding; one whose answer
 * only the hosting platform could give stays under way for ever.
 */
export const issue = (work: Work, command: EngineCommand.EngineCommand): void => {
  if (work.state.inflight.some((each) => each.command.id === command.id)) return
  emit(work, { kind: "issued", command })
  if (work.configuration.shadow && EngineCommand.isPlainWrite(command)) {
    emit(work, { kind: "done", command: command.id, answer: { kind: "ok" } })
  }
}

/** Takes a command as done that is not to be executed. */
export const skip = (work: Work, command: EngineCommand.EngineCommand): void => {
  emit(work, { kind: "issued", command })
  emit(work, { kind: "done", command: command.id, answer: { kind: "ok" } })
}

/** Asks to be called again at an instant; one that has passed asks nothing. */
export const wake = (work: Work, at: number): void => {
  if (at > work.now && (work.wakeAt === null || at < work.wakeAt)) work.wakeAt = at
}

/** Asks to be called again at an active time; during a pause its end calls. */
export const wakeAtClock = (work: Work, clock: number): void => {
  if (work.state.pause === null) wake(work, clock + work.state.pausedFor)
}
