/** The longest stretch in which the event loop of this thread did not turn. */

/** A stretch in milliseconds: as the clock shows it, and the processor time of this thread in it. */
export interface Stretch {
  readonly wall: number
  readonly cpu: number
}

/** A sampler of the event loop. */
export interface Sampler {
  /** The longest stretches since the last call, each figure by itself. */
  readonly take: () => Stretch
}

/**
 * Samples the event loop of this thread every millisecond, without keeping the process alive.
 *
 * On a busy machine the clock also counts the time in which the thread had no processor.
 */
export const start = (): Sampler => {
  let longest: Stretch = { wall: 0, cpu: 0 }
  let last = now()
  const turn = (): void => {
    const at = now()
    longest = { wall: Math.max(longest.wall, at.wall - last.wall), cpu: Math.max(longest.cpu, at.cpu - last.cpu) }
    last = at
    setTimeout(turn, 1).unref()
  }
  turn()
  return {
    take: () => {
      const found = longest
      longest = { wall: 0, cpu: 0 }
      return found
    }
  }
}

const now = (): Stretch => {
  const { system, user } = process.threadCpuUsage()
  return { wall: performance.now(), cpu: (user + system) / 1000 }
}
