/**
 * Sets of tests as bits: test `n` is bit `n % 32` of word `n / 32`. A set of 50,000 tests takes 6 KB.
 *
 * A set never changes once it is made. Words that are missing at the end are 0.
 */

/** A set of tests by number. */
export type TestSet = Uint32Array

/** The set without tests. */
export const empty: TestSet = new Uint32Array(0)

/**
 * The set of these numbers.
 *
 * @example
 * ```ts
 * import { TestSet } from "@lazaret/domain"
 *
 * const set = TestSet.of([1, 40])
 * TestSet.has(set, 40) // => true
 * TestSet.size(set) // => 2
 * ```
 */
export const of = (numbers: ReadonlyArray<number>): TestSet => {
  let words = 0
  for (const number of numbers) words = Math.max(words, (number >>> 5) + 1)
  const set = new Uint32Array(words)
  for (const number of numbers) set[number >>> 5] = wordOf(set, number >>> 5) | (1 << (number & 31))
  return set
}

/** Whether a test is in a set. */
export const has = (set: TestSet, number: number): boolean => ((wordOf(set, number >>> 5) >>> (number & 31)) & 1) === 1

/** How many tests are in a set. */
export const size = (set: TestSet): number => {
  let count = 0
  for (const word of set) count += ones(word)
  return count
}

/** The tests of a set, ascending. */
export const numbers = (set: TestSet): Array<number> => {
  const found: Array<number> = []
  set.forEach((word, index) => {
    for (let rest = word; rest !== 0; rest &= rest - 1) found.push(index * 32 + 31 - Math.clz32(rest & -rest))
  })
  return found
}

/** The tests that are in one of two sets. */
export const union = (a: TestSet, b: TestSet): TestSet => {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  return long.map((word, index) => word | wordOf(short, index))
}

/** The tests of the first set that are not in the second. */
export const without = (a: TestSet, b: TestSet): TestSet => a.map((word, index) => word & ~wordOf(b, index))

/** The tests that are in both sets. */
export const intersection = (a: TestSet, b: TestSet): TestSet => a.map((word, index) => word & wordOf(b, index))

/**
 * The tests that are in at least `least` of some sets.
 *
 * @example
 * ```ts
 * import { TestSet } from "@lazaret/domain"
 *
 * const sets = [TestSet.of([1, 2]), TestSet.of([2]), TestSet.of([2, 3])]
 * TestSet.numbers(TestSet.inAtLeast(sets, 2)) // => [2]
 * ```
 */
export const inAtLeast = (sets: ReadonlyArray<TestSet>, least: number): TestSet => {
  const words = sets.reduce((most, { length }) => Math.max(most, length), 0)
  const planes = Math.max(1, Math.ceil(Math.log2(sets.length + 1)))
  const counts = new Uint32Array(planes)
  const found = new Uint32Array(words)
  for (let index = 0; index < words; index++) {
    counts.fill(0)
    for (const set of sets) {
      // Adds 32 bits to 32 counters at once: a counter's binary digits are in as many planes.
      let carry = wordOf(set, index)
      for (let plane = 0; carry !== 0 && plane < planes; plane++) {
        const digit = wordOf(counts, plane)
        counts[plane] = digit ^ carry
        carry &= digit
      }
    }
    found[index] = notBelow(counts, least)
  }
  return found
}

/** How many tests are in both sets. */
export const common = (a: TestSet, b: TestSet): number => {
  let count = 0
  for (let index = Math.min(a.length, b.length) - 1; index >= 0; index--) {
    count += ones(wordOf(a, index) & wordOf(b, index))
  }
  return count
}

/** Whether two sets have the same tests. */
export const isSame = (a: TestSet, b: TestSet): boolean => {
  for (let index = Math.max(a.length, b.length) - 1; index >= 0; index--) {
    if (wordOf(a, index) !== wordOf(b, index)) return false
  }
  return true
}

const wordOf = (set: TestSet, index: number): number => set[index] ?? 0

/** The bits whose counters are not below a number: compares digit by digit, the highest first. */
const notBelow = (counts: Uint32Array, least: number): number => {
  if (least >= 2 ** counts.length) return 0
  let [above, equal] = [0, -1]
  for (let plane = counts.length - 1; plane >= 0; plane--) {
    const digit = wordOf(counts, plane)
    if (((least >>> plane) & 1) === 1) equal &= digit
    else {
      above |= equal & digit
      equal &= ~digit
    }
  }
  return above | equal
}

/** The number of bits that are set, added up in parallel within the word. */
const ones = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return (((fours + (fours >>> 4)) & 0x0f0f_0f0f) * 0x0101_0101) >>> 24
}
