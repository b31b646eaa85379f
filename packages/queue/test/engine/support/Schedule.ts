/** Schedules: orders in which people, the forge, its deliveries and the executor act, and the quiet time after them. */
import { type EngineEvent, type EngineState, type Observation } from "@lazaret/queue"
import {
  advance,
  commandsOf,
  conclude,
  type Decide,
  edit,
  type Machine,
  makeMachine,
  push,
  pushBase,
  run,
  sweep,
  appendEvents
} from "@lazaret/queue/testing"
import { configurationOf, forgeOf, headOf, isBroken, type World } from "./World.ts"

/** The trace of a schedule: the machine, and the state after every transaction. */
export interface Trace {
  readonly world: World
  readonly machine: Machine
  readonly settled: Array<EngineState.EngineState>
  /** The trees that were green at the forge when each landing took effect, by landing. */
  readonly greenAt: Array<ReadonlyArray<string>>
  flakes: number
  queued: number
  readonly stale: Array<EngineEvent.EngineEvent>
}

/** A trace in which nothing has happened but the first read of the base branch. */
export const start = (world: World, decide?: Decide): Trace => {
  const machine = makeMachine(forgeOf(world), configurationOf(world), decide)
  const trace: Trace = { world, machine, settled: [], greenAt: [], flakes: world.flakes, queued: 0, stale: [] }
  machine.now = 1000
  observe(trace, ...sweep(machine.forge))
  return trace
}

/** Appends events as one transaction. */
export const observe = (trace: Trace, ...events: ReadonlyArray<EngineEvent.EngineEvent>): void => {
  appendEvents(trace.machine, ...events)
  trace.settled.push(trace.machine.state)
}

/** Queues the next pull request. */
export const queue = (trace: Trace, priority = 2000): void => {
  if (trace.queued >= trace.world.pulls) return
  const number = (trace.queued += 1)
  push(trace.machine.forge, number, headOf(number))
  ask(trace, number, priority)
}

/** Asks for a pull request to be queued at its present head, which is read at once. */
export const ask = (trace: Trace, number: number, priority = 2000): void => {
  const pull = trace.machine.forge.pulls[number]
  if (pull === undefined || pull.state !== "open") return
  const asked = { kind: "queue_asked", number, head: pull.head, rule: "default", priority, by: "ana" } as const
  observe(trace, asked, ...sweep(trace.machine.forge).filter((event) => event.kind === "pull_seen"))
}

const greenTrees = ({ machine: { forge } }: Trace): ReadonlyArray<string> =>
  Object.entries(forge.runs)
    .filter(([, { checks }]) => checks.length > 0 && checks.every(({ state }) => state === "success"))
    .map(([sha]) => `t(${(forge.commits[sha]?.contents ?? []).join(" ")})`)

/** Executes a command, and remembers which trees were green if it landed something. */
export const execute = (
  trace: Trace,
  command: ReturnType<typeof commandsOf>[number],
  how: Parameters<typeof run>[2] = {}
): void => {
  const before = trace.machine.forge.landings.length
  const green = greenTrees(trace)
  run(trace.machine, command, how)
  for (let index = before; index < trace.machine.forge.landings.length; index++) trace.greenAt.push(green)
  trace.settled.push(trace.machine.state)
}

/** The checks that have not ended. */
export const pendingChecks = ({ machine: { forge } }: Trace) =>
  Object.entries(forge.runs).flatMap(([sha, { checks }]) =>
    checks.filter(({ state }) => state === "pending").map(({ name }) => ({ sha, name }))
  )

/** Ends a check as the world has it, or as a flake; the report of a failure is delivered at once. */
export const finish = (trace: Trace, sha: string, name: string, isFlake: boolean): void => {
  const { machine, world } = trace
  const isReal = name === "unit" && isBroken(world, machine.forge, sha)
  const flakes = !isReal && isFlake && trace.flakes > 0
  if (flakes) trace.flakes -= 1
  conclude(machine.forge, sha, name, isReal || flakes ? "failure" : "success")
  const attempt = machine.forge.runs[sha]?.attempt ?? 1
  const failure: Observation.Failure = {
    check: name,
    test: isReal ? "broken" : `flake-${trace.flakes}`,
    class: isReal ? world.realIs : world.flakeIs,
    probability: null
  }
  if (isReal || flakes) observe(trace, { kind: "reports_seen", sha, attempt, failures: [failure] })
}

/** Delivers everything, as a sweep does. */
export const deliver = (trace: Trace): void => observe(trace, ...sweep(trace.machine.forge))

type Act = (trace: Trace, choice: number) => void

const pick = <A>(items: ReadonlyArray<A>, choice: number): A | undefined => items[choice % Math.max(1, items.length)]

const withCommand =
  (how: Parameters<typeof run>[2]): Act =>
  (trace, choice) => {
    const command = pick(commandsOf(trace.machine), choice)
    if (command !== undefined) execute(trace, command, how)
  }

const withCheck =
  (isFlake: boolean): Act =>
  (trace, choice) => {
    const check = pick(pendingChecks(trace), choice)
    if (check !== undefined) finish(trace, check.sha, check.name, isFlake)
  }

const withPull =
  (change: (trace: Trace, number: number) => void): Act =>
  (trace, choice) => {
    if (trace.queued > 0) change(trace, (choice % trace.queued) + 1)
  }

/** Snapshots that were taken earlier, in any order and as often as one likes. */
const late: Act = (trace, choice) => {
  trace.stale.push(...sweep(trace.machine.forge))
  const event = pick(trace.stale, choice * 7)
  if (event !== undefined) observe(trace, event)
}

const time: Act = (trace, choice) => {
  const { now, wakeAt } = trace.machine
  advance(trace.machine, choice % 3 === 0 || wakeAt === null ? now + 20_000 : wakeAt)
  trace.settled.push(trace.machine.state)
}

const vanish: Act = (trace, choice) => {
  const runs = pick(Object.values(trace.machine.forge.runs), choice)
  if (runs === undefined) return
  trace.machine.forge.version += 1
  runs.checks = runs.checks.slice(0, -1)
}

const priorities = [1000, 2000, 3000]

/** The acts that go on in a queue all the time. */
const usual: ReadonlyArray<Act> = [
  (trace) => queue(trace),
  (trace, choice) => queue(trace, priorities[choice % priorities.length]),
  withCommand({}),
  withCommand({}),
  withCommand({}),
  withCheck(false),
  withCheck(false),
  withCheck(true),
  (trace) => deliver(trace),
  (trace) => deliver(trace),
  late,
  time
]

/** The crashes of the executor. */
const crashes: ReadonlyArray<Act> = [
  withCommand({ times: 2 }),
  withCommand({ isLost: true }),
  withCommand({ times: 0 })
]

/** The other acts of people. */
const people: ReadonlyArray<Act> = [
  withPull((trace, number) => push(trace.machine.forge, number, headOf(number, trace.machine.forge.version))),
  withPull((trace, number) => ask(trace, number)),
  withPull((trace, number) => edit(trace.machine.forge, number, { state: "closed" })),
  withPull((trace, number) => edit(trace.machine.forge, number, { draft: true })),
  withPull((trace, number) => edit(trace.machine.forge, number, { approved: false })),
  withPull((trace, number) => observe(trace, { kind: "dequeue_asked", number, by: "bo" })),
  withPull((trace, number) => observe(trace, { kind: "priority_asked", number, priority: 3000, by: "bo" })),
  (trace) => pushBase(trace.machine.forge, `x${trace.machine.forge.version}`),
  (trace) => pushBase(trace.machine.forge, null),
  (trace) => observe(trace, { kind: "pause_set", reason: "release", by: "bo" }),
  (trace) => observe(trace, { kind: "pause_cleared", by: "bo" }),
  (trace) => observe(trace, { kind: "pause_cleared", by: "bo" }),
  vanish
]

const acts: ReadonlyArray<Act> = [...usual, ...usual, ...usual, ...crashes, ...people]

/** Lets everybody act as the choices say, then leaves the queue in peace until nothing is left to do. */
export const play = (world: World, choices: ReadonlyArray<number>, decide?: Decide): Trace => {
  const trace = start(world, decide)
  for (const choice of choices) {
    const act = acts[choice % acts.length]
    trace.machine.now += 1000
    act?.(trace, Math.floor(choice / acts.length))
  }
  rest(trace)
  return trace
}

/** The most rounds of a quiet time: far more than a queue that makes progress needs. */
const patience = 200

type How = NonNullable<Parameters<typeof run>[2]>

/**
 * A quiet time: nothing new comes in, every command is executed, every check ends as the world has it. `how` says how
 * the command that is executed at a place is executed.
 */
export const rest = (trace: Trace, how: (place: number) => How = () => ({})): void => {
  const { machine } = trace
  let place = 0
  while (trace.queued < trace.world.pulls) queue(trace)
  trace.flakes = 0
  observe(trace, { kind: "pause_cleared", by: "bo" })
  for (let round = 0; round < patience; round++) {
    const commands = commandsOf(machine)
    const checks = pendingChecks(trace)
    for (const command of commands) {
      if (commandsOf(machine).includes(command)) execute(trace, command, how(place++))
    }
    for (const { name, sha } of checks) finish(trace, sha, name, false)
    deliver(trace)
    if (commands.length > 0 || checks.length > 0 || commandsOf(machine).length > 0) continue
    if (machine.wakeAt === null || machine.now > 30 * 86_400_000) return
    advance(machine, machine.wakeAt)
    trace.settled.push(machine.state)
  }
}
