/**
 * Unstable tests: rates from a mixture of log-normals and of observed rates, in bursts, with a drift, and in groups that
 * fail together.
 */
import type { Random } from "../queue/Random.ts"
import { between, logNormal, normal, pick, share, weighted } from "./Draw.ts"
import * as Message from "./Message.ts"
import type { Regime } from "./Regime.ts"

/** How unstable a test is; `rate` is that of one execution at an average time. */
export interface Flake {
  readonly rate: number
  readonly messages: ReadonlyArray<readonly [Message.Message, number]>
  /** The hours in which bursts begin and end, in turn, and the logarithm of the drift of each week. */
  readonly bursts: ReadonlyArray<number>
  readonly drift: ReadonlyArray<number>
  /** The hours between which the test is unstable: some become so, some are mended. */
  readonly from: number
  readonly until: number
}

/** Tests that fail together: a job run triggers them with this rate, and then each fails with a probability. */
export interface Cluster {
  readonly rate: number
  readonly members: ReadonlyMap<unknown, number>
  readonly message: Message.Message
}

/**
 * Failure rates of tests with at least one failure, as they were observed: quantiles of two published histories (Apache
 * Ozone 2020, dask/distributed 2022).
 */
const observed: ReadonlyArray<number> = [
  0.0059, 0.0064, 0.0069, 0.0085, 0.0104, 0.0111, 0.0187, 0.025, 0.0383, 0.0465, 0.0882, 0.1262, 0.3276
]

/** The weights of the messages of one test: most often the same one. */
const messageWeights: ReadonlyArray<number> = [0.72, 0.17, 0.08, 0.03]

/** How unstable a new test is. */
export const make = (draw: Random, regime: Regime, hours: number): Flake => {
  const { flakes } = regime
  const rate = Math.min(0.5, rateOf(draw, flakes))
  const isQuiet = rate < 1e-4
  const count = weighted(draw, [
    [1, 0.55],
    [2, 0.25],
    [3, 0.15],
    [4, 0.05]
  ])
  return {
    rate,
    messages: messageWeights
      .slice(0, isQuiet ? 1 : count)
      .map((weight) => [Message.make(draw, "flake", regime), weight] as const),
    bursts: isQuiet ? [] : burstsOf(draw, flakes, hours),
    drift: isQuiet ? [] : driftOf(draw, flakes.driftPerWeek, hours),
    from: draw() < 0.12 ? between(draw, 0, hours) : 0,
    until: draw() < 0.12 ? between(draw, 0, hours) : Infinity
  }
}

const rateOf = (draw: Random, { frequent, occasional, quietMedian, sigma }: Regime["flakes"]): number => {
  const kind = draw()
  if (kind < frequent.share) return draw() < 0.3 ? pick(draw, observed) : logNormal(draw, frequent.median, sigma * 0.7)
  if (kind < frequent.share + occasional.share) return logNormal(draw, occasional.median, sigma)
  return Math.min(3e-3, logNormal(draw, quietMedian, sigma))
}

const burstsOf = (draw: Random, { burstHours, burstShare }: Regime["flakes"], hours: number): ReadonlyArray<number> => {
  const gap = (burstHours * (1 - burstShare)) / burstShare
  const times: Array<number> = []
  let at = logNormal(draw, gap, 1) * draw()
  while (at < hours && times.length < 400) {
    times.push(at)
    at += logNormal(draw, burstHours, 0.8)
    times.push(at)
    at += logNormal(draw, gap, 1)
  }
  return times
}

const driftOf = (draw: Random, perWeek: number, hours: number): ReadonlyArray<number> => {
  const steps: Array<number> = []
  for (let week = 0, sum = 0; week <= hours / 168; week++) steps.push((sum += perWeek * normal(draw)))
  return steps
}

/** The rate at an hour; outside of bursts it is lower, so that the average stays. */
export const rateAt = (flake: Flake, { burstGain, burstShare }: Regime["flakes"], hour: number): number => {
  if (hour < flake.from || hour >= flake.until) return 0
  if (flake.bursts.length === 0) return flake.rate
  const calm = 1 / (1 + burstShare * (burstGain - 1))
  const isBurst = flake.bursts.filter((time) => time <= hour).length % 2 === 1
  return flake.rate * (isBurst ? burstGain * calm : calm) * Math.exp(flake.drift[Math.floor(hour / 168)] ?? 0)
}

/** The message of a flake of a test. */
export const say = (draw: Random, { messages }: Flake): Message.Exception => weighted(draw, messages)(draw)

/** Groups of unstable tests, of about a handful, some of dozens. */
export const clusters = <T>(draw: Random, regime: Regime, tests: ReadonlyArray<T>): ReadonlyArray<Cluster> => {
  const found: Array<Cluster> = []
  for (let index = 0; index < tests.length;) {
    const size = Math.max(2, Math.round(logNormal(draw, 5, 0.9)))
    const middle = between(draw, 0.3, 0.9)
    const members = tests.slice(index, index + size).map((test) => [test, share(draw, middle, 0.7)] as const)
    index += size
    found.push({
      rate: Math.min(0.3, logNormal(draw, regime.flakes.triggerMedian, 0.9)),
      members: new Map(members),
      message: Message.make(draw, draw() < 0.4 ? "outage" : "flake", regime)
    })
  }
  return found
}
