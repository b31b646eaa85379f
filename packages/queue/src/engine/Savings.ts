/** Savings: what a gate kept in the queue, or would have kept, week by week. */
import { Instant, Week } from "@lazaret/domain"
import * as Fate from "./Fate.ts"

/**
 * The savings of a week.
 *
 * **Details**
 *
 * - `start`: Monday at midnight, UTC. `evictions`: the pull requests that left, without those that a person took out.
 * - `saved`: the evictions that the gate prevented; in the shadow those that it would have prevented.
 * - `wasted`: for how long, in milliseconds, groups had been tested when such a failure came: an eviction throws that away.
 * - `reused`: the groups that passed at once because their tree had passed before.
 */
export interface Savings {
  readonly start: Instant.Instant
  readonly evictions: number
  readonly saved: number
  readonly wasted: number
  readonly reused: number
}

/** How many weeks are kept. */
const kept = 12

type Weeks = ReadonlyArray<Savings>

const change = (weeks: Weeks, at: Instant.Instant, of: (week: Savings) => Savings): Weeks => {
  const start = Week.startOf(at)
  const week = weeks.find((each) => each.start === start) ?? { start, evictions: 0, saved: 0, wasted: 0, reused: 0 }
  return [...weeks.filter((each) => each.start !== start), of(week)].toSorted((a, b) => a.start - b.start).slice(-kept)
}

/** The weeks after a fate at an instant. */
export const afterFate = (weeks: Weeks, fate: Fate.Fate, at: Instant.Instant): Weeks =>
  change(weeks, at, (week) => ({
    ...week,
    evictions: week.evictions + (fate.outcome === "evicted" && Fate.isNews(fate) ? 1 : 0),
    saved: week.saved + (fate.isSaved ? 1 : 0),
    wasted: week.wasted + (fate.isSaved ? fate.wasted : 0)
  }))

/** The weeks after a group passed by the tree of another one. */
export const afterReuse = (weeks: Weeks, at: Instant.Instant): Weeks =>
  change(weeks, at, (week) => ({ ...week, reused: week.reused + 1 }))

/**
 * The savings of a week in a sentence; `isShadow`: the gate only decides.
 *
 * @example
 * ```ts
 * import { Savings } from "@lazaret/queue"
 *
 * const week = { start: Date.UTC(2026, 4, 18), evictions: 12, saved: 9, wasted: 31 * 3_600_000, reused: 0 }
 * Savings.sentence(week, true) // => "Week of 2026-05-18: 12 evictions; the gate would have kept 9 of the pull requests, and 31 hours of CI."
 * ```
 */
export const sentence = ({ evictions, reused, saved, start, wasted }: Savings, isShadow: boolean): string => {
  const hours = hoursOf(wasted)
  const again =
    reused === 0 ? "" : ` ${reused === 1 ? "One group" : `${reused} groups`} passed by a tree that had passed before.`
  const left = evictions === 1 ? "1 eviction" : `${evictions} evictions`
  const what = isShadow
    ? `the gate would have kept ${saved} of the pull requests, and ${hours} hours of CI`
    : `the gate kept ${saved === 1 ? "1 other pull request" : `${saved} other pull requests`}, and ${hours} hours of CI`
  return `Week of ${Instant.toIso(start).slice(0, 10)}: ${left}; ${what}.${again}`
}

/** Hours with one digit after the point. */
export const hoursOf = (wasted: number): number => Math.round(wasted / (Instant.hour / 10)) / 10
