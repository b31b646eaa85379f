/** Laws of two runs of one world: what must not matter does not change who lands and who leaves. */
import { EngineState } from "@lazaret/queue"
import { commandsOf, type Decide, edit, push, sweep } from "@lazaret/queue/testing"
import { deliver, execute, finish, observe, pendingChecks, queue, rest, start, type Trace } from "./Schedule.ts"
import { headOf, type World } from "./World.ts"

/** The fate of each pull request of a world. */
const fates = ({ machine: { forge, log }, world }: Trace): string => {
  const isOurs = (number: number) => number <= world.pulls
  const landed = forge.landings.flatMap(({ members }) => members.map(({ number }) => `#${number} landed`))
  const left = log.flatMap(({ event }) =>
    event.kind === "dequeued" && isOurs(event.number) ? [`#${event.number} ${event.reason.code}`] : []
  )
  return [...landed, ...left].toSorted().join(", ")
}

/** The steps between which something is delivered: a command is executed, or a check ends. */
const step = (trace: Trace, choice: number): void => {
  const [command] = commandsOf(trace.machine)
  const checks = pendingChecks(trace)
  const check = checks[choice % Math.max(1, checks.length)]
  if (command !== undefined && choice % 3 > 0) execute(trace, command)
  else if (check !== undefined) finish(trace, check.sha, check.name, false)
  else if (command !== undefined) execute(trace, command)
}

/** Nothing is left to chance: which of two leaves that do not go together depends on who lands first. */
const begin = (world: World, decide?: Decide): Trace => {
  const trace = start({ ...world, flakes: 0, badPair: null, conflict: null }, decide)
  for (let number = 1; number <= world.pulls; number++) queue(trace)
  return trace
}

/**
 * 16. Whatever becomes of the deliveries, everybody has the fate that a sweep after each step leads to.
 *
 * **Details**
 *
 * By its choice the delivery of a step is lost, arrives, arrives twice, or arrives late and in another order.
 */
export const webhooks = (world: World, choices: ReadonlyArray<number>, decide?: Decide): ReadonlyArray<string> => {
  const play = (isReliable: boolean) => {
    const trace = begin(world, decide)
    for (const choice of choices) {
      step(trace, choice)
      const before = trace.stale.splice(0)
      trace.stale.push(...sweep(trace.machine.forge))
      const way = isReliable ? 1 : choice % 4
      if (way === 1 || way === 2) deliver(trace)
      if (way === 2) observe(trace, ...trace.stale)
      if (way === 3) observe(trace, ...before.toReversed())
    }
    rest(trace)
    return fates(trace)
  }
  const [expected, found] = [play(true), play(false)]
  return expected === found ? [] : [`${found}; with every delivery ${expected}`]
}

/** 18. Pull requests onto another base branch, with all that happens to them, change nothing on this one. */
export const isolation = (world: World, choices: ReadonlyArray<number>, decide?: Decide): ReadonlyArray<string> => {
  const play = (hasOthers: boolean) => {
    const trace = begin(world, decide)
    for (const choice of choices) {
      if (hasOthers) foreign(trace, 101 + (choice % 2), choice)
      step(trace, choice)
      deliver(trace)
    }
    rest(trace)
    return fates(trace)
  }
  const [expected, found] = [play(false), play(true)]
  return expected === found ? [] : [`${found}; alone ${expected}`]
}

/** Somebody opens a pull request onto another base branch, pushes to it, closes it, or asks this queue for it. */
const foreign = (trace: Trace, number: number, choice: number): void => {
  const { forge } = trace.machine
  if (forge.pulls[number] === undefined || choice % 5 === 0) {
    push(forge, number, headOf(number, forge.version))
    edit(forge, number, { base: "release" })
  } else if (choice % 5 === 1) edit(forge, number, { state: "closed" })
  const head = forge.pulls[number]?.head ?? ""
  const isNew = EngineState.entryOf(trace.machine.state, number) === undefined
  if (choice % 5 === 2 && isNew) {
    observe(trace, { kind: "queue_asked", number, head, rule: "default", priority: 3000, by: "ana" })
  }
}

/** These laws, by their names. */
export const laws: Readonly<Record<string, typeof webhooks>> = {
  "16 webhooks": webhooks,
  "18 isolation": isolation
}
