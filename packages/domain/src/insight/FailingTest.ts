/** The failing job runs of each test, each with a weight: a row of failures counts once. */
import * as Steps from "./Steps.ts"
import * as Text from "../text/Text.ts"
import { type FailedRun, type FailedTest, streamOf } from "./CauseFacts.ts"

/**
 * A test with the job runs in which it failed.
 *
 * **Details**
 *
 * - `runs`: numbers of job runs, ascending. `weights`: of each, from 0 to 1; those of a row of failures without a job run between
 *   them in which the test did not fail sum up to 1.
 * - `signatures`, `frames`: of the failure in each of the runs, null where unknown.
 */
export interface FailingTest {
  readonly testName: string
  readonly runs: ReadonlyArray<number>
  readonly weights: ReadonlyArray<number>
  readonly signatures: ReadonlyArray<string | null>
  readonly frames: ReadonlyArray<string | null>
}

/** A job run with its number. */
export type Numbered = readonly [number: number, run: FailedRun]

/** Every test that failed in one of some job runs, in the order of names. The job runs are those of `CauseFacts.inOrder`. */
export function* of(runs: Iterable<Numbered>): Steps.Steps<ReadonlyArray<FailingTest>> {
  const found = new Map<string, Array<Place>>()
  const perRun = { most: 10_000, weightOf: ([, { failed }]: Numbered) => failed.length }
  yield* Steps.mapSteps(runs, perRun, ([number, run]) =>
    Steps.map(run.failed, perFailure, (failed) => {
      const places = found.get(failed.testName) ?? []
      places.push({ number, run, failed })
      found.set(failed.testName, places)
    })
  )
  const perTest = { most: 3000, weightOf: ([, places]: readonly [string, ReadonlyArray<Place>]) => places.length }
  const tests = yield* Steps.map(found, perTest, ([testName, places]) => testOf(testName, places))
  yield
  return yield* Steps.sorted(tests, (a, b) => Text.compare(a.testName, b.testName))
}

const perFailure = Steps.ofItems(10_000)

interface Place {
  readonly number: number
  readonly run: FailedRun
  readonly failed: FailedTest
}

const testOf = (testName: string, places: ReadonlyArray<Place>): FailingTest => ({
  testName,
  runs: places.map(({ number }) => number),
  weights: weightsOf(places),
  signatures: places.map(({ failed }) => failed.signature),
  frames: places.map(({ failed }) => failed.frame)
})

/** One over the length of the row that each failure belongs to. */
const weightsOf = (places: ReadonlyArray<Place>): ReadonlyArray<number> => {
  const weights = places.map(() => 1)
  for (const stream of Map.groupBy(places.entries(), ([, { run }]) => streamOf(run)).values()) {
    const sorted = stream.toSorted(([, a], [, b]) => a.run.ordinal - b.run.ordinal)
    for (let start = 0; start < sorted.length;) {
      let end = start + 1
      while (end < sorted.length && ordinalOf(sorted[end]) - ordinalOf(sorted[end - 1]) <= 1) end += 1
      for (const [index] of sorted.slice(start, end)) weights[index] = 1 / (end - start)
      start = end
    }
  }
  return weights
}

const ordinalOf = (entry: readonly [number, Place] | undefined): number => entry?.[1].run.ordinal ?? 0

/** The numbers of the job runs in which one of some tests failed, ascending. */
export const numbersOf = (tests: ReadonlyArray<FailingTest>): ReadonlyArray<number> =>
  [...new Set(tests.flatMap((test) => test.runs))].sort((a, b) => a - b)

/** How often each text occurs, in code-point order; what is unknown does not count. */
export const counted = (texts: ReadonlyArray<string | null>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1)
  return new Map([...counts].sort(([a], [b]) => Text.compare(a, b)))
}

/** The most frequent text, the first of several in code-point order; undefined without any. */
export const mostFrequent = (texts: ReadonlyArray<string | null>): string | undefined => {
  const counts = new Map<string, number>()
  for (const text of texts) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1)
  let found: string | undefined
  let most = 0
  for (const [text, count] of counts) {
    if (count < most || (count === most && found !== undefined && Text.compare(text, found) > 0)) continue
    found = text
    most = count
  }
  return found
}
