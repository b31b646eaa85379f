/** Fair shares of whole numbers: what several tests made together, each pays its part of. */
import * as Text from "../text/Text.ts"
import * as Steps from "./Steps.ts"

/**
 * A whole number in equal parts, which are whole numbers and sum up to it: the first ones are larger by one where it does not divide.
 *
 * @example
 * ```ts
 * import { CostShare } from "@lazaret/domain"
 *
 * CostShare.parts(10, 3) // => [4, 3, 3]
 * ```
 */
export const parts = (total: number, count: number): ReadonlyArray<number> => {
  const part = partOf(total, count)
  return Array.from({ length: count }, (_, index) => part(index))
}

/** The part with an index, of which there are `count`. */
const partOf = (total: number, count: number): ((index: number) => number) => {
  const least = Math.floor(total / count)
  const larger = total - least * count
  return (index) => least + (index < larger ? 1 : 0)
}

/** The share of a test. */
export interface Share {
  readonly testName: string
  readonly us: number
}

/**
 * The shares of the tests that made a job run red together.
 *
 * **Details**
 *
 * Each cause pays the same, and each test of a cause the same part of that; a test without a cause is a cause of its own. This is
 * the Owen value of the game in which a job run costs its time as soon as one of its tests fails: it is the only share that treats
 * equal causes, and equal tests of a cause, alike. The shares sum up to `total`, and follow neither the order of tests nor that of arrival.
 */
export const among = (
  total: number,
  testNames: ReadonlyArray<string>,
  causeOf: (testName: string) => string | null
): ReadonlyArray<Share> => Steps.finish(sharing(total, testNames, causeOf))

/** The same in steps of some thousand tests. */
export function* sharing(
  total: number,
  testNames: ReadonlyArray<string>,
  causeOf: (testName: string) => string | null
): Steps.Steps<ReadonlyArray<Share>> {
  const causes = new Map<string, Array<string>>()
  const alone: Array<string> = []
  yield* Steps.map(yield* inOrder(testNames), one, (testName) => {
    const causeId = causeOf(testName)
    const group = causes.get(causeId ?? "")
    if (causeId === null) alone.push(testName)
    else if (group === undefined) causes.set(causeId, [testName])
    else group.push(testName)
  })
  const groups = [...causes].sort(([a], [b]) => Text.compare(a, b)).map(([, group]) => group)
  const ofCause = partOf(total, groups.length + alone.length)
  const together = yield* Steps.map(groups.entries(), ofGroup, ([index, group]) => {
    const ofTest = partOf(ofCause(index), group.length)
    return group.map((testName, place) => ({ testName, us: ofTest(place) }))
  })
  let index = groups.length
  const lone = yield* Steps.map(alone, one, (testName) => ({ testName, us: ofCause(index++) }))
  return [...together.flat(), ...lone]
}

const one = Steps.ofItems(5000)

const ofGroup = { most: 5000, weightOf: ([, group]: readonly [number, ReadonlyArray<string>]) => group.length }

/** Each name once, in order. Stores give them so: 50,000 names are compared once, and not sorted. */
function* inOrder(names: ReadonlyArray<string>): Steps.Steps<ReadonlyArray<string>> {
  let [isSorted, last] = [true, ""]
  yield* Steps.map(names.entries(), one, ([index, name]) => {
    isSorted &&= index === 0 || Text.compare(last, name) < 0
    last = name
  })
  return isSorted ? names : yield* Steps.sorted([...new Set(names)], Text.compare)
}
