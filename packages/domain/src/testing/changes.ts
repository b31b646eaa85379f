/** Runs of a test that began to fail with a commit, for tests and benchmarks. */
import type { Run } from "../insight/ChangeRuns.ts"

/**
 * A history to generate.
 *
 * **Details**
 *
 * - `rate`, `base`: the share of the runs that fail with the change, and without it. `change`: the number of the commit that brought it.
 * - `mended`: the number of the commit that ended it; the number of commits for never. `gap`: the share of the runs that are missing.
 */
export interface Change {
  readonly commits: number
  readonly jobs: number
  readonly rate: number
  readonly base: number
  readonly gap: number
  readonly change: number
  readonly mended: number
}

/** The runs of a history; the commit with the number 7 is `c7`. */
export const changeRuns = (
  { base, change, commits, gap, jobs, mended, rate }: Change,
  random: () => number
): ReadonlyArray<Run> =>
  Array.from({ length: commits * jobs }, (_, index) => [Math.floor(index / jobs), index % jobs] as const).flatMap(
    ([commit, job]) => {
      if (random() < gap) return []
      const failed = random() < (commit >= change && commit < mended ? rate : base)
      return [{ key: `${commit}`, stream: `${job}`, commit: `c${commit}`, at: commit, failed }]
    }
  )

/** A history as repositories have them: up to 200 commits, three jobs, gaps, and a change that may be mended. */
export const anyChange = (rate: number, random: () => number): Change => {
  const commits = 50 + Math.floor(random() * 150)
  const change = Math.floor(random() * commits)
  const lasts = random() < 0.5 ? Infinity : Math.ceil(Math.log(1 - random()) / Math.log(0.99))
  return {
    commits,
    jobs: 1 + Math.floor(random() * 3),
    rate,
    base: [0, 0, 0.001, 0.003][Math.floor(random() * 4)] ?? 0,
    gap: random() < 0.5 ? 0 : 0.4,
    change,
    mended: Math.min(commits, change + lasts)
  }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const again = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((again ^ (again >>> 14)) >>> 0) / 2 ** 32
  }
}
