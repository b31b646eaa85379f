/**
 * A simulation of a merge queue with the engine's own `decide`, on a forge in memory and in simulated time.
 *
 * The world is that of the design: pull requests arrive in the first eight hours of a day, some are bad, a round takes
 * half an hour, and a round of a good commit fails with the probability `flakes`. A good pull request that was evicted
 * comes back after an hour on average.
 */
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, QueueRule } from "@lazaret/queue"
import {
  advance,
  commandsOf,
  conclude,
  contentsOf,
  makeForge,
  makeMachine,
  type Machine,
  push,
  readPull,
  run,
  sweep,
  appendEvents
} from "@lazaret/queue/testing"
import { Agenda } from "./Agenda.ts"
import type { Judged } from "./Judged.ts"
import { exponential, random, type Random } from "./Random.ts"

/** A failed round: whether its commit is bad, by the change that broke it, and which attempt failed. */
export interface Failed {
  readonly sha: string
  readonly attempt: number
  readonly brokenBy: string | null
}

/** The judged failures of a failed round. */
export interface Judge {
  (failed: Failed, draw: Random): ReadonlyArray<Judged>
}

/** A way to run the queue. */
export interface Strategy {
  readonly name: string
  readonly batchSize: number
  readonly parallel: number
  readonly rerun: EngineConfiguration.RerunLimits
  readonly judge: Judge
}

/** The world of a simulation; durations are in milliseconds. */
export interface World {
  readonly days: number
  readonly perHour: number
  readonly bad: number
  readonly flakes: number
  readonly round: number
  readonly seed: number
}

/** The measurements of a simulation: times to merge in minutes, and counts. */
export interface Measured {
  readonly minutes: ReadonlyArray<number>
  readonly merged: number
  readonly runs: number
  readonly evicted: number
}

type Happening =
  | { readonly kind: "arrives"; readonly number: number }
  | { readonly kind: "ends"; readonly sha: string; readonly attempt: number }
  | { readonly kind: "wakes" }

interface Simulated {
  readonly machine: Machine
  readonly agenda: Agenda<Happening>
  readonly strategy: Strategy
  readonly world: World
  readonly bad: ReadonlySet<string>
  readonly firstQueued: Map<number, number>
  readonly mergedAt: Map<number, number>
  readonly draws: { readonly flake: Random; readonly judge: Random; readonly back: Random }
  runs: number
  evicted: number
  read: number
  wakesAt: number
}

/** A rerun of the failed jobs takes half of a round and 0.4 of its cost, and a flake comes again with a fifth. */
const rerunTime = 0.5
const rerunCost = 0.4
const flakesAgain = 0.2

/** How long a good pull request stays away after it was evicted, on average. */
const away = Instant.hour

const check = "ci"

const headOf = (number: number): string => `h${number}`

const configurationOf = ({ batchSize, parallel, rerun }: Strategy): EngineConfiguration.EngineConfiguration => ({
  ...EngineConfiguration.defaults,
  mode: "drive",
  maxParallelChecks: parallel,
  requiredChecks: [check],
  rerun,
  rules: QueueRule.prioritize([
    { name: "default", settings: { batchSize: batchSize, queueBranchMergeMethod: "fast-forward" } }
  ])
})

/** The measures of a strategy in a world. The same world draws the same arrivals and bad pull requests for each. */
export const simulate = (strategy: Strategy, world: World): Measured => {
  const simulated = prepare(strategy, world)
  const { agenda, machine } = simulated
  appendEvents(machine, ...sweep(machine.forge))
  for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
    machine.now = Math.max(machine.now, next.at)
    happen(simulated, next.what)
    settle(simulated)
  }
  const good = [...simulated.mergedAt].filter(([number]) => !simulated.bad.has(headOf(number)))
  return {
    minutes: good.map(([number, at]) => (at - (simulated.firstQueued.get(number) ?? at)) / Instant.minute),
    merged: simulated.mergedAt.size,
    runs: simulated.runs,
    evicted: simulated.evicted
  }
}

const prepare = (strategy: Strategy, world: World): Simulated => {
  const arrivals = random(world.seed)
  const agenda = new Agenda<Happening>()
  const bad = new Set<string>()
  let number = 0
  for (let day = 1; day <= world.days; day++) {
    let at = exponential(arrivals, Instant.hour / world.perHour)
    for (; at < 8 * Instant.hour; at += exponential(arrivals, Instant.hour / world.perHour)) {
      number += 1
      if (arrivals() < world.bad) bad.add(headOf(number))
      agenda.add(day * Instant.day + at, { kind: "arrives", number })
    }
  }
  const draws = { flake: random(world.seed + 1), judge: random(world.seed + 2), back: random(world.seed + 3) }
  const machine = makeMachine(makeForge([check]), configurationOf(strategy))
  return {
    machine,
    agenda,
    strategy,
    world,
    bad,
    draws,
    firstQueued: new Map(),
    mergedAt: new Map(),
    runs: 0,
    evicted: 0,
    read: 0,
    wakesAt: Infinity
  }
}

const happen = (simulated: Simulated, what: Happening): void => {
  if (what.kind === "arrives") arrive(simulated, what.number)
  else if (what.kind === "ends") end(simulated, what.sha, what.attempt)
  else {
    simulated.wakesAt = Infinity
    advance(simulated.machine, simulated.machine.now)
  }
}

const arrive = ({ firstQueued, machine }: Simulated, number: number): void => {
  if (machine.forge.pulls[number] === undefined) push(machine.forge, number, headOf(number))
  const pull = readPull(machine.forge, number)
  if (pull === null) return
  if (!firstQueued.has(number)) firstQueued.set(number, machine.now)
  const asked = { kind: "queue_asked", number, head: pull.head, rule: "default", priority: 2000, by: "author" } as const
  appendEvents(machine, asked, { kind: "pull_seen", pull })
}

const end = (simulated: Simulated, sha: string, attempt: number): void => {
  const { bad, draws, machine, strategy, world } = simulated
  const { forge } = machine
  const runs = forge.runs[sha]
  if (runs === undefined || runs.attempt !== attempt || runs.checks[0]?.state !== "pending") return
  const isReal = contentsOf(forge, sha).some((change) => bad.has(change))
  const isFlake = !isReal && draws.flake() < (attempt === 1 ? world.flakes : flakesAgain)
  conclude(forge, sha, check, isReal || isFlake ? "failure" : "success")
  const seen = { kind: "checks_seen", sha, version: forge.version, checks: runs.checks } as const
  if (!isReal && !isFlake) return appendEvents(machine, seen)
  const brokenBy = contentsOf(forge, sha).find((change) => bad.has(change)) ?? null
  const failures = strategy.judge({ sha, attempt, brokenBy }, draws.judge).map((each) => ({ check, ...each }))
  appendEvents(machine, seen, { kind: "reports_seen", sha, attempt, failures })
}

/** Executes what the engine wants, at once, and follows what came of it. */
const settle = (simulated: Simulated): void => {
  const { agenda, machine } = simulated
  for (let [command] = commandsOf(machine); command !== undefined; [command] = commandsOf(machine)) {
    run(machine, command)
    if (command.kind === "publish") begin(simulated, command.sha, 1, 1)
    if (command.kind === "rerun") begin(simulated, command.sha, command.attempt + 1, rerunTime)
  }
  follow(simulated)
  const { wakeAt } = machine
  if (wakeAt === null || wakeAt >= simulated.wakesAt) return
  simulated.wakesAt = wakeAt
  agenda.add(wakeAt, { kind: "wakes" })
}

/** The checks are seen at once, and end after a share of a round. */
const begin = ({ agenda, machine, world }: Simulated, sha: string, attempt: number, share: number): void => {
  const { runs, version } = machine.forge
  appendEvents(machine, { kind: "checks_seen", sha, version, checks: runs[sha]?.checks ?? [] })
  agenda.add(machine.now + world.round * share, { kind: "ends", sha, attempt })
}

/** Reads what is new in the log: who merged, who was evicted, what ran. */
const follow = (simulated: Simulated): void => {
  const { agenda, bad, draws, machine, mergedAt } = simulated
  for (const { at, event } of machine.log.slice(simulated.read)) {
    if (event.kind === "issued" && event.command.kind === "publish") simulated.runs += 1
    if (event.kind === "issued" && event.command.kind === "rerun") simulated.runs += rerunCost
    if (event.kind === "issued" && event.command.kind === "land") {
      for (const { number } of event.command.members) mergedAt.set(number, at)
    }
    if (event.kind !== "dequeued" || bad.has(event.head)) continue
    simulated.evicted += 1
    agenda.add(at + exponential(draws.back, away), { kind: "arrives", number: event.number })
  }
  simulated.read = machine.log.length
}
