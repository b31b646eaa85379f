/** Places of tests in the sets of one group of jobs: small numbers, so that a set is as large as the group and not as the repository. */
import { TestSet } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect, Result } from "effect"
import { slots } from "../codec/BlockCounts.ts"
import type { LayoutError } from "../codec/LayoutError.ts"
import * as TestSets from "../codec/TestSets.ts"

/** The places of the tests of a group. */
export interface TestPlaces {
  /** The tests of a packed pair of sets that are in one of both, by place. */
  readonly setOf: (bytes: Uint8Array) => Result.Result<TestSet.TestSet, LayoutError>
  /** The numbers of the tests at the places of a set. Tests of several jobs may share a place. */
  readonly testsAt: (places: TestSet.TestSet) => ReadonlyArray<number>
  /** How many tests these numbers are. */
  readonly sizeOf: (numbers: ReadonlySet<number>) => number
}

/** The places of the tests of one job: blocks in the order in which they are met. */
export const ofBlocks = (): TestPlaces => {
  const places = new Map<number, number>()
  const blocks: Array<number> = []
  return {
    setOf: (bytes) => {
      const words: Array<number> = []
      const put = (block: number, low: number, high: number) => {
        const place = places.get(block) ?? blocks.push(block) - 1
        places.set(block, place)
        while (words.length < place * 2) words.push(0)
        words[place * 2] = low
        words[place * 2 + 1] = high
      }
      return Result.map(TestSets.visitUnion(bytes, put), () => Uint32Array.from(words))
    },
    testsAt: (set) =>
      TestSet.numbers(set).map((number) => (blocks[Math.floor(number / slots)] ?? 0) * slots + (number % slots)),
    sizeOf: ({ size }) => size
  }
}

/** The places of the tests of several jobs: tests with one id have one place. */
export const ofIds = Effect.fnUntraced(function* (
  tests: ReadonlyArray<{ readonly test_no: number; readonly test_id: string }>
): Effect.fn.Return<TestPlaces> {
  const placesOfIds = new Map<string, number>()
  const places = new Map<number, number>()
  const testsAt: Array<Array<number>> = []
  yield* Slices.visit(tests, testsAtOnce, ({ test_id, test_no }) => {
    const place = placesOfIds.get(test_id) ?? testsAt.push([]) - 1
    placesOfIds.set(test_id, place)
    places.set(test_no, place)
    testsAt[place]?.push(test_no)
  })
  return {
    setOf: (bytes) => {
      const found: Array<number> = []
      const take = (block: number, low: number, high: number) => {
        for (const test of TestSet.numbers(Uint32Array.of(low, high))) {
          const place = places.get(block * slots + test)
          if (place !== undefined) found.push(place)
        }
      }
      return Result.map(TestSets.visitUnion(bytes, take), () => TestSet.of(found))
    },
    testsAt: (set) => TestSet.numbers(set).flatMap((place) => testsAt[place] ?? []),
    sizeOf: (numbers) => new Set(Array.from(numbers, (number) => places.get(number))).size
  }
})

const testsAtOnce = 5000
