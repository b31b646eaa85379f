/** Requests at planned instants, whatever becomes of those before. */
import { setTimeout as sleep } from "node:timers/promises"
import { type Answer, judge } from "./Answers.ts"

/** Requests of one kind: how many in a second, and how the one with a number is sent. */
export interface Kind {
  readonly name: string
  readonly perSecond: number
  readonly send: (turn: number) => Promise<Answer>
}

/** The outcome of a kind: the milliseconds from the planned instant of each request to its answer, in order of size. */
export interface Outcome {
  readonly name: string
  readonly planned: number
  readonly refused: number
  readonly wrong: ReadonlyArray<Answer>
  readonly latencies: ReadonlyArray<number>
  /** The answers in a second, until the last one. */
  readonly held: number
}

/**
 * Sends the requests of a kind for some seconds and yields their outcome when all are answered.
 *
 * **Details**
 *
 * A request is sent at its instant, also when those before it wait, and its latency counts from that instant: a server that
 * stands still is not asked less.
 */
export const play = async ({ name, perSecond, send }: Kind, seconds: number): Promise<Outcome> => {
  const start = performance.now()
  const planned = Math.floor(seconds * perSecond)
  const found: Array<{ readonly answer: Answer; readonly ms: number }> = []
  const one = async (turn: number): Promise<void> => {
    const at = start + (turn * 1000) / perSecond
    await sleep(Math.max(0, at - performance.now()))
    const answer = await send(turn)
    found.push({ answer, ms: performance.now() - at })
  }
  await Promise.all(Array.from({ length: planned }, (_, turn) => one(turn)))
  const of = (verdict: ReturnType<typeof judge>) => found.filter(({ answer }) => judge(answer) === verdict)
  const answered = of("answered")
  return {
    name,
    planned,
    refused: of("refused").length,
    wrong: of("wrong").map(({ answer }) => answer),
    latencies: answered.map(({ ms }) => ms).toSorted((a, b) => a - b),
    held: answered.length / Math.max(seconds, (performance.now() - start) / 1000)
  }
}

/** The value below which a share of sorted values lies; 0 of no values. */
export const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
