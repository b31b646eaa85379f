/** When the invented repository gets commits, and which jobs run on them. */
import type { Kind } from "./Cast.ts"
import * as Dice from "./Dice.ts"

/** A minute in milliseconds. */
export const minute = 60_000

/** A day in milliseconds. */
export const day = 24 * 60 * minute

/** A commit on main: the merge of one pull request. `age` is in days before midnight (UTC) of today. */
export interface Commit {
  readonly index: number
  readonly at: number
  readonly age: number
  readonly isLastOfDay: boolean
}

/** A job of a pipeline. */
export interface Job {
  readonly id: number
  readonly pipeline: string
  readonly job: string
  readonly kind: Kind
  readonly minutes: number
}

/** A job that runs on a commit, or, before it is merged, on the branch of its pull request. */
export interface Run extends Job {
  readonly occasion: "pull_request" | "push" | "nightly"
  readonly commit: Commit
  readonly startedAt: number
}

/**
 * The commits of the last days, oldest first: three on a weekday and one on other days.
 *
 * `today` is midnight (UTC) of the last day.
 */
export function* commits(seed: number, days: number, today: number): Generator<Commit> {
  let index = 0
  for (let back = days - 1; back >= 0; back--) {
    const midnight = today - back * day
    const weekday = new Date(midnight).getUTCDay()
    const hours = weekday === 0 || weekday === 6 ? [11] : [8.5, 12.5, 16.5]
    for (const [place, hour] of hours.entries()) {
      const at = midnight + Math.floor(60 * minute * hour + 40 * minute * Dice.roll(seed, 5, index))
      yield { index, at, age: (today - at) / day, isLastOfDay: place === hours.length - 1 }
      index += 1
    }
  }
}

/**
 * The runs of a commit: unit tests on its pull request, everything on the commit itself, and on the last one of a day the
 * slow jobs again at night.
 */
export const runs = (commit: Commit): ReadonlyArray<Run> => {
  const night = commit.at - (commit.at % day) + day + 120 * minute
  return [
    { ...unit, occasion: "pull_request", commit, startedAt: commit.at - 120 * minute },
    ...[unit, ...slow].map((job): Run => ({ ...job, occasion: "push", commit, startedAt: commit.at })),
    ...(commit.isLastOfDay ? slow : []).map((job): Run => ({ ...job, occasion: "nightly", commit, startedAt: night }))
  ]
}

/** Numbers that tell a run apart from every other. */
export const keysOf = (run: Run): ReadonlyArray<number> => [run.commit.index, run.id, occasions.indexOf(run.occasion)]

const occasions: ReadonlyArray<Run["occasion"]> = ["pull_request", "push", "nightly"]

const unit: Job = { id: 1, pipeline: "CI", job: "unit", kind: "unit", minutes: 4 }

const slow: ReadonlyArray<Job> = [
  { id: 2, pipeline: "CI", job: "integration", kind: "integration", minutes: 9 },
  { id: 3, pipeline: "Browser", job: "chromium", kind: "browser", minutes: 14 },
  { id: 4, pipeline: "Browser", job: "firefox", kind: "browser", minutes: 17 }
]
