/** Lasting growth in a series of durations: by three robust tests on the logarithm, from the values so far. */
import type { SlowerPolicy } from "./SlowerPolicy.ts"

/**
 * A growth that lasts.
 *
 * **Details**
 *
 * `start` is the index of the first value after it, `seen` that of the value with which it is reported; `before` and `after` are the
 * medians on both sides.
 */
export interface Shift {
  readonly start: number
  readonly seen: number
  readonly before: number
  readonly after: number
}

/**
 * The growths of a series, in order. A later value changes none that is reported already.
 *
 * **Details**
 *
 * A start is considered when 5 to 8 values (`wait`, `latest`) follow it. It is reported when the median grows by `growth` and `leastMs`,
 * the new level is rare in the last 60 values (`memory`), and two of three tests agree, with `wait` values all of them:
 *
 * - *distance*: the medians of the logarithms differ by four robust deviations.
 * - *order*: all values after exceed the upper quantile of those before by a margin.
 * - *likelihood*: two levels with noise of a Laplace distribution explain the values better than one level, by `evidence` in the natural
 *   logarithm of the likelihoods.
 *
 * Of several starts, the one with the least sum of absolute deviations counts. The next growth is searched from there.
 *
 * @example
 * ```ts
 * import { DurationShift, SlowerPolicy } from "@lazaret/domain"
 *
 * const before = [1200, 1210, 1190, 1230, 1180, 1200, 1220, 1190, 1210, 1200]
 * const after = [3400, 3410, 3380, 3420, 3390]
 * DurationShift.find([...before, ...after], SlowerPolicy.defaults)
 * // => [{ start: 10, seen: 14, before: 1200, after: 3400 }]
 * ```
 */
export const find = (
  values: ReadonlyArray<number>,
  policy: SlowerPolicy,
  growth: number = policy.growth
): ReadonlyArray<Shift> => {
  const logs = values.map((value) => Math.log(Math.max(value, policy.nothingMs)))
  const found: Array<Shift> = []
  let from = 0
  for (let seen = policy.before + policy.wait - 1; seen < values.length; seen++) {
    if (!mayBeSlower(values, { from, seen }, policy)) continue
    const shift = bestOf({ values, logs, growth, from, seen }, policy)
    if (shift === null) continue
    found.push(shift)
    from = shift.start
  }
  return found
}

/** The middle of values, of an even number the mean of the two; `NaN` without values. */
export const median = (values: ReadonlyArray<number>): number => {
  const ordered = [...values].sort(ascending)
  const middle = ordered.length >> 1
  const upper = ordered[middle] ?? NaN
  return ordered.length % 2 === 1 ? upper : ((ordered[middle - 1] ?? NaN) + upper) / 2
}

const ascending = (a: number, b: number): number => a - b

interface Place {
  readonly from: number
  readonly seen: number
}

/** Whether the latest values are clearly above the lower ones before: most values end here. */
const mayBeSlower = (values: ReadonlyArray<number>, { from, seen }: Place, policy: SlowerPolicy): boolean => {
  const first = seen - policy.wait + 1
  const before = values.slice(Math.max(from, first - policy.width), first).sort(ascending)
  const low = before[Math.floor(0.3 * before.length)]
  if (low === undefined) return false
  return median(values.slice(first, seen + 1)) - low >= 0.8 * policy.leastMs
}

interface Searched extends Place {
  readonly values: ReadonlyArray<number>
  readonly logs: ReadonlyArray<number>
  readonly growth: number
}

const bestOf = (searched: Searched, policy: SlowerPolicy): Shift | null => {
  const { from, seen } = searched
  let best: { readonly shift: Shift; readonly cost: number } | null = null
  for (let count = policy.wait; count <= policy.latest; count++) {
    const start = seen - count + 1
    if (start - from < policy.before) break
    const split = splitAt(searched, start, policy)
    if (split !== null && (best === null || split.cost < best.cost)) best = split
  }
  return best?.shift ?? null
}

const splitAt = ({ from, growth, logs, seen, values }: Searched, start: number, policy: SlowerPolicy) => {
  const first = Math.max(from, start - policy.width)
  const before = median(values.slice(first, start))
  const after = median(values.slice(start, seen + 1))
  const isMore = after >= (1 + growth) * Math.max(before, policy.nothingMs) && after - before >= policy.leastMs
  if (!isMore) return null
  const sides = { before: logs.slice(first, start), after: logs.slice(start, seen + 1) }
  const memory = logs.slice(Math.max(0, start - policy.memory), start)
  if (!isNewLevel(sides, memory, policy)) return null
  const votes = [isFar, isAbove, isLikely].filter((agrees) => agrees(sides, policy)).length
  if (votes < (sides.after.length <= policy.wait ? 3 : 2)) return null
  return { shift: { start, seen, before, after }, cost: meanCostOf(sides) }
}

interface Sides {
  readonly before: ReadonlyArray<number>
  readonly after: ReadonlyArray<number>
}

/** Whether all values after are above the middle of the two levels, and few of those in the longer memory are. */
const isNewLevel = ({ after, before }: Sides, memory: ReadonlyArray<number>, { rare }: SlowerPolicy): boolean => {
  const middle = (median(before) + median(after)) / 2
  return after.every((log) => log > middle) && memory.filter((log) => log >= middle).length <= rare * memory.length
}

const isFar = ({ after, before }: Sides, { distance, spread }: SlowerPolicy): boolean =>
  median(after) - median(before) >= distance * Math.max(spread, deviationOf(before), 1.5 * deviationOf(after))

const isAbove = ({ after, before }: Sides, { margin, quantile }: SlowerPolicy): boolean => {
  const ordered = [...before].sort(ascending)
  const upper = ordered[Math.min(ordered.length - 1, Math.floor(quantile * ordered.length))] ?? NaN
  const bound = upper + margin * (median(after) - median(before))
  return after.every((log) => log > bound)
}

const isLikely = (sides: Sides, { evidence, spread }: SlowerPolicy): boolean => {
  const all = [...sides.before, ...sides.after]
  return all.length * Math.log((costOf(all) / all.length + spread) / (meanCostOf(sides) + spread)) >= evidence
}

/** The median absolute deviation, scaled to the standard deviation of a normal distribution. */
const deviationOf = (logs: ReadonlyArray<number>): number => {
  const middle = median(logs)
  return 1.4826 * median(logs.map((log) => Math.abs(log - middle)))
}

/** The mean absolute deviation from the median of each side: the scale of a Laplace distribution around two levels. */
const meanCostOf = ({ after, before }: Sides): number =>
  (costOf(before) + costOf(after)) / (before.length + after.length)

const costOf = (logs: ReadonlyArray<number>): number => {
  const middle = median(logs)
  return logs.reduce((sum, log) => sum + Math.abs(log - middle), 0)
}
