/**
 * Paired measurement: a subject and its reference take turns in the same process, so that a noisy machine disturbs both.
 *
 * Absolute times say little on a shared machine; the ratio of the medians does. Rounds alternate the order, the first
 * ones warm up and are thrown away.
 */

/** One thing to measure: returns a value that depends on all of its work, so that nothing is optimised away. */
export type Work = () => unknown

/**
 * The result of a comparison: medians in milliseconds, and the subject as a multiple of the reference. `processor` is the processor
 * time of the subject, with that of the garbage collector: other processes do not lengthen it.
 */
export interface Comparison {
  readonly processor: number
  readonly name: string
  readonly reference: number
  readonly subject: number
  readonly ratio: number
  readonly spread: readonly [lowest: number, highest: number]
}

/** Two pieces of work to compare, and the number of rounds. */
export interface Pair {
  readonly name: string
  readonly rounds: number
  readonly reference: Work
  readonly subject: Work
}

/** Measures a pair; asynchronous work is awaited inside the time. */
export const compare = async ({ name, reference, rounds, subject }: Pair): Promise<Comparison> => {
  const times: Array<readonly [reference: Time, subject: Time]> = []
  const warmUp = Math.max(2, Math.floor(rounds / 3))
  for (let round = 0; round < rounds + warmUp; round++) {
    const pair = round % 2 === 0 ? await inOrder(reference, subject) : reversed(await inOrder(subject, reference))
    if (round >= warmUp) times.push(pair)
  }
  const ratios = times.map(([a, b]) => b.wall / a.wall).toSorted(ascending)
  return {
    name,
    reference: median(times.map(([{ wall }]) => wall)),
    subject: median(times.map(([, { wall }]) => wall)),
    processor: median(times.map(([, { processor }]) => processor)),
    ratio: median(ratios),
    spread: [ratios[0] ?? Number.NaN, ratios.at(-1) ?? Number.NaN]
  }
}

/** The middle value; of an even number the mean of the two in the middle. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted(ascending)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const high = sorted[Math.floor(middle)] ?? Number.NaN
  return (low + high) / 2
}

const ascending = (a: number, b: number): number => a - b

/** The time of one piece of work, in milliseconds. */
interface Time {
  readonly wall: number
  readonly processor: number
}

const inOrder = async (first: Work, second: Work): Promise<readonly [Time, Time]> => [
  await time(first),
  await time(second)
]

const reversed = ([a, b]: readonly [Time, Time]): readonly [Time, Time] => [b, a]

let sink: unknown

const time = async (work: Work): Promise<Time> => {
  const used = process.cpuUsage()
  const start = performance.now()
  const result = work()
  sink = result instanceof Promise ? await result : result
  const wall = performance.now() - start
  const { system, user } = process.cpuUsage(used)
  return { wall, processor: (system + user) / 1000 }
}

/** The result of the last work; read once so that it counts as used. */
export const lastResult = (): unknown => sink
