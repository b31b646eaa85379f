/** Made-up histories: seeded, so that every run measures the same data. */
import { Instant } from "@lazaret/domain"

/** A small, fast generator of numbers from 0 to 1 (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** An execution with everything that the fold and the statistics read. */
export interface MadeExecution {
  readonly id: string
  readonly at: Instant.Instant
  readonly commit: string
  readonly conclusion: "passed" | "failed"
  readonly flaky: boolean
  readonly reruns: number
  readonly excused: boolean
  readonly durationMs: number
}

/** One identity's history: hourly, four in five executions on a new commit, this share of them failing. */
export const history = (length: number, failureRate: number): ReadonlyArray<MadeExecution> => {
  const random = seeded(42)
  let commit = sha(random)
  return Array.from({ length }, (_, index) => {
    if (random() < 0.8) commit = sha(random)
    return {
      id: `e${index}`,
      at: index * Instant.hour,
      commit,
      conclusion: random() < failureRate ? "failed" : "passed",
      flaky: random() < 0.002,
      reruns: 0,
      excused: false,
      durationMs: random() * 100
    }
  })
}

/** Forty hexadecimal digits, as a commit has. */
export const sha = (random: () => number): string =>
  Array.from({ length: 5 }, () =>
    Math.floor(random() * 4_294_967_296)
      .toString(16)
      .padStart(8, "0")
  ).join("")
