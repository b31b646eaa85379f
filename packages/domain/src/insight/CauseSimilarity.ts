/** How similar the failures of tests are: by the job runs they share, shrunk towards a prior from messages and names. */
import * as Linkage from "./AverageLinkage.ts"
import type { CauseItem } from "./CauseItem.ts"
import type { CausePolicy } from "./CausePolicy.ts"
import { counted, type FailingTest } from "./FailingTest.ts"
import * as NameNearness from "./NameNearness.ts"
import type * as Steps from "./Steps.ts"

/**
 * Similarities of all pairs of items, each from 0 to 1, in the places of `AverageLinkage`.
 *
 * **Details**
 *
 * The similarity of two tests is `(shared + expected × prior) / (mean + expected)`: the weight of the job runs in which both failed, the
 * mean weight of those in which each failed, and a prior from messages and names. Of the job runs the latest are compared, until
 * the pairs in them are {@link mostSteps}.
 */
export function* of(items: ReadonlyArray<CauseItem>, policy: CausePolicy): Steps.Steps<Float64Array> {
  const byRun = latestRuns(items)
  yield
  const values = yield* pairSums(items.length, byRun)
  const totals = totalsOf(items.length, byRun)
  yield
  const bySignature = sharesByText(items, signaturesOf, policy)
  yield
  const same = yield* pairSums(items.length, bySignature)
  const byFrame = sharesByText(items, framesOf, policy)
  yield
  const places = yield* pairSums(items.length, byFrame)
  const silent = items.map(({ first }) => first.signatures.every((signature) => signature === null))
  const nearness = NameNearness.of(items.map(({ first }) => first.testName))
  for (let a = 1; a < items.length; a++) {
    if (a % 50 === 0) yield
    for (let b = 0; b < a; b++) {
      const place = Linkage.placeOf(a, b)
      const mean = ((totals[a] ?? 0) + (totals[b] ?? 0)) / 2
      const near = nearness(a, b)
      const prior =
        silent[a] === true || silent[b] === true
          ? policy.silent * near
          : priorOf(Math.max(same[place] ?? 0, places[place] ?? 0), near, policy)
      values[place] = ((values[place] ?? 0) + policy.expected * prior) / Math.max(1e-9, mean + policy.expected)
    }
  }
  return values
}

/** How many pairs of tests are visited over all job runs: about a second. */
const mostSteps = 100_000_000

/** How many pairs are visited in one step. */
const stepSize = 500_000

/** The similarity to expect of two tests before they are seen to fail together. */
const priorOf = (same: number, near: number, { message, messageAndName, name }: CausePolicy): number =>
  Math.min(1, message * same + name * near + messageAndName * same * near)

const signaturesOf = ({ signatures }: FailingTest): Texts => signatures
const framesOf = ({ frames }: FailingTest): Texts => frames

type Texts = ReadonlyArray<string | null>

/** Some items, each with a number. */
type Listed = ReadonlyArray<readonly [item: number, value: number]>

/** The items of each job run with their weights in it: the latest job runs that the steps suffice for. */
const latestRuns = (items: ReadonlyArray<CauseItem>): ReadonlyArray<Listed> => {
  const byRun = new Map<number, Array<readonly [item: number, value: number]>>()
  for (const [item, { first }] of items.entries()) {
    for (const [index, run] of first.runs.entries()) push(byRun, run, [item, first.weights[index] ?? 0])
  }
  let steps = 0
  return [...byRun]
    .sort(([a], [b]) => b - a)
    .map(([, list]) => list)
    .filter((list) => (steps += (list.length * list.length) / 2) <= mostSteps)
}

const push = <K>(lists: Map<K, Array<readonly [number, number]>>, key: K, entry: readonly [number, number]): void => {
  const list = lists.get(key) ?? []
  list.push(entry)
  lists.set(key, list)
}

const totalsOf = (size: number, lists: ReadonlyArray<Listed>): Float64Array => {
  const totals = new Float64Array(size)
  for (const list of lists) for (const [item, value] of list) totals[item] = (totals[item] ?? 0) + value
  return totals
}

/** The sum over all lists of the smaller value of each pair that is in them. */
function* pairSums(size: number, lists: ReadonlyArray<Listed>): Steps.Steps<Float64Array> {
  const sums = new Float64Array((size * (size - 1)) / 2)
  let visited = 0
  for (const list of lists) {
    for (const [index, [a, x]] of list.entries()) {
      visited += index + 1
      if (visited > stepSize) {
        yield
        visited = 0
      }
      for (let other = 0; other < index; other++) {
        const [b, y] = list[other] ?? [a, 0]
        const place = Linkage.placeOf(a, b)
        sums[place] = (sums[place] ?? 0) + Math.min(x, y)
      }
    }
  }
  return sums
}

/** The most frequent texts of an item that are compared. */
const textsOfItem = 5

/**
 * The items with each text: the share of their failures with it, less for a text that strangers use as well.
 *
 * **Details**
 *
 * What tests say at different times ("timed out") proves nothing. So a text counts by the share of the other tests with it that
 * fail with it in the same job run.
 */
const sharesByText = (
  items: ReadonlyArray<CauseItem>,
  textsOf: (test: FailingTest) => Texts,
  { generic }: CausePolicy
): ReadonlyArray<Listed> => {
  const together = togetherOf(items, textsOf)
  const lists = new Map<string, Array<readonly [number, number]>>()
  for (const [item, { first }] of items.entries()) {
    const counts = counted(textsOf(first))
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, textsOfItem)
    for (const [text, count] of most) {
      const share = together.get(text) ?? 0
      push(lists, text, [item, (count / total) * (share / Math.max(1e-9, share + generic)) * (1 + generic)])
    }
  }
  return [...lists.values()]
}

interface Seen {
  readonly runs: Map<number, number>
  tests: number
}

/** Of each text, the average share of the other tests with it that fail with it in one job run. */
const togetherOf = (
  items: ReadonlyArray<CauseItem>,
  textsOf: (test: FailingTest) => Texts
): ReadonlyMap<string, number> => {
  const seen = new Map<string, Seen>()
  for (const { first, tests } of items) {
    for (const text of counted(textsOf(first)).keys()) {
      const known = seen.get(text) ?? { runs: new Map<number, number>(), tests: 0 }
      known.tests += tests.length
      seen.set(text, known)
    }
    for (const [index, text] of textsOf(first).entries()) {
      const known = text === null ? undefined : seen.get(text)
      const run = first.runs[index] ?? -1
      known?.runs.set(run, (known.runs.get(run) ?? 0) + tests.length)
    }
  }
  return new Map([...seen].map(([text, { runs, tests }]) => [text, shareOf([...runs.values()], tests)]))
}

const shareOf = (failed: ReadonlyArray<number>, tests: number): number => {
  const sum = failed.reduce((total, count) => total + count, 0)
  const squares = failed.reduce((total, count) => total + count * count, 0)
  return tests < 2 ? 1 : Math.max(0, squares / sum - 1) / (tests - 1)
}
