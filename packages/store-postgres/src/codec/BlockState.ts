/**
 * The health of the 64 tests of a block after every execution, packed.
 *
 * Tests of one job share uploads and commits, and most share the whole list of remembered commits. Uploads and commits
 * are therefore listed once per block, and one bit says that a test remembers the same commits as the test before it.
 *
 * Layout (integers as `ByteWriter` writes them):
 * ```
 * header (`Header`)
 * integer epoch                        the latest instant; instants are distances back from it ("ago")
 * integer n, n x integer               numbers of uploads, ascending, each as difference to the one before
 * integer n, n x integer               numbers of commits, likewise
 * integer n, n x text                  names of other branches
 * integer n                            number of tests up to the last known one; for each of them
 *   u8 head    bit 0 known  1-2 status (`Codes`)  3 failing  4 remembered commits as those of the test before
 *              5 runs and day as those of the test before  6 troubled  7 single
 *              0 for a test without executions: nothing follows
 *   u8 rule    (`Codes`)
 *   u8 more    bits 0-1 last conclusion (`Codes`)  2-3 passCommits  4 episode  5 onset  6 first at the mover's instant
 *              7 failureAt
 *   u8 times   bits 0-1 episodeAt  2-3 last success  4-5 failedAt       each: 0 none, 1 the likely instant, 2 an ago
 *              6 passCommit  7 failedCommits
 *   u8 extra   bit 0 opening  1 isSingle  2 failures  3 row  4 reruns  5-6 latest: 0 none, 1 the last remembered commit,
 *              2 an index  7 elsewhere
 *   mark       mover
 *   mark       latest execution
 *   mark       episode, onset, opening                           where there are
 *   ago        first, failureAt, episodeAt, success, failedAt    where there are
 *   integer    passes, cleanPasses
 *   integer    passCommit                                        index in the list of commits, where there is
 *   integer n, n x integer               failedCommits           indexes, where there are
 *   integer    failures, row, reruns, latest                     where there are; failures in steps of 1/1024
 *   integer    runs, day                                         runs in steps of 1/1024
 *   integer n, n x (integer, ago)        elsewhere: indexes of branches, where there are
 *   integer n, n x integer, bytes        remembered commits      indexes, then their outcomes, four to a byte
 * mark: integer index of the upload, integer ordinal, ago, integer index of the commit
 * ```
 * The likely instant of `episodeAt` is that of the episode, of the last success that of the latest execution, of `failedAt`
 * `failureAt`.
 *
 * Version 2 has no branches and no `elsewhere`. Version 1, in addition, has no bits 5 to 7 of the head, no `extra`, no `opening`, and no values from `failures` to `day`. Both are
 * read until their block is folded again.
 */
import type { Result } from "effect"
import { slots as mostSlots } from "./BlockCounts.ts"
import { type BlockState, firstVersion, secondVersion, type Slot, version } from "./BlockSlot.ts"
import { readSlot, type Source } from "./BlockSlotReader.ts"
import { namesIn, type Target, writeSlot } from "./BlockSlotWriter.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Header from "./Header.ts"
import type { LayoutError } from "./LayoutError.ts"
import * as Surrogate from "./Surrogate.ts"

export { type BlockState, type Slot, version } from "./BlockSlot.ts"

/** Packs the tests of a block. */
export const encode = (slots: BlockState): Uint8Array => {
  const writer = new ByteWriter(version)
  const target: Target = { writer, names: namesIn(slots) }
  writer.integer(target.names.epoch)
  writeNumbers(writer, target.names.uploads)
  writeNumbers(writer, target.names.commits)
  writer.integer(target.names.branches.length)
  for (const branch of target.names.branches) writer.text(branch)
  const used = slots.findLastIndex((slot) => slot !== undefined) + 1
  writer.integer(used)
  let before: Surrogate.State | null = null
  for (let index = 0; index < used; index++) {
    const slot = slots[index]
    if (slot === undefined) writer.byte(0)
    else {
      writeSlot(target, slot, before)
      before = slot.state
    }
  }
  return writer.finish()
}

/** Unpacks the tests of a block. */
export const decode = (bytes: Uint8Array): Result.Result<BlockState, LayoutError> =>
  Header.decoding(() => {
    const layout = bytes[0] === firstVersion || bytes[0] === secondVersion ? bytes[0] : version
    const reader = new ByteReader("BlockState", bytes, layout)
    const epoch = reader.integer()
    const uploads = readNumbers(reader)
    const commits = readNumbers(reader)
    const firstIds = uploads.map((upload) => Surrogate.id(upload, 0))
    const branches = layout === version ? readTexts(reader) : []
    const source: Source = { reader, epoch, uploads, firstIds, commits, branches, layout }
    const slots: Array<Slot | undefined> = []
    let before: Surrogate.State | null = null
    const used = reader.count()
    if (used > mostSlots) reader.refuse("more tests than a block has")
    while (slots.length < used) {
      const slot = readSlot(source, before)
      if (slot !== undefined) before = slot.state
      slots.push(slot)
    }
    reader.end()
    return slots
  })

const writeNumbers = (writer: ByteWriter, numbers: ReadonlyArray<number>): void => {
  writer.integer(numbers.length)
  let before = 0
  for (const number of numbers) {
    writer.integer(number - before)
    before = number
  }
}

const readNumbers = (reader: ByteReader): Array<number> => {
  const numbers: Array<number> = []
  let before = 0
  for (let left = reader.count(); left > 0; left--) {
    before += reader.integer()
    numbers.push(before)
  }
  return numbers
}

const readTexts = (reader: ByteReader): Array<string> => {
  const texts: Array<string> = []
  for (let left = reader.count(); left > 0; left--) texts.push(reader.text())
  return texts
}
