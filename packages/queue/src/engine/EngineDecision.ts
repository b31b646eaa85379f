/** Decisions of the engine: what follows from its state, its configuration and the time. */
import * as Building from "./Building.ts"
import * as Departure from "./Departure.ts"
import * as EngineCommand from "./EngineCommand.ts"
import type { EngineConfiguration } from "./EngineConfiguration.ts"
import type * as EngineEvent from "./EngineEvent.ts"
import type * as EngineState from "./EngineState.ts"
import * as Fates from "./Fates.ts"
import * as Foundation from "./Foundation.ts"
import * as Gate from "./Gate.ts"
import * as Head from "./Head.ts"
import * as Judging from "./Judging.ts"
import * as Landing from "./Landing.ts"
import * as Preempting from "./Preempting.ts"
import * as QueueBranch from "./QueueBranch.ts"
import * as Safety from "./Safety.ts"
import * as Settling from "./Settling.ts"
import * as Shadow from "./Shadow.ts"
import * as Showing from "./Showing.ts"
import * as Skipping from "./Skipping.ts"
import * as TreeAudit from "./TreeAudit.ts"
import type * as Work from "./Work.ts"

/**
 * The decision of the engine on a state.
 *
 * **Details**
 *
 * `events` are to be appended to the log in this order, in the transaction that appended what caused them. `commands`
 * are those to execute: all that the events issue, in the shadow only the ones that write nothing. `wakeAt` is when time
 * alone changes the answer; null: never.
 */
export interface EngineDecision {
  readonly events: ReadonlyArray<EngineEvent.EngineEvent>
  readonly commands: ReadonlyArray<EngineCommand.EngineCommand>
  readonly wakeAt: number | null
}

/** The passes of drive mode, in their order; the first group also runs during a pause. */
const drive: { readonly always: ReadonlyArray<Work.Pass>; readonly running: ReadonlyArray<Work.Pass> } = {
  always: [Safety.pass, Departure.pass, Foundation.pass],
  running: [Judging.pass, Head.pass, Skipping.pass, Landing.pass, Settling.pass, Preempting.pass, Building.pass]
}

/** The passes that take away what a queue has made that is not driven any more. */
const undriven: ReadonlyArray<Work.Pass> = [Departure.everybody, QueueBranch.pass, Showing.pass]

const passesOf = ({ configuration, state }: Work.Work): ReadonlyArray<Work.Pass> => {
  switch (configuration.mode) {
    case "off":
      return undriven
    case "mirror":
      return [TreeAudit.pass, ...undriven]
    case "gate":
      return [TreeAudit.pass, Safety.pass, Gate.pass, Fates.pass, ...undriven]
    case "drive": {
      if (configuration.shadow) return state.pause === null ? [Departure.pass, Shadow.pass] : [Departure.pass]
      const running = state.pause === null ? drive.running : []
      return [...drive.always, ...running, QueueBranch.pass, Showing.pass]
    }
  }
}

/**
 * The decisions that follow from the state, the configuration and the time.
 *
 * **Details**
 *
 * Pure, total and level-triggered: the passes run until none of them decides anything more, so a second call on the
 * state after the events decides nothing. Equal arguments give equal events, with equal ids.
 */
export const decide = (
  state: EngineState.EngineState,
  configuration: EngineConfiguration,
  now: number
): EngineDecision => {
  const work: Work.Work = { state, configuration, now, wakeAt: null, events: [] }
  while (runPasses(work)) work.wakeAt = null
  const done = new Set(work.events.flatMap((event) => (event.kind === "done" ? [event.command] : [])))
  const issued = work.events.flatMap((event) =>
    event.kind === "issued" && !done.has(event.command.id) ? [event.command] : []
  )
  const commands = configuration.shadow ? issued.filter((command) => !EngineCommand.isWrite(command)) : issued
  return { events: work.events, commands, wakeAt: work.wakeAt }
}

/** Runs the passes up to the first that decides something: each sees a state in which those before it are done. */
const runPasses = (work: Work.Work): boolean => {
  const { length } = work.events
  return passesOf(work).some((pass) => {
    pass(work)
    return work.events.length > length
  })
}
