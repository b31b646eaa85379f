/**
 * The merge queue, simulated with the engine's own `decide`; and how long a decision takes.
 *
 * **Details**
 *
 * Options: `--days=3`, `--seeds=10`, `--load=60` (pull requests of a day), `--bad=0.03`, `--minutes=30` (the median of a run),
 * `--judge=measured|poor|none|generous|verdict`, `--flakes=0.1`, `--only=NAME` (strategies whose name contains it).
 */
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, EngineDecision, QueueRule } from "@lazaret/queue"
import { makeMachine, makeForge, push, readPull, sweep, appendEvents } from "@lazaret/queue/testing"
import { compare } from "./Paired.ts"
import type { Judge } from "./queue/Checks.ts"
import * as Judged from "./queue/Judged.ts"
import * as Judges from "./queue/Judges.ts"
import * as Measured from "./queue/Measured.ts"
import * as Strategy from "./queue/Strategy.ts"
import * as World from "./queue/World.ts"
import type { Lines } from "./Section.ts"

/** The simulation of the merge queue, and the time of a decision. */
export const queue: Lines = {
  name: "queue",
  async *lines(options) {
    const { judge, rates, seeds, wanted, world } = read(options)
    yield* decisions()
    yield `${seeds} seeds of ${world.days} days with ${world.perDay} pull requests, ${world.bad * 100} % bad, judge ${judge}`
    for (const flakes of rates) {
      const judged = Judges.named[judge] ?? Judges.ofPool(yield* generated(flakes))
      yield `${(flakes * 100).toFixed(0)} % flakes: minutes to merge median / p90; per merge runs; per 100 merges innocents evicted, bad landed`
      yield* table({ ...world, flakes }, { judge: judged, seeds, wanted })
    }
  }
}

interface Question {
  readonly judge: Judge
  readonly seeds: number
  readonly wanted: string
}

function* table(world: World.World, { judge, seeds, wanted }: Question): Generator<string> {
  const worlds = Array.from({ length: seeds }, (_, index) => ({ ...world, seed: 1000 * (index + 1) }))
  const drawn = worlds.map(World.drawn)
  let oneByOne: ReadonlyArray<Measured.Measured> | null = null
  for (const { name, simulate } of Strategy.all(judge)) {
    if (name !== Strategy.reference && !name.includes(wanted)) continue
    const measured = worlds.map((each, index) => simulate(each, drawn[index] ?? World.drawn(each)))
    if (name === Strategy.reference) oneByOne = measured
    yield `  ${name.padEnd(22)}${cell(measured)}${oneByOne === null ? "" : compared(measured, oneByOne)}`
  }
}

const cell = (measured: ReadonlyArray<Measured.Measured>): string => {
  const { bad, innocent, median, p90, runs } = Measured.figures(measured)
  const times = `${median.toFixed(0).padStart(5)} / ${p90.toFixed(0).padStart(5)}`
  return `${times}; ${runs.toFixed(2)}; ${innocent.toFixed(1).padStart(4)}, ${bad.toFixed(2)}`
}

/** The runs and the p90 as shares of those one by one, with intervals over the seeds. */
const compared = (measured: ReadonlyArray<Measured.Measured>, oneByOne: ReadonlyArray<Measured.Measured>): string => {
  const share = (name: "runs" | "p90") => {
    const of = (seeds: ReadonlyArray<number>) => ofSeeds(measured, seeds)[name] / ofSeeds(oneByOne, seeds)[name]
    const [low, high] = Measured.interval(measured.length, of)
    return `${of(measured.map((_, index) => index)).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
  }
  const [low, high] = Measured.interval(measured.length, (seeds) => ofSeeds(measured, seeds).innocent)
  return `; runs ${share("runs")}, p90 ${share("p90")} of one by one; innocents ${low.toFixed(1)} to ${high.toFixed(1)}`
}

const ofSeeds = (worlds: ReadonlyArray<Measured.Measured>, seeds: ReadonlyArray<number>): Measured.Figures =>
  Measured.figures(seeds.flatMap((seed) => worlds[seed] ?? []))

const read = (options: ReadonlyArray<string>) => {
  const value = (name: string) => options.find((option) => option.startsWith(`--${name}=`))?.split("=")[1]
  const number = (name: string, otherwise: number) => Number(value(name) ?? otherwise)
  const judge = value("judge") ?? "measured"
  if (judge !== "verdict" && Judges.named[judge] === undefined) {
    throw new Error(`--judge is one of verdict, ${Object.keys(Judges.named).join(", ")}`)
  }
  const world: World.World = {
    days: number("days", 3),
    perDay: number("load", 60),
    clumped: 0.1,
    bad: number("bad", 0.03),
    conflicting: 0.003,
    breaking: 0.002,
    flakes: 0,
    round: number("minutes", 30) * Instant.minute,
    spread: 0.3,
    seed: 0
  }
  const rates = value("flakes") === undefined ? [0, 0.01, 0.02, 0.05, 0.1, 0.2] : [number("flakes", 0)]
  return { judge, rates, seeds: number("seeds", 10), wanted: value("only") ?? "", world }
}

const pools = new Map<number, Judged.Pool>()

/** The failures of a suite with a rate of flakes, judged once; says how. */
async function* generated(flakes: number): AsyncGenerator<string, Judged.Pool> {
  const known = pools.get(flakes)
  if (known !== undefined) return known
  const pool = await Judged.judged(Math.max(flakes, leastFlakes), 7)
  pools.set(flakes, pool)
  yield `${(flakes * 100).toFixed(0)} % flakes, judged: flakes ${Judged.shares(pool.flake)}; again ${Judged.shares(pool.again)}; real ${Judged.shares(pool.real)}`
  return pool
}

/** A suite without any flakes has none to judge. */
const leastFlakes = 0.01

/** A queue of 200 pull requests in which a round was just answered, decided many times. */
async function* decisions(): AsyncIterable<string> {
  const machine = makeMachine(makeForge(["ci"]), {
    ...EngineConfiguration.defaults,
    mode: "drive",
    maxParallelChecks: 8,
    requiredChecks: ["ci"],
    rules: QueueRule.prioritize([{ name: "default", settings: { batchSize: 4, batchMaxWaitTime: 0 } }])
  })
  appendEvents(machine, ...sweep(machine.forge))
  const events = Array.from({ length: 200 }, (_, index) => {
    push(machine.forge, index + 1, `h${index + 1}`)
    const pull = readPull(machine.forge, index + 1)
    const asked = { kind: "queue_asked", number: index + 1, head: `h${index + 1}`, rule: "default" } as const
    return [
      { ...asked, priority: 2000, by: "author" },
      ...(pull === null ? [] : [{ kind: "pull_seen", pull } as const])
    ]
  })
  const queued = { ...machine, log: [], decide: () => ({ events: [], commands: [], wakeAt: null }) }
  for (const each of events) appendEvents(queued, ...each)
  const { ratio, subject } = await compare({
    name: "decide",
    rounds: 100,
    reference: () => structuredClone(queued.state),
    subject: () => EngineDecision.decide(queued.state, machine.configuration, 1_000_000)
  })
  const first = EngineDecision.decide(queued.state, machine.configuration, 1_000_000)
  yield `decide with 200 queued pull requests, ${first.events.length} events: median ${subject.toFixed(2)} ms (aim: below 5), ${ratio.toFixed(2)} of a copy of the state`
}
