/** Stories of a gate: what the platform does, in a line each. */
import { Instant } from "@lazaret/domain"
import {
  type EngineCommand,
  EngineConfiguration,
  type EngineEvent,
  type FailureClass,
  type Observation
} from "@lazaret/queue"
import { commandsOf, type Machine, makeForge, makeMachine, appendEvents } from "@lazaret/queue/testing"

/** A gate that requires two checks. */
export const configuration: EngineConfiguration.EngineConfiguration = {
  ...EngineConfiguration.defaults,
  mode: "gate",
  requiredChecks: ["unit", "e2e"]
}

/** A gate at work, a day after the beginning of time. */
export const gate = (changes: Partial<EngineConfiguration.EngineConfiguration> = {}): Machine => {
  const machine = makeMachine(makeForge([]), { ...configuration, ...changes })
  machine.now = Instant.day
  return machine
}

/** A pull request and its head. */
export const member = (number: number): Observation.Member => ({ number, head: `h${number}` })

/** The platform has built a group on a commit or another group. */
export const group = (id: string, onto: string, ...numbers: ReadonlyArray<number>): EngineEvent.EngineEvent => ({
  kind: "group_seen",
  group: { id, tree: `tree-${id}`, onto, members: numbers.map(member) }
})

let version = 0
type States = Readonly<Record<string, Observation.Check["state"]>>

/** The checks of a commit were read, and whether a run of it works. */
export const checks = (sha: string, states: States, attempt = 1, running?: boolean): EngineEvent.EngineEvent => ({
  kind: "checks_seen",
  sha,
  version: (version += 1),
  checks: Object.entries(states).map(([name, state]) => ({ name, state, attempt })),
  ...(running === undefined ? {} : { running })
})

/** The failures of an attempt were reported. */
export const reports = (
  sha: string,
  of: FailureClass.FailureClass,
  { attempt = 1, check = "unit", test = "logs in" } = {}
): EngineEvent.EngineEvent => ({
  kind: "reports_seen",
  sha,
  attempt,
  failures: [{ check, test, class: of, probability: of === "flaky" ? 0.9 : 0.1 }]
})

/** Both checks passed. */
export const green = { unit: "success", e2e: "success" } as const
/** One of the checks failed. */
export const red = { unit: "failure", e2e: "success" } as const

/** Somebody pauses. */
export const paused = { kind: "pause_set", reason: "release", by: "ana" } as const
/** Somebody ends the pause. */
export const resumed = { kind: "pause_cleared", by: "ana" } as const

/** The state and title that the check of a commit has. */
export const shown = (machine: Machine, sha: string): string => machine.state.shown[sha] ?? "nothing"

/** The commands of a kind that were issued. */
export const issued = <Kind extends EngineCommand.EngineCommand["kind"]>(machine: Machine, kind: Kind) =>
  machine.log.flatMap(({ event }) =>
    event.kind === "issued" && event.command.kind === kind ? [event.command as EngineCommand.Of<Kind>] : []
  )

/** Why a group failed. */
export const reasonOf = (machine: Machine, id: string) => machine.state.groups.find((each) => each.id === id)?.reason

/** The platform has done what is under way. */
export const answer = (machine: Machine): void => {
  for (const { id } of commandsOf(machine)) appendEvents(machine, { kind: "done", command: id, answer: { kind: "ok" } })
}
