/**
 * One number for each test of a group, packed.
 *
 * Layout (numbers as `ByteWriter` writes them): integer, how many numbers differ from the most frequent one, or the count of
 * all when at least half of them do. In the first case follow the most frequent number, and for each other number its index
 * and itself; in the second case all numbers, each as difference to the one before.
 */
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"

/** Writes numbers; there must be one at least. */
export const write = (writer: ByteWriter, numbers: Float64Array): void => {
  const count = numbers.length
  const common = isUniform(numbers) ? (numbers[0] ?? 0) : frequentIn(numbers)
  let others = 0
  for (let index = 0; index < count; index++) if (numbers[index] !== common) others += 1
  if (others * 2 >= count) {
    writer.integer(count)
    let before = 0
    for (let index = 0; index < count; index++) {
      const number = numbers[index] ?? 0
      writer.signed(number - before)
      before = number
    }
    return
  }
  writer.integer(others)
  writer.signed(common)
  for (let index = 0; others > 0; index++) {
    const number = numbers[index] ?? 0
    if (number === common) continue
    writer.integer(index)
    writer.signed(number)
    others -= 1
  }
}

/** Reads as many numbers as the array has; yields whether all are the same. */
export const read = (reader: ByteReader, numbers: Float64Array): boolean => {
  const count = numbers.length
  const others = reader.integer()
  if (others > count) reader.refuse(`${others} numbers of ${count} tests`)
  if (others === count) {
    let before = 0
    for (let index = 0; index < count; index++) {
      before += reader.signed()
      numbers[index] = before
    }
    return false
  }
  const common = reader.signed()
  for (let index = 0; index < count; index++) numbers[index] = common
  for (let left = others; left > 0; left--) {
    const index = reader.integer()
    if (index >= count) reader.refuse(`test ${index} of ${count}`)
    numbers[index] = reader.signed()
  }
  return others === 0
}

const isUniform = (numbers: Float64Array): boolean => {
  const first = numbers[0]
  for (let index = 1; index < numbers.length; index++) if (numbers[index] !== first) return false
  return true
}

/** The number of more than half of the places; any other one when no number is that frequent. */
const frequentIn = (numbers: Float64Array): number => {
  let candidate = 0
  let lead = 0
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    if (lead === 0) candidate = number
    lead += number === candidate ? 1 : -1
  }
  return candidate
}
