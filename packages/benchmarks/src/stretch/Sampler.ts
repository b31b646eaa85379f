/** The longest stretch in which the event loop of this thread did not turn. */
import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"

/**
 * The longest stretches in milliseconds.
 *
 * **Details**
 *
 * - `wall`: the longest as the clock shows it.
 * - `cpu`: the most processor time of this thread in one stretch.
 * - `major`, `minor`: how long collections of all garbage and of young objects lasted in the stretch of `cpu`, by the clock.
 */
export interface Stretch {
  readonly wall: number
  readonly cpu: number
  readonly major: number
  readonly minor: number
}

/** A sampler of the event loop. */
export interface Sampler {
  /** The longest stretches since the last call. */
  readonly take: () => Stretch
}

/**
 * Samples the event loop of this thread every millisecond, without keeping the process alive.
 *
 * On a busy machine the clock also counts the time in which the thread had no processor.
 */
export const start = (): Sampler => {
  let collections: Array<PerformanceEntry> = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ["gc"] })
  let last = now()
  let [wall, longest] = [0, { from: last, to: last }]
  const turn = (): void => {
    const at = now()
    wall = Math.max(wall, at.wall - last.wall)
    if (at.cpu - last.cpu > longest.to.cpu - longest.from.cpu) longest = { from: last, to: at }
    last = at
    setTimeout(turn, 1).unref()
  }
  turn()
  return {
    take: () => {
      collections.push(...observer.takeRecords())
      const { from, to } = longest
      const within = collections.filter(({ startTime }) => startTime >= from.wall && startTime < to.wall)
      const found = { wall, cpu: to.cpu - from.cpu, major: total(within, isMajor), minor: total(within, isMinor) }
      collections = []
      wall = 0
      longest = { from: last, to: last }
      return found
    }
  }
}

interface Moment {
  readonly wall: number
  readonly cpu: number
}

const now = (): Moment => {
  const { system, user } = process.threadCpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}

const total = (entries: ReadonlyArray<PerformanceEntry>, isCounted: (entry: PerformanceEntry) => boolean): number =>
  entries.filter(isCounted).reduce((sum, { duration }) => sum + duration, 0)

const isMinor = (entry: PerformanceEntry): boolean => {
  // The types of Node lack the details of garbage collection entries.
  const { detail } = entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }
  return detail.kind === constants.NODE_PERFORMANCE_GC_MINOR
}

const isMajor = (entry: PerformanceEntry): boolean => !isMinor(entry)
