/** Scenarios: a queue that is led step by step, and its outcome, in which every law holds. */
import { assert } from "@effect/vitest"
import { type EngineConfiguration, EngineState, WaitReason } from "@lazaret/queue"
import { commandsOf } from "@lazaret/queue/testing"
import { batchOf } from "./Bisect.ts"
import { laws } from "./Law.ts"
import { deliver, execute, finish, queue, rest, start, type Trace } from "./Schedule.ts"
import type { World } from "./World.ts"

/** A queue in which `pulls` pull requests were queued at once. */
export const drive = (
  pulls: number,
  changes: Partial<World> = {},
  configuration: Partial<EngineConfiguration.EngineConfiguration> = {}
): Trace => {
  const trace = start({ ...batchOf(pulls, [], "judged_real"), batchSize: 1, ...changes })
  Object.assign(trace.machine, { configuration: { ...trace.machine.configuration, ...configuration } })
  for (let number = 1; number <= pulls; number++) queue(trace)
  return trace
}

/** Executes what is wanted, until only checks, people or time can go on. */
export const work = (trace: Trace): void => {
  for (let [command] = commandsOf(trace.machine); command !== undefined; [command] = commandsOf(trace.machine)) {
    execute(trace, command)
  }
  deliver(trace)
}

/** Executes what is wanted, except landings, and reads the pull requests before them. */
export const workUpToLanding = (trace: Trace): void => {
  const next = () => commandsOf(trace.machine).find(({ kind }) => kind !== "land" && kind !== "merge")
  for (let command = next(); command !== undefined; command = next()) execute(trace, command)
  deliver(trace)
}

/** Ends the checks of the batch that holds a pull request. */
export const check = (trace: Trace, number: number, isFlake = false): void => {
  const sha = EngineState.batchOf(trace.machine.state, number)?.round?.sha ?? ""
  finish(trace, sha, "unit", isFlake)
  deliver(trace)
}

/** Lets everything end, and checks every law. */
export const outcome = (trace: Trace) => {
  rest(trace)
  for (const law of Object.values(laws)) assert.deepStrictEqual(law(trace), [])
  const { forge, log } = trace.machine
  return {
    landed: forge.landings.flatMap(({ members }) => members.map(({ number }) => number)),
    left: log.flatMap(({ event }) => (event.kind === "dequeued" ? [`#${event.number} ${event.reason.code}`] : []))
  }
}

/** How often the log has a kind of event, or of command. */
export const count = (trace: Trace, kind: string): number =>
  trace.machine.log.filter(({ event }) => (event.kind === "issued" ? event.command.kind : event.kind) === kind).length

/** The reason why a pull request waits. */
export const wait = ({ machine }: Trace, number: number): string | undefined =>
  WaitReason.of(machine.state, number, machine)?.kind

/** How many rounds were begun. */
export const rounds = (trace: Trace): number => count(trace, "publish")
