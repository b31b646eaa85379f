/** The engine at work on a forge in memory: its log, its decisions, and the executor of its commands. */
import type * as EngineCommand from "../engine/EngineCommand.ts"
import type { EngineConfiguration } from "../engine/EngineConfiguration.ts"
import * as EngineDecision from "../engine/EngineDecision.ts"
import type * as EngineEvent from "../engine/EngineEvent.ts"
import * as EngineFold from "../engine/EngineFold.ts"
import * as EngineState from "../engine/EngineState.ts"
import { execute, type Forge, type ForgeOutcome } from "./forge.ts"

/** The function that decides: the engine's own, or a broken one in a test of the laws. */
export type Decide = typeof EngineDecision.decide

/**
 * The engine at work.
 *
 * **Details**
 *
 * Mutable: every operation appends to the log and decides. `bases` is the tree of the base branch per place in the log.
 */
export interface Machine {
  readonly forge: Forge
  readonly configuration: EngineConfiguration
  readonly decide: Decide
  readonly log: Array<EngineEvent.Logged>
  state: EngineState.EngineState
  now: number
  wakeAt: number | null
}

/** An engine with an empty log. */
export const makeMachine = (
  forge: Forge,
  configuration: EngineConfiguration,
  decide: Decide = EngineDecision.decide
): Machine => ({ forge, configuration, decide, log: [], state: EngineState.initial, now: 0, wakeAt: null })

const append = (machine: Machine, event: EngineEvent.EngineEvent): void => {
  const logged = { seq: machine.state.seq + 1, at: machine.now, event }
  machine.log.push(logged)
  machine.state = EngineFold.step(machine.state, logged)
}

/** Appends events and what the engine decides about them, as one transaction. */
export const appendEvents = (machine: Machine, ...events: ReadonlyArray<EngineEvent.EngineEvent>): void => {
  for (const event of events) append(machine, event)
  const decision = machine.decide(machine.state, machine.configuration, machine.now)
  for (const event of decision.events) append(machine, event)
  machine.wakeAt = decision.wakeAt
}

/** Lets time pass up to an instant, and decides. */
export const advance = (machine: Machine, to: number): void => {
  machine.now = Math.max(machine.now, to)
  appendEvents(machine)
}

const outcomeEvent = (command: EngineCommand.EngineCommand, outcome: ForgeOutcome): EngineEvent.EngineEvent =>
  outcome.kind === "done"
    ? { kind: "done", command: command.id, answer: outcome.answer }
    : { kind: "refused", command: command.id, refusal: outcome.refusal, detail: "", base: outcome.base }

/**
 * Executes a command that is under way.
 *
 * **Details**
 *
 * `times` is how often it is executed before its answer is appended; 0 times is a crash before the call. `isLost`: the
 * answer never arrives, as in a crash after the call.
 */
export const run = (
  machine: Machine,
  command: EngineCommand.EngineCommand,
  { isLost = false, times = 1 }: { readonly times?: number; readonly isLost?: boolean } = {}
): void => {
  let outcome: ForgeOutcome | null = null
  for (let time = 0; time < times; time++) outcome ??= execute(machine.forge, command, machine.state.seq)
  for (let time = 1; time < times; time++) execute(machine.forge, command, machine.state.seq)
  if (outcome === null || isLost) appendEvents(machine, { kind: "unknown", command: command.id })
  else appendEvents(machine, outcomeEvent(command, outcome))
}

/** The commands that are under way, in the order in which they were issued. */
export const commandsOf = ({ state }: Machine): ReadonlyArray<EngineCommand.EngineCommand> =>
  state.inflight.map(({ command }) => command)
