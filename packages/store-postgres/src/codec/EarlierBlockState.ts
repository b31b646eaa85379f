/**
 * Reads versions 1 to 3 of the layout of a block (`BlockState`), until their block is folded again.
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
 * Version 2 has no branches and no `elsewhere`. Version 1, in addition, has no bits 5 to 7 of the head, no `extra`, no
 * `opening`, and no values from `failures` to `day`.
 */
import type { Health, Instant } from "@lazaret/domain"
import { slots as mostSlots } from "./BlockCounts.ts"
import { type BlockState, type Slot, weightSteps } from "./BlockSlot.ts"
import { ByteReader } from "./ByteReader.ts"
import * as Codes from "./Codes.ts"
import * as Surrogate from "./Surrogate.ts"

/** The versions. */
export const versions: ReadonlyArray<number> = [1, 2, 3]

/** Reads the tests of a block. */
export const read = (bytes: Uint8Array): BlockState => {
  const layout = bytes[0] ?? 0
  const reader = new ByteReader("BlockState", bytes, layout)
  const epoch = reader.integer()
  const uploads = readNumbers(reader)
  const commits = readNumbers(reader)
  const firstIds = uploads.map((upload) => Surrogate.id(upload, 0))
  const branches = layout === 3 ? readTexts(reader) : []
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

// Kinds of an instant or a commit: the state does not have it; it is the likely one; it follows.
const [none, likely, distance] = [0, 1, 2]

interface Source {
  readonly reader: ByteReader
  readonly epoch: Instant.Instant
  readonly uploads: ReadonlyArray<number>
  /** The surrogates of the executions with ordinal 0. */
  readonly firstIds: ReadonlyArray<Surrogate.Id>
  readonly commits: ReadonlyArray<Surrogate.Commit>
  readonly branches: ReadonlyArray<string>
  readonly layout: number
}

const readElsewhere = ({ branches, epoch, reader }: Source): ReadonlyArray<Health.Elsewhere> => {
  const found: Array<Health.Elsewhere> = []
  for (let left = reader.count(); left > 0; left--) {
    const branch = reader.at(branches, reader.integer())
    found.push({ branch, at: epoch - reader.integer() })
  }
  return found
}

/** Reads a test; undefined for one without executions. `before` is the state of the test before it. */
const readSlot = (source: Source, before: Surrogate.State | null): Slot | undefined => {
  const { epoch, reader } = source
  const head = reader.byte()
  if (head === 0) return undefined
  const isFirst = source.layout === 1
  if ((head & (isFirst ? 0xe1 : 0x01)) !== 1) reader.refuse(`unknown head ${head}`)
  const status = reader.at(Codes.status.words, (head >> 1) & 3)
  const failing = (head & 0x08) !== 0
  const rule = reader.at(Codes.rule.words, reader.byte())
  const more = reader.byte()
  const lastConclusion = reader.at(Codes.conclusion.words, more & 3)
  const passCommits = (more >> 2) & 3
  const times = reader.byte()
  const extra = isFirst ? 0 : reader.byte()
  const mover = readMark(source)
  const last = readMark(source)
  const episode = (more & 0x10) === 0 ? null : readMark(source)
  const onset = (more & 0x20) === 0 ? null : readMark(source)
  const opening = (extra & 0x01) === 0 ? null : readMark(source)
  const firstAt = (more & 0x40) === 0 ? epoch - reader.integer() : mover.at
  const failureAt = (more & 0x80) === 0 ? null : epoch - reader.integer()
  const episodeAt = readInstant(source, times & 3, episode === null ? null : episode.at)
  const lastSuccessAt = readInstant(source, (times >> 2) & 3, last.at)
  const failedAt = readInstant(source, (times >> 4) & 3, failureAt)
  const passes = reader.integer()
  const cleanPasses = reader.integer()
  const passCommit = (times & 0x40) === 0 ? null : readCommit(source)
  const failedCommits = (times & 0x80) === 0 ? noCommits : readCommits(source)
  const failures = (extra & 0x04) === 0 ? 0 : reader.integer() / weightSteps
  const row = (extra & 0x08) === 0 ? 0 : reader.integer()
  const reruns = (extra & 0x10) === 0 ? 0 : reader.integer()
  const other = ((extra >> 5) & 3) === distance ? readCommit(source) : null
  const { day, runs } = readWeights(source, head, before)
  const elsewhere = (extra & 0x80) === 0 ? nowhere : readElsewhere(source)
  const { commits, outcomes } = (head & 0x10) === 0 ? readMemory(source) : (before ?? reader.refuse("no test before"))
  return {
    state: {
      status,
      rule,
      mover,
      commits,
      outcomes,
      latest: ((extra >> 5) & 3) === likely ? (commits.at(-1) ?? null) : other,
      troubled: (head & 0x40) !== 0,
      single: (head & 0x80) !== 0,
      failing,
      opening,
      episode,
      episodeAt,
      onset,
      failedCommits,
      passes,
      passCommit,
      passCommits,
      cleanPasses,
      failureAt,
      failedAt,
      elsewhere,
      isSingle: (extra & 0x02) !== 0,
      row,
      failures,
      runs,
      day,
      reruns
    },
    last,
    lastConclusion,
    firstAt,
    lastSuccessAt
  }
}

const nowhere: ReadonlyArray<Health.Elsewhere> = []
const noCommits: ReadonlyArray<Surrogate.Commit> = []

const readWeights = ({ layout, reader }: Source, head: number, before: Surrogate.State | null) => {
  if (layout === 1) return { runs: 0, day: 0 }
  if ((head & 0x20) !== 0) return before ?? reader.refuse("no test before")
  return { runs: reader.integer() / weightSteps, day: reader.integer() }
}

const readInstant = (
  { epoch, reader }: Source,
  kind: number,
  guess: Instant.Instant | null
): Instant.Instant | null => {
  if (kind === none) return null
  if (kind === distance) return epoch - reader.integer()
  return kind === likely && guess !== null ? guess : reader.refuse(`unknown instant ${kind}`)
}

const readMark = (source: Source): Surrogate.Mark => {
  const { reader } = source
  const index = reader.integer()
  const upload = reader.at(source.uploads, index)
  const ordinal = reader.integer()
  const at = source.epoch - reader.integer()
  const id = ordinal === 0 ? reader.at(source.firstIds, index) : Surrogate.id(upload, ordinal)
  return { id, at, commit: readCommit(source) }
}

const readCommit = ({ commits, reader }: Source): Surrogate.Commit => reader.at(commits, reader.integer())

const readCommits = (source: Source): Array<Surrogate.Commit> => {
  const found: Array<Surrogate.Commit> = []
  for (let left = source.reader.count(); left > 0; left--) found.push(readCommit(source))
  return found
}

const readMemory = (source: Source): Pick<Surrogate.State, "commits" | "outcomes"> => {
  const commits = readCommits(source)
  const outcomes: Array<number> = []
  let byte = 0
  for (let index = 0; index < commits.length; index++) {
    byte = index % 4 === 0 ? source.reader.byte() : byte >> 2
    outcomes.push(byte & 3)
  }
  return { commits, outcomes }
}
