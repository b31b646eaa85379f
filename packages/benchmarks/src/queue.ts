/**
 * The merge queue, simulated with the engine's own `decide`; and how long a decision takes.
 *
 * Options: `--days=5`, `--seeds=5`, `--bad=0.05`, `--judge=verdict|good|none|generous`, `--shape=4x4`, `--flakes=0.1`.
 */
import { Instant } from "@lazaret/domain"
import { EngineConfiguration, EngineDecision, type FailureClass, QueueRule } from "@lazaret/queue"
import { makeMachine, makeForge, push, readPull, sweep, appendEvents } from "@lazaret/queue/testing"
import { compare } from "./Paired.ts"
import * as Judged from "./queue/Judged.ts"
import { choose } from "./queue/Random.ts"
import { type Judge, type Measured, simulate, type Strategy, type World } from "./queue/Simulation.ts"
import type { Lines } from "./Section.ts"

/** A judge that draws one class for each failed round, with these probabilities. */
const assumed =
  (flake: Shares, real: Shares): Judge =>
  ({ brokenBy, sha }, draw) => [
    {
      test: brokenBy === null ? `flake ${sha}` : `broken by ${brokenBy}`,
      class: choose(draw, brokenBy === null ? flake : real),
      probability: null
    }
  ]

type Shares = ReadonlyArray<readonly [FailureClass.FailureClass, number]>

/** Judges to compare with the verdict on failures: those of the design, whose confusion is assumed. */
const judges: Readonly<Record<string, Judge>> = {
  good: assumed(
    [
      ["flaky", 0.75],
      ["unknown", 0.2],
      ["real", 0.05]
    ],
    [
      ["flaky", 0.05],
      ["unknown", 0.25],
      ["real", 0.7]
    ]
  ),
  none: assumed([["unknown", 1]], [["unknown", 1]]),
  generous: assumed(
    [
      ["flaky", 0.9],
      ["unknown", 0.1]
    ],
    [
      ["flaky", 0.33],
      ["unknown", 0.27],
      ["real", 0.4]
    ]
  )
}

/** Reruns everything once, whatever it is. */
const blind = assumed([["flaky", 1]], [["flaky", 1]])

/** The verdict on failures: a failed round has the judged failures of one that was generated. */
const ofPool =
  ({ again, flake, real }: Judged.Pool): Judge =>
  ({ attempt, brokenBy }, draw) => {
    const rounds = brokenBy === null ? (attempt === 1 ? flake : again) : real
    const round = rounds[Math.floor(draw() * rounds.length)] ?? []
    return brokenBy === null ? round : round.map((each) => ({ ...each, test: `broken by ${brokenBy}` }))
  }

const unlimited = { perPullRequest: 1000, shareOfRounds: 1000 }

const strategies = (batchSize: number, parallel: number, judge: Judge): ReadonlyArray<Strategy> => [
  { name: "no rerun", batchSize, parallel, judge: blind, rerun: { perRound: 0, ...unlimited } },
  { name: "blind rerun", batchSize, parallel, judge: blind, rerun: { perRound: 1, ...unlimited } },
  { name: "flake-aware", batchSize, parallel, judge, rerun: EngineConfiguration.defaults.rerun }
]

const shapes = [
  [1, 1],
  [1, 4],
  [4, 1],
  [4, 4]
] as const

/** The simulation of the merge queue, and the time of a decision. */
export const queue: Lines = {
  name: "queue",
  async *lines(options) {
    const { bad, days, judge, rates, seeds, wanted } = read(options)
    yield* decisions()
    yield `${seeds} seeds of ${days} days, ${bad * 100} % bad; median / p90 minutes to merge, runs per merge, innocents evicted per 100 merged`
    for (const [batchSize, parallel] of shapes.filter((shape) => wanted === undefined || shape.join("x") === wanted)) {
      for (const flakes of rates) {
        const judged = judges[judge] ?? ofPool(yield* generated(flakes))
        for (const strategy of strategies(batchSize, parallel, judged)) {
          const worlds = Array.from({ length: seeds }, (_, index): World => {
            return { days, perHour: 6, bad, flakes, round: 30 * Instant.minute, seed: 1000 * (index + 1) }
          })
          const cell = toCell(worlds.map((world) => simulate(strategy, world)))
          yield `${batchSize} x ${parallel}, ${(flakes * 100).toFixed(0).padStart(2)} % flakes, ${strategy.name.padEnd(11)}: ${cell}`
        }
      }
    }
  }
}

const read = (options: ReadonlyArray<string>) => {
  const value = (name: string) => options.find((option) => option.startsWith(`--${name}=`))?.split("=")[1]
  const judge = value("judge") ?? "verdict"
  if (judge !== "verdict" && judges[judge] === undefined) {
    throw new Error(`--judge is one of verdict, ${Object.keys(judges).join(", ")}`)
  }
  return {
    judge,
    wanted: value("shape"),
    rates: value("flakes") === undefined ? [0, 0.05, 0.1, 0.2] : [Number(value("flakes"))],
    days: Number(value("days") ?? 5),
    seeds: Number(value("seeds") ?? 5),
    bad: Number(value("bad") ?? 0.05)
  }
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

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const toCell = (measured: ReadonlyArray<Measured>): string => {
  const minutes = measured.flatMap((each) => each.minutes).sort((a, b) => a - b)
  const sum = (of: (each: Measured) => number) => measured.reduce((total, each) => total + of(each), 0)
  const merged = sum((each) => each.merged)
  const runs = (sum((each) => each.runs) / merged).toFixed(2)
  const evicted = ((100 * sum((each) => each.evicted)) / merged).toFixed(1)
  return `${quantile(minutes, 0.5).toFixed(0).padStart(5)} / ${quantile(minutes, 0.9).toFixed(0).padStart(5)}, ${runs}, ${evicted}`
}

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
