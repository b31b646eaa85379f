/**
 * Two sets of tests by number, packed: what passed and failed in a job run, or ran and passed on a commit.
 *
 * Tests of one job fill whole blocks of 64, and nearly every test passes, so most blocks take two bytes.
 *
 * Layout (integers as `ByteWriter` writes them):
 * ```
 * header (`Header`)
 * for each block with a test in one of the sets:
 *   integer    number of the block, as difference to the one before (the first to -1)
 *   u8         bits 0-1 first set   2-3 second set     each: 0 no test, 1 all 64 tests, 2 bytes follow
 *   8 x u8     the tests of the first set, the lowest bit first; only when bytes follow; the second set likewise
 * ```
 */
import { TestSet } from "@lazaret/domain"
import type { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Header from "./Header.ts"
import type { LayoutError } from "./LayoutError.ts"

/** The version of the layout. */
const version = 1

/** Two sets of tests. */
export type TestSets = readonly [TestSet.TestSet, TestSet.TestSet]

/** No tests. */
export const empty: TestSets = [TestSet.empty, TestSet.empty]

/** Packs two sets. */
export const encode = ([a, b]: TestSets): Uint8Array => {
  const writer = new ByteWriter(version, 64)
  const words = Math.max(a.length, b.length)
  let before = -1
  for (let word = 0; word < words; word += 2) {
    const kinds = [kindOf(a, word), kindOf(b, word)] as const
    if (kinds[0] === none && kinds[1] === none) continue
    writer.integer(word / 2 - before)
    writer.byte(kinds[0] | (kinds[1] << 2))
    before = word / 2
    if (kinds[0] === some) writeBlock(writer, a, word)
    if (kinds[1] === some) writeBlock(writer, b, word)
  }
  return writer.finish()
}

/** Unpacks two sets. */
export const decode = (bytes: Uint8Array): Result.Result<TestSets, LayoutError> =>
  Header.decoding(() => {
    const reader = new ByteReader("TestSets", bytes, version)
    const words: readonly [Array<number>, Array<number>] = [[], []]
    let block = -1
    while (reader.hasMore) {
      block = readNumber(reader, block)
      const kinds = reader.byte()
      readBlock(reader, kinds & 3, words[0], block * 2)
      readBlock(reader, kinds >> 2, words[1], block * 2)
    }
    return [Uint32Array.from(words[0]), Uint32Array.from(words[1])]
  })

/**
 * In which of two packed sets some tests are, by the place of each test: bit 0 for the first set, bit 1 for the second.
 *
 * `tests` are ascending, each once. Blocks without any of them are passed over.
 */
export const lookUp = (bytes: Uint8Array, tests: ReadonlyArray<number>): Result.Result<Uint8Array, LayoutError> =>
  Header.decoding(() => {
    const reader = new ByteReader("TestSets", bytes, version)
    const found = new Uint8Array(tests.length)
    let block = -1
    let next = 0
    while (reader.hasMore && next < tests.length) {
      block = readNumber(reader, block)
      const kinds = reader.byte()
      next = firstFrom(tests, next, block * 64)
      const end = firstFrom(tests, next, block * 64 + 64)
      look(reader, kinds & 3, { tests, next, end, found, bit: 1 })
      look(reader, kinds >> 2, { tests, next, end, found, bit: 2 })
      next = end
    }
    return found
  })

/** Calls a function for each block of 64 tests of which one is in one of two packed sets, with these tests as two words. */
export const visitUnion = (
  bytes: Uint8Array,
  visit: (block: number, low: number, high: number) => void
): Result.Result<void, LayoutError> =>
  Header.decoding(() => {
    const reader = new ByteReader("TestSets", bytes, version)
    let block = -1
    while (reader.hasMore) {
      block = readNumber(reader, block)
      const kinds = reader.byte()
      const [low, high] = readWords(reader, kinds & 3)
      const [otherLow, otherHigh] = readWords(reader, kinds >> 2)
      visit(block, (low | otherLow) >>> 0, (high | otherHigh) >>> 0)
    }
  })

const none = 0
const all = 1
const some = 2

const full = 0xffff_ffff

/** The largest number of a test has 31 bits. */
const largestBlock = 2 ** 25

const kindOf = (set: TestSet.TestSet, word: number): number => {
  const [low, high] = [set[word] ?? 0, set[word + 1] ?? 0]
  return low === 0 && high === 0 ? none : low === full && high === full ? all : some
}

const writeBlock = (writer: ByteWriter, set: TestSet.TestSet, word: number): void => {
  for (const half of [set[word] ?? 0, set[word + 1] ?? 0]) {
    for (let shift = 0; shift < 32; shift += 8) writer.byte((half >>> shift) & 0xff)
  }
}

const readNumber = (reader: ByteReader, before: number): number => {
  const step = reader.integer()
  const block = before + step
  if (step === 0 || block > largestBlock) reader.refuse(`block ${block} out of order`)
  return block
}

const firstFrom = (tests: ReadonlyArray<number>, start: number, least: number): number => {
  let index = start
  while (index < tests.length && (tests[index] ?? 0) < least) index += 1
  return index
}

/** The tests of one block, and the bit of the set. */
interface Looked {
  readonly tests: ReadonlyArray<number>
  readonly next: number
  readonly end: number
  readonly found: Uint8Array
  readonly bit: number
}

const look = (reader: ByteReader, kind: number, { bit, end, found, next, tests }: Looked): void => {
  if (kind > some) reader.refuse(`unknown kind ${kind}`)
  if (kind === none) return
  if (next === end) return kind === some ? reader.skip(8) : undefined
  const low = kind === all ? full : readWord(reader)
  const high = kind === all ? full : readWord(reader)
  for (let index = next; index < end; index++) {
    const test = tests[index] ?? 0
    const word = (test & 32) === 0 ? low : high
    if (((word >>> (test & 31)) & 1) === 1) found[index] = (found[index] ?? 0) | bit
  }
}

const readBlock = (reader: ByteReader, kind: number, words: Array<number>, word: number): void => {
  if (kind > some) reader.refuse(`unknown kind ${kind}`)
  if (kind === none) return
  while (words.length < word) words.push(0)
  words.push(...(kind === all ? [full, full] : [readWord(reader), readWord(reader)]))
}

const readWords = (reader: ByteReader, kind: number): readonly [low: number, high: number] => {
  if (kind > some) reader.refuse(`unknown kind ${kind}`)
  if (kind === none) return [0, 0]
  return kind === all ? [full, full] : [readWord(reader), readWord(reader)]
}

const readWord = (reader: ByteReader): number =>
  (reader.byte() | (reader.byte() << 8) | (reader.byte() << 16) | (reader.byte() << 24)) >>> 0
