/** The checks of a simulated queue: how a run ends, by what it holds, and what its failures are judged to be. */
import type { Judged } from "./Judged.ts"
import { random, type Random } from "./Random.ts"
import * as World from "./World.ts"

/** A failed run: the change that broke it (null: a flake), and which attempt failed. */
export interface Failed {
  readonly attempt: number
  readonly brokenBy: string | null
  readonly commit: string
}

/** The judged failures of a failed run. */
export interface Judge {
  (failed: Failed, draw: Random): ReadonlyArray<Judged>
}

/** The end of a run: the judged failures, none when it is green. */
export type Ended = { readonly isGreen: true } | { readonly isGreen: false; readonly failures: ReadonlyArray<Judged> }

/** A run: its commit, the pull requests that it holds beyond what has landed before, and its attempt. */
export interface Run {
  readonly commit: string
  readonly holds: ReadonlyArray<number>
  readonly attempt: number
}

/** A rerun of the failed jobs takes half of a run and 0.4 of its cost, and a flake comes again with a fifth. */
const rerunTime = 0.5
const rerunCost = 0.4
const flakesAgain = 0.2

/** How often an intermittent test fails. */
const half = 0.5

/**
 * The checks of a world under a judge.
 *
 * **Details**
 *
 * What was landed broken is taken as mended at once: it makes later runs fail no more, and counts as a bad landing.
 */
export class Checks {
  readonly #world: World.World
  readonly #drawn: World.Drawn
  readonly #judge: Judge
  readonly #landed = new Set<number>()
  readonly #flaked = new Set<string>()
  readonly #draws: { readonly flake: Random; readonly judge: Random; readonly time: Random; readonly half: Random }
  /** How many runs have begun; a rerun is a part of one. */
  runs = 0
  /** How many pull requests landed that break a test. */
  badLanded = 0

  constructor(world: World.World, drawn: World.Drawn, judge: Judge) {
    this.#world = world
    this.#drawn = drawn
    this.#judge = judge
    const of = (offset: number) => random(world.seed + offset)
    this.#draws = { flake: of(1), judge: of(2), time: of(4), half: of(5) }
  }

  /** Begins a run and says how long it takes. */
  begin(attempt: number): number {
    this.runs += attempt === 1 ? 1 : rerunCost
    return World.duration(this.#world, this.#draws.time) * (attempt === 1 ? 1 : rerunTime)
  }

  /** Ends a run. */
  end({ attempt, commit, holds }: Run): Ended {
    const brokenBy = this.#brokenBy(holds)
    const isFlake = this.#draws.flake() < (this.#flaked.has(commit) ? flakesAgain : this.#world.flakes)
    if (isFlake) this.#flaked.add(commit)
    const causes = [...(brokenBy === null ? [] : [brokenBy]), ...(isFlake ? [null] : [])]
    if (causes.length === 0) return { isGreen: true }
    return {
      isGreen: false,
      failures: causes.flatMap((cause) => this.#judge({ attempt, commit, brokenBy: cause }, this.#draws.judge))
    }
  }

  /** Notes that pull requests landed. */
  land(numbers: ReadonlyArray<number>): void {
    for (const number of numbers) {
      if (this.isGuilty(number)) this.badLanded += 1
      this.#landed.add(number)
    }
  }

  /** Whether a pull request is at fault: it is bad, or breaks with one that has landed or is ahead of it. */
  isGuilty(number: number, ahead: ReadonlyArray<number> = []): boolean {
    const has = (other: number) => this.#landed.has(other) || ahead.includes(other)
    if (this.#drawn.pulls[number - 1]?.kind !== "good") return true
    return this.#drawn.breaks.some(([a, b]) => (a === number && has(b)) || (b === number && has(a)))
  }

  #brokenBy(holds: ReadonlyArray<number>): string | null {
    const fresh = new Set(holds.filter((number) => !this.#landed.has(number)))
    for (const number of fresh) {
      const kind = this.#drawn.pulls[number - 1]?.kind
      if (kind === "bad" || (kind === "intermittent" && this.#draws.half() < half)) return `${number}`
    }
    const has = (number: number) => fresh.has(number) || this.#landed.has(number)
    const couple = this.#drawn.breaks.find(
      ([earlier, later]) => has(earlier) && has(later) && (fresh.has(earlier) || fresh.has(later))
    )
    return couple === undefined ? null : `${couple[0]} and ${couple[1]}`
  }
}
