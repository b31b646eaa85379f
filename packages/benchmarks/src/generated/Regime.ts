/**
 * Regimes: the parameters of a generated repository, drawn from wide ranges.
 *
 * **The ranges of this file and its seeds were committed before the model of the verdict was tuned on them, and are not
 * changed afterwards.** A change makes every published figure incomparable: add a second list of seeds instead.
 *
 * No parameter is a parameter of the model. The families are others, too (see `docs/explanation/failure-generator.md`).
 */
import { random, type Random } from "../queue/Random.ts"
import { between, logNormal, magnitude, weighted } from "./Draw.ts"

/** The seeds of regimes: to look at, to choose numbers by, to be used once, for the published table, and for `npm test`. */
export const seeds = {
  train: range(1, 20),
  tune: range(1001, 20),
  test: range(9001, 30),
  short: range(501, 12)
} as const

/** How many repositories are generated of each regime. */
export const repositoriesPerRegime = 2

/** How the jobs of a repository share its tests: one job, every test in every job, each test in one job, or both. */
export type Layout = "one" | "matrix" | "split" | "mixed"

/** The parameters of a repository; shares are from 0 to 1, times in hours. */
export interface Regime {
  readonly seed: number
  readonly tests: number
  readonly layout: Layout
  readonly jobs: number
  readonly days: number
  readonly runs: number
  /** Share of the runs that are of the main branch alone, in addition to those of merges. */
  readonly directShare: number
  readonly flakes: {
    readonly quietMedian: number
    readonly occasional: { readonly share: number; readonly median: number }
    readonly frequent: { readonly share: number; readonly median: number }
    readonly sigma: number
    /** Share of the time in bursts, and how much more often a test fails then. */
    readonly burstShare: number
    readonly burstGain: number
    readonly burstHours: number
    readonly driftPerWeek: number
    /** Share of the unstable tests that fail together with others, and how often a job run triggers them. */
    readonly clustered: number
    readonly triggerMedian: number
    readonly noise: number
    /** The least probability that a test that just failed fails again. */
    readonly sticky: number
    readonly jobSpread: number
  }
  readonly breaks: {
    /** Share of the pushes to a pull request without a break that bring one. */
    readonly perPush: number
    /** Share of the direct pushes to main that bring one, and of the broken pull requests that are merged all the same. */
    readonly onMain: number
    readonly mergedBroken: number
    readonly sizeSigma: number
    readonly wholeFile: number
    readonly notLoading: number
    readonly inSomeJobs: number
    readonly intermittent: number
    /** How many commits of main a break lasts there. */
    readonly commitsOnMain: number
    readonly severalMessages: number
    readonly alwaysRed: number
  }
  readonly outages: {
    readonly share: number
    readonly hours: number
    readonly hitMiddle: number
    readonly jobShare: number
    readonly mainMessage: number
    readonly resources: number
  }
  readonly dependencies: number
  readonly changes: {
    readonly added: number
    readonly renamed: number
    readonly forks: number
    readonly staleBase: number
  }
  readonly reruns: { readonly share: number; readonly partial: number; readonly hours: number; readonly inJob: number }
  readonly messages: {
    readonly generic: number
    readonly silent: number
    readonly volatile: number
    readonly typed: boolean
    readonly files: boolean
  }
  readonly failFast: number
}

/** How many executions a repository has at most, so that a store in memory takes about two seconds, and a run of it. */
const executions = 100_000
const executionsOfRun = 6000

/** The regime of a seed. */
export const of = (seed: number): Regime => {
  const draw = random(seed * 7919)
  const layout = weighted<Layout>(draw, [
    ["one", 0.35],
    ["matrix", 0.4],
    ["split", 0.12],
    ["mixed", 0.13]
  ])
  const wantedJobs = layout === "one" ? 1 : Math.min(12, Math.max(2, Math.round(logNormal(draw, 3.2, 0.55))))
  const tests = Math.round(magnitude(draw, 20, 5000))
  const jobs = layout === "split" ? wantedJobs : Math.max(1, Math.min(wantedJobs, Math.floor(executionsOfRun / tests)))
  const days = magnitude(draw, 1, 365)
  const perRun = layout === "split" ? tests : tests * jobs
  const wanted = days * Math.min(80, Math.max(2, logNormal(draw, 9, 0.9)))
  return {
    seed,
    tests,
    layout,
    jobs,
    days,
    runs: Math.round(Math.max(24, Math.min(wanted, executions / perRun, 300))),
    directShare: between(draw, 0, 0.5),
    flakes: flakesOf(draw),
    breaks: breaksOf(draw),
    outages: {
      share: magnitude(draw, 0.006, 0.1),
      hours: magnitude(draw, 0.5, 24),
      hitMiddle: between(draw, 0.35, 0.97),
      jobShare: between(draw, 0.3, 1),
      mainMessage: between(draw, 0.4, 0.95),
      resources: weighted(draw, [
        [1, 0.4],
        [2, 0.35],
        [4, 0.25]
      ])
    },
    dependencies: weighted(draw, [
      [0, 0.4],
      [1, 0.35],
      [2, 0.15],
      [3, 0.1]
    ]),
    changes: {
      added: magnitude(draw, 0.03, 0.5),
      renamed: magnitude(draw, 0.004, 0.12),
      forks: draw() < 0.4 ? 0 : magnitude(draw, 0.02, 0.6),
      staleBase: draw() < 0.5 ? 0 : between(draw, 0.1, 1)
    },
    reruns: {
      share: draw() < 0.15 ? 0 : between(draw, 0.05, 0.8),
      partial: between(draw, 0, 1),
      hours: magnitude(draw, 0.1, 4),
      inJob: weighted(draw, [
        [0, 0.82],
        [1, 0.12],
        [2, 0.06]
      ])
    },
    messages: {
      generic: between(draw, 0.05, 0.5),
      silent: draw() < 0.6 ? 0 : magnitude(draw, 0.01, 0.2),
      volatile: between(draw, 0.1, 0.9),
      typed: draw() < 0.6,
      files: draw() < 0.7
    },
    failFast: draw() < 0.75 ? 0 : between(draw, 0.2, 0.9)
  }
}

/** The regime of a seed with a suite and a history that `npm test` has time for, and enough flakes to count. */
export const short = (seed: number): Regime => {
  const regime = of(seed)
  const { occasional, frequent } = regime.flakes
  return {
    ...regime,
    tests: 30 + (regime.tests % 40),
    jobs: Math.min(regime.jobs, 3),
    runs: 70,
    flakes: {
      ...regime.flakes,
      occasional: { ...occasional, share: Math.max(0.12, occasional.share) },
      frequent: { ...frequent, share: Math.max(0.03, frequent.share) }
    },
    breaks: { ...regime.breaks, alwaysRed: 0, commitsOnMain: Math.min(2, regime.breaks.commitsOnMain) },
    dependencies: regime.dependencies % 2
  }
}

const flakesOf = (draw: Random): Regime["flakes"] => ({
  quietMedian: magnitude(draw, 1e-7, 3e-5),
  occasional: { share: magnitude(draw, 0.004, 0.2), median: magnitude(draw, 8e-4, 1e-2) },
  frequent: { share: magnitude(draw, 5e-4, 0.03), median: magnitude(draw, 0.02, 0.18) },
  sigma: between(draw, 0.5, 1.4),
  burstShare: between(draw, 0.08, 0.7),
  burstGain: magnitude(draw, 1.2, 15),
  burstHours: magnitude(draw, 6, 400),
  driftPerWeek: between(draw, 0, 0.45),
  clustered: between(draw, 0, 0.75),
  triggerMedian: magnitude(draw, 1e-3, 0.02),
  noise: between(draw, 0, 1),
  sticky: between(draw, 0, 0.35),
  jobSpread: between(draw, 0, 1.2)
})

const breaksOf = (draw: Random): Regime["breaks"] => ({
  perPush: magnitude(draw, 0.03, 0.35),
  onMain: magnitude(draw, 0.01, 0.12),
  mergedBroken: between(draw, 0, 0.2),
  sizeSigma: between(draw, 0.5, 1.4),
  wholeFile: between(draw, 0, 0.25),
  notLoading: between(draw, 0, 0.15),
  inSomeJobs: between(draw, 0, 0.25),
  intermittent: between(draw, 0, 0.06),
  commitsOnMain: magnitude(draw, 0.5, 6),
  severalMessages: between(draw, 0.1, 0.9),
  alwaysRed:
    draw() < 0.85
      ? 0
      : weighted(draw, [
          [1, 0.7],
          [2, 0.3]
        ])
})

function range(first: number, count: number): ReadonlyArray<number> {
  return Array.from({ length: count }, (_, index) => first + index)
}
