/** A queue in mode `drive`: the engine's own `decide`, on a forge in memory and in simulated time. */
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, QueueRule } from "@lazaret/queue"
import {
  advance,
  appendEvents,
  commandsOf,
  conclude,
  contentsOf,
  type Machine,
  makeForge,
  makeMachine,
  push,
  readPull,
  run,
  sweep
} from "@lazaret/queue/testing"
import { Agenda } from "./Agenda.ts"
import { Checks, type Judge } from "./Checks.ts"
import * as Measured from "./Measured.ts"
import { exponential, random, type Random } from "./Random.ts"
import * as World from "./World.ts"

/** The settings of a driven queue. `wait` is `batch_max_wait_time` in seconds. */
export interface Settings {
  readonly batchSize: number
  readonly parallel: number
  readonly wait?: number
  readonly rerun?: EngineConfiguration.RerunLimits
  readonly judge: Judge
}

type Happening =
  | { readonly kind: "arrives"; readonly number: number }
  | { readonly kind: "ends"; readonly sha: string; readonly attempt: number }
  | { readonly kind: "wakes" }

interface Simulated {
  readonly machine: Machine
  readonly agenda: Agenda<Happening>
  readonly checks: Checks
  readonly fates: Measured.Fates
  readonly back: Random
  read: number
  wakesAt: number
}

/** How long the author of an innocent pull request that was evicted needs to queue it again, on average. */
export const away = Instant.hour

const check = "ci"

const headOf = (number: number): string => `h${number}`

const numberOf = (head: string): number => Number(head.slice(1))

const configurationOf = ({ batchSize, parallel, rerun, wait }: Settings): EngineConfiguration.EngineConfiguration => {
  const waiting = wait === undefined ? {} : { batchMaxWaitTime: wait }
  const settings = { batchSize, queueBranchMergeMethod: "fast-forward", ...waiting } as const
  return {
    ...EngineConfiguration.defaults,
    mode: "drive",
    maxParallelChecks: parallel,
    requiredChecks: [check],
    rerun: rerun ?? EngineConfiguration.defaults.rerun,
    rules: QueueRule.prioritize([{ name: "default", settings }])
  }
}

/** The measurements of a driven queue in a world. */
export const simulate = (settings: Settings, world: World.World, drawn: World.Drawn): Measured.Measured => {
  const conflicts = drawn.conflicts.map(([a, b]) => [headOf(a), headOf(b)] as const)
  const simulated: Simulated = {
    machine: makeMachine(makeForge([check], conflicts), configurationOf(settings)),
    agenda: new Agenda(),
    checks: new Checks(world, drawn, settings.judge),
    fates: Measured.noFates(),
    back: random(world.seed + 3),
    read: 0,
    wakesAt: Infinity
  }
  const { agenda, machine } = simulated
  for (const { at, number } of drawn.pulls) agenda.add(at, { kind: "arrives", number })
  appendEvents(machine, ...sweep(machine.forge))
  for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
    machine.now = Math.max(machine.now, next.at)
    happen(simulated, next.what)
    settle(simulated)
  }
  return Measured.of(simulated.fates, simulated.checks)
}

const happen = (simulated: Simulated, what: Happening): void => {
  if (what.kind === "arrives") arrive(simulated, what.number)
  else if (what.kind === "ends") end(simulated, what.sha, what.attempt)
  else {
    simulated.wakesAt = Infinity
    advance(simulated.machine, simulated.machine.now)
  }
}

const arrive = ({ fates, machine }: Simulated, number: number): void => {
  if (machine.forge.pulls[number] === undefined) push(machine.forge, number, headOf(number))
  const pull = readPull(machine.forge, number)
  if (pull === null) return
  if (!fates.queuedAt.has(number)) fates.queuedAt.set(number, machine.now)
  const asked = { kind: "queue_asked", number, head: pull.head, rule: "default", priority: 2000, by: "author" } as const
  appendEvents(machine, asked, { kind: "pull_seen", pull })
}

const end = ({ checks, machine }: Simulated, sha: string, attempt: number): void => {
  const { forge } = machine
  const runs = forge.runs[sha]
  if (runs === undefined || runs.attempt !== attempt || runs.checks[0]?.state !== "pending") return
  const ended = checks.end({ commit: sha, attempt, holds: contentsOf(forge, sha).map(numberOf) })
  conclude(forge, sha, check, ended.isGreen ? "success" : "failure")
  const seen = { kind: "checks_seen", sha, version: forge.version, checks: runs.checks } as const
  if (ended.isGreen) return appendEvents(machine, seen)
  const failures = ended.failures.map((each) => ({ check, ...each }))
  appendEvents(machine, seen, { kind: "reports_seen", sha, attempt, failures })
}

/** Executes what the engine wants, at once, and follows what came of it. */
const settle = (simulated: Simulated): void => {
  const { agenda, machine } = simulated
  for (let [command] = commandsOf(machine); command !== undefined; [command] = commandsOf(machine)) {
    run(machine, command)
    if (command.kind === "publish") begin(simulated, command.sha, 1)
    if (command.kind === "rerun") begin(simulated, command.sha, command.attempt + 1)
  }
  follow(simulated)
  const { wakeAt } = machine
  if (wakeAt === null || wakeAt >= simulated.wakesAt) return
  simulated.wakesAt = wakeAt
  agenda.add(wakeAt, { kind: "wakes" })
}

/** The checks are seen at once, and end later. */
const begin = ({ agenda, checks, machine }: Simulated, sha: string, attempt: number): void => {
  const { runs, version } = machine.forge
  appendEvents(machine, { kind: "checks_seen", sha, version, checks: runs[sha]?.checks ?? [] })
  agenda.add(machine.now + checks.begin(attempt), { kind: "ends", sha, attempt })
}

/** Reads what is new in the log: who merged, and who was evicted. */
const follow = (simulated: Simulated): void => {
  const { agenda, back, checks, fates, machine } = simulated
  for (const { at, event } of machine.log.slice(simulated.read)) {
    if (event.kind === "issued" && event.command.kind === "land") {
      const numbers = event.command.members.map(({ number }) => number)
      checks.land(numbers)
      for (const number of numbers) fates.mergedAt.set(number, at)
    }
    if (event.kind !== "dequeued" || event.reason.code === "conflict" || checks.isGuilty(event.number)) continue
    fates.evicted += 1
    agenda.add(at + exponential(back, away), { kind: "arrives", number: event.number })
  }
  simulated.read = machine.log.length
}
