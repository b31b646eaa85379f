/**
 * The world of a simulated queue: who arrives when, what is bad, who conflicts with whom, and how long the checks take.
 *
 * **Details**
 *
 * All of it is drawn from the seed before a strategy runs, so that strategies meet the same pull requests.
 */
import { Instant } from "@lazaret/domain"
import { choose, exponential, normal, random, type Random } from "./Random.ts"

/**
 * The parameters of a world.
 *
 * **Details**
 *
 * - `perDay`: pull requests of a working day. `clumped`: the share that comes within minutes of the one before.
 * - `bad`: the share that breaks a test although its own checks passed. `conflicting`, `breaking`: the shares of the pairs of near
 *   pull requests that git cannot merge, and that break a test only together.
 * - `flakes`: the probability that a run of good code fails. `round`: the median of a run in milliseconds; `spread`: the deviation
 *   of its logarithm.
 */
export interface World {
  readonly days: number
  readonly perDay: number
  readonly clumped: number
  readonly bad: number
  readonly conflicting: number
  readonly breaking: number
  readonly flakes: number
  readonly round: number
  readonly spread: number
  readonly seed: number
}

/** A pull request of a world; an `intermittent` one brings a test that fails in half of the runs. */
export interface Pull {
  readonly number: number
  readonly at: number
  readonly kind: "good" | "bad" | "intermittent"
}

/** Two pull requests that do not go together. */
export type Couple = readonly [earlier: number, later: number]

/** A world as it was drawn. */
export interface Drawn {
  readonly pulls: ReadonlyArray<Pull>
  readonly conflicts: ReadonlyArray<Couple>
  readonly breaks: ReadonlyArray<Couple>
}

/** A working day: how busy each hour is, with a lull at noon. */
const hours = [0.8, 1.2, 1.2, 0.7, 0.8, 1.2, 1.3, 1.2, 0.9, 0.7]

/** How far a pull request in a clump is behind the one before, on average. */
const gap = 3 * Instant.minute

/** The share of the bad pull requests whose test fails in half of the runs only. */
const intermittent = 0.2

/** Only pull requests this near to each other in the order of arrival are in the queue together. */
const near = 8

/** The pull requests and pairs of a world. */
export const drawn = (world: World): Drawn => {
  const draw = random(world.seed)
  const pulls = arrivals(world, draw).map((at, index): Pull => ({ number: index + 1, at, kind: kindOf(world, draw) }))
  const pairs = pulls.flatMap(({ number }) =>
    Array.from({ length: Math.min(near, number - 1) }, (_, index): Couple => [number - 1 - index, number])
  )
  const some = (share: number) => pairs.filter(() => draw() < share)
  return { pulls, conflicts: some(world.conflicting), breaks: some(world.breaking) }
}

const kindOf = ({ bad }: World, draw: Random): Pull["kind"] =>
  choose(draw, [
    ["bad", bad * (1 - intermittent)],
    ["intermittent", bad * intermittent],
    ["good", 1]
  ])

const arrivals = ({ clumped, days, perDay }: World, draw: Random): ReadonlyArray<number> => {
  const times: Array<number> = []
  const alone = (perDay * (1 - clumped)) / hours.length
  for (let day = 1; day <= days; day++) {
    for (const [hour, weight] of hours.entries()) {
      const start = day * Instant.day + hour * Instant.hour
      let at = exponential(draw, Instant.hour / (alone * weight))
      for (; at < Instant.hour; at += exponential(draw, Instant.hour / (alone * weight))) {
        times.push(start + at)
        for (let next = at; draw() < clumped; times.push(start + next)) next += exponential(draw, gap)
      }
    }
  }
  return times.sort((a, b) => a - b)
}

/** How long a run takes: log-normal, in milliseconds. */
export const duration = ({ round, spread }: World, draw: Random): number =>
  Math.ceil(round * Math.exp(spread * normal(draw)))
