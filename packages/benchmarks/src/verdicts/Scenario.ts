/** The numbers that a world of the simulation is made from. Shares are from 0 to 1. */

/** A scenario. */
export interface Scenario {
  readonly name: string
  /** The tests of all jobs together. */
  readonly tests: number
  /** How many sibling jobs run the same suite; `tests` is a multiple of it. */
  readonly jobs: number
  readonly days: number
  readonly commitsPerDay: number
  /** The share of failed job runs that are repeated on their commit. */
  readonly repeatedShare: number
  /** How often a job repeats a failed test. */
  readonly attempts: number
  /** The share of tests of each kind; the rest is always healthy. */
  readonly kinds: Readonly<Partial<Record<Kind, number>>>
  /** The share of job runs that run a third of the suite. */
  readonly partialShare: number
  readonly outages: Outages | null
  readonly massBreaks: ReadonlyArray<MassBreak>
  readonly smallBreaks: SmallBreaks | null
  readonly pulls: Pulls | null
}

/** How the truth of a test changes. */
export type Kind = "broken" | "mended" | "brokenOnce" | "flaky" | "flakyMended" | "becomesFlaky" | "flakyBroken"

/** Outages: one begins on a day with this chance, hits this share of the suite and lasts this many commits. */
export interface Outages {
  readonly perDay: number
  readonly share: number
  /** Zero: only one job run, so that a repetition on the same commit passes. */
  readonly commits: number
  /** The share of outages that hit one job alone; the others hit every job. */
  readonly inOneJob: number
}

/** A real break of a share of the suite on a day; `mendedAt` counts commits from the breaking one, null for never. */
export interface MassBreak {
  readonly day: number
  readonly share: number
  readonly mendedAt: number | null
}

/** Commits that break 2 to 4 tests with one message, and are mended 1 to 5 commits later. */
export interface SmallBreaks {
  readonly perDay: number
  /** The share of breaks whose tests are in several files. */
  readonly acrossFiles: number
  /** The share of breaks that show in one job alone. */
  readonly inOneJob: number
}

/** Pull requests: how many a day, how many of them break tests of their own, how many come from forks. */
export interface Pulls {
  readonly perDay: number
  readonly breakingShare: number
  readonly forkShare: number
  /** The share of repetitions that run on a newer base, as another run. */
  readonly movedBaseShare: number
}

/** Tests of one file stand next to each other; tests of two files are unrelated. */
export const fileOf = (test: number): number => Math.floor(test / 5)

/** The number of tests that each job runs. Job `j` has the tests from `j * suiteOf(scenario)` on, in the same order. */
export const suiteOf = ({ jobs, tests }: Pick<Scenario, "jobs" | "tests">): number => tests / jobs
