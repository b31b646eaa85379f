/** The totals of a block at the close of each day, updated while executions arrive in any order. */
import * as BlockCounts from "../codec/BlockCounts.ts"
import type { Step } from "./Replay.ts"

/** The totals at the close of days, by day. */
export type Closings = ReadonlyMap<number, BlockCounts.BlockCounts>

/** A block before it was replayed: the day of its latest execution and its totals; null before the first execution. */
export interface Before {
  readonly lastDay: number
  readonly counts: BlockCounts.BlockCounts
}

/** The day of the latest execution, and the closings that are new or changed. The latest day is not closed. */
export interface Changed {
  readonly lastDay: number
  readonly closings: Closings
}

/** The first day whose closing a replay may change; null when every new execution is on the latest day or later. */
export const firstDay = (before: Before | null, steps: ReadonlyArray<Step>): number | null => {
  if (before === null) return null
  const first = steps.reduce((least, { day }) => Math.min(least, day), Infinity)
  return first < before.lastDay ? first : null
}

/** The closings after executions of one day, which must not be before the latest day. */
export const afterDay = (before: Before | null, lastDay: number): Changed => ({
  lastDay,
  closings: new Map(before === null || before.lastDay === lastDay ? [] : [[before.lastDay, before.counts]])
})

/**
 * The closings after a replay.
 *
 * **Details**
 *
 * `known` are the closings from the first changed day on, and the one before them. From the first day of a test's steps
 * on, its totals are those of the steps; everything else stays.
 */
export const after = (before: Before | null, known: Closings, steps: ReadonlyArray<Step>): Changed => {
  const lastDay = steps.reduce((latest, { day }) => Math.max(latest, day), before?.lastDay ?? -Infinity)
  const touched = new Set(steps.map(({ day }) => day))
  const days = [...new Set([...known.keys(), ...(before === null ? [] : [before.lastDay]), ...touched])]
  const closings = new Map<number, BlockCounts.BlockCounts>()
  let stored = BlockCounts.make()
  for (const day of days.sort((a, b) => a - b)) {
    stored = day === before?.lastDay ? before.counts : (known.get(day) ?? stored)
    if (day === lastDay) break
    const changed = withSteps(stored, steps, day)
    if (changed !== stored || !known.has(day)) closings.set(day, changed)
  }
  return { lastDay, closings }
}

/** The totals with those of the steps up to a day; the same object when no step is on or before that day. */
const withSteps = (
  stored: BlockCounts.BlockCounts,
  steps: ReadonlyArray<Step>,
  day: number
): BlockCounts.BlockCounts => {
  let changed = stored
  for (const step of steps) {
    if (step.day > day) continue
    if (changed === stored) changed = BlockCounts.copy(stored)
    BlockCounts.set(changed, step.slot, step.totals)
  }
  return changed
}
