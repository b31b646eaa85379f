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
import type { Execution, Health, Instant } from "@lazaret/domain"
import type { Result } from "effect"
import { slots as mostSlots } from "./BlockCounts.ts"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import * as Codes from "./Codes.ts"
import * as Header from "./Header.ts"
import type { LayoutError } from "./LayoutError.ts"
import * as Surrogate from "./Surrogate.ts"

/** The version of the layout. */
export const version = 3

/**
 * One test after its executions on the default branch.
 *
 * **Details**
 *
 * `last` and `lastConclusion` are of the latest execution, `firstAt` is the instant of the first; `lastSuccessAt` is that of
 * the latest passed one.
 */
export interface Slot {
  readonly state: Surrogate.State
  readonly last: Surrogate.Mark
  readonly lastConclusion: Execution.Conclusion
  readonly firstAt: Instant.Instant
  readonly lastSuccessAt: Instant.Instant | null
}

/** The tests of a block by slot; undefined for a test without executions. */
export type BlockState = ReadonlyArray<Slot | undefined>

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

// --- internals ------------------------------------------------------------------------------------------------------

const firstVersion = 1
const secondVersion = 2

/** Weights are whole numbers of these steps (`Health.State`). */
const weightSteps = 1024

const none = 0
const likely = 1
const distance = 2

/** The uploads and commits of a block with their indexes, its decomposed marks, and its latest instant. */
interface Names {
  readonly epoch: Instant.Instant
  readonly uploads: ReadonlyArray<number>
  readonly commits: ReadonlyArray<Surrogate.Commit>
  readonly branches: ReadonlyArray<string>
  readonly indexOfCommit: ReadonlyMap<Surrogate.Commit, number>
  readonly parts: ReadonlyMap<Surrogate.Id, MarkParts>
}

/** A decomposed mark; `index` is that of its upload. */
interface MarkParts {
  readonly upload: number
  readonly ordinal: number
  index: number
}

const namesIn = (slots: BlockState): Names => {
  const parts = new Map<Surrogate.Id, MarkParts>()
  const commits = new Set<Surrogate.Commit>()
  const branches = new Set<string>()
  let known: Surrogate.Mark | null = null
  const include = (mark: Surrogate.Mark | null): void => {
    // Most tests of a block were executed last in the same upload.
    if (mark === null || (known !== null && mark.id === known.id && mark.commit === known.commit)) return
    known = mark
    commits.add(mark.commit)
    if (parts.has(mark.id)) return
    parts.set(mark.id, { upload: Surrogate.uploadOf(mark.id), ordinal: Surrogate.ordinalOf(mark.id), index: 0 })
  }
  let epoch = 0
  let before: Surrogate.State | null = null
  for (const slot of slots) {
    if (slot === undefined) continue
    const { state } = slot
    include(state.mover)
    include(slot.last)
    include(state.episode)
    include(state.onset)
    include(state.opening)
    if (state.latest !== null) commits.add(state.latest)
    if (state.passCommit !== null) commits.add(state.passCommit)
    for (const commit of state.failedCommits) commits.add(commit)
    if (before === null || !hasSameMemory(before, state)) for (const commit of state.commits) commits.add(commit)
    before = state
    for (const { branch } of state.elsewhere) branches.add(branch)
    epoch = Math.max(epoch, slot.last.at, state.elsewhere[0]?.at ?? 0)
  }
  const uploads = [...new Set([...parts.values()].map(({ upload }) => upload))].sort(ascending)
  const indexOfUpload = new Map(uploads.map((upload, index) => [upload, index]))
  for (const each of parts.values()) each.index = given(indexOfUpload.get(each.upload))
  const numbers = [...commits].sort(ascending)
  return {
    epoch,
    uploads,
    commits: numbers,
    branches: [...branches],
    indexOfCommit: new Map(numbers.map((commit, index) => [commit, index])),
    parts
  }
}

const ascending = (a: number, b: number): number => a - b

/** Never fails: the lists were collected from every mark, upload and commit of the block. */
const given = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a surrogate is missing in the lists of the block")
  return value
}

interface Target {
  readonly writer: ByteWriter
  readonly names: Names
}

const writeNumbers = (writer: ByteWriter, numbers: ReadonlyArray<number>): void => {
  writer.integer(numbers.length)
  let before = 0
  for (const number of numbers) {
    writer.integer(number - before)
    before = number
  }
}

const writeSlot = (target: Target, slot: Slot, before: Surrogate.State | null): void => {
  const { names, writer } = target
  const { state } = slot
  const mover = state.mover ?? slot.last
  const isRepeated = before !== null && hasSameMemory(before, state)
  const episodeAt = instantKind(state.episodeAt, state.episode?.at)
  const successAt = instantKind(slot.lastSuccessAt, slot.last.at)
  const failedAt = instantKind(state.failedAt, state.failureAt)
  const hasWeights = before === null || before.runs !== state.runs || before.day !== state.day
  writer.byte(
    1 |
      (Codes.status.of[state.status] << 1) |
      (state.failing ? 0x08 : 0) |
      (isRepeated ? 0x10 : 0) |
      (hasWeights ? 0 : 0x20) |
      (state.troubled ? 0x40 : 0) |
      (state.single ? 0x80 : 0)
  )
  writer.byte(Codes.rule.of[state.rule])
  writer.byte(
    Codes.conclusion.of[slot.lastConclusion] |
      (state.passCommits << 2) |
      (state.episode === null ? 0 : 0x10) |
      (state.onset === null ? 0 : 0x20) |
      (slot.firstAt === mover.at ? 0x40 : 0) |
      (state.failureAt === null ? 0 : 0x80)
  )
  writer.byte(
    episodeAt |
      (successAt << 2) |
      (failedAt << 4) |
      (state.passCommit === null ? 0 : 0x40) |
      (state.failedCommits.length === 0 ? 0 : 0x80)
  )
  const latest = latestKind(state)
  writer.byte(
    (state.opening === null ? 0 : 0x01) |
      (state.isSingle ? 0x02 : 0) |
      (state.failures === 0 ? 0 : 0x04) |
      (state.row === 0 ? 0 : 0x08) |
      (state.reruns === 0 ? 0 : 0x10) |
      (latest << 5) |
      (state.elsewhere.length === 0 ? 0 : 0x80)
  )
  writeMark(target, mover)
  writeMark(target, slot.last)
  if (state.episode !== null) writeMark(target, state.episode)
  if (state.onset !== null) writeMark(target, state.onset)
  if (state.opening !== null) writeMark(target, state.opening)
  if (slot.firstAt !== mover.at) writer.integer(names.epoch - slot.firstAt)
  if (state.failureAt !== null) writer.integer(names.epoch - state.failureAt)
  if (episodeAt === distance) writer.integer(names.epoch - (state.episodeAt ?? 0))
  if (successAt === distance) writer.integer(names.epoch - (slot.lastSuccessAt ?? 0))
  if (failedAt === distance) writer.integer(names.epoch - (state.failedAt ?? 0))
  writer.integer(state.passes)
  writer.integer(state.cleanPasses)
  if (state.passCommit !== null) writeCommit(target, state.passCommit)
  if (state.failedCommits.length > 0) writeCommits(target, state.failedCommits)
  if (state.failures !== 0) writer.integer(state.failures * weightSteps)
  if (state.row !== 0) writer.integer(state.row)
  if (state.reruns !== 0) writer.integer(state.reruns)
  if (latest === distance) writeCommit(target, given(state.latest ?? undefined))
  if (hasWeights) {
    writer.integer(state.runs * weightSteps)
    writer.integer(state.day)
  }
  if (state.elsewhere.length > 0) writeElsewhere(target, state)
  if (!isRepeated) writeMemory(target, state)
}

const writeElsewhere = ({ names, writer }: Target, { elsewhere }: Surrogate.State): void => {
  writer.integer(elsewhere.length)
  for (const { at, branch } of elsewhere) {
    writer.integer(names.branches.indexOf(branch))
    writer.integer(names.epoch - at)
  }
}

const latestKind = ({ commits, latest }: Surrogate.State): number =>
  latest === null ? none : latest === commits.at(-1) ? likely : distance

const instantKind = (at: Instant.Instant | null, guess: Instant.Instant | null | undefined): number => {
  if (at === null) return none
  return at === guess ? likely : distance
}

const writeMark = (target: Target, mark: Surrogate.Mark): void => {
  const { names, writer } = target
  const { index, ordinal } = given(names.parts.get(mark.id))
  writer.integer(index)
  writer.integer(ordinal)
  writer.integer(names.epoch - mark.at)
  writeCommit(target, mark.commit)
}

const writeCommit = ({ names, writer }: Target, commit: Surrogate.Commit): void =>
  writer.integer(given(names.indexOfCommit.get(commit)))

const writeCommits = (target: Target, commits: ReadonlyArray<Surrogate.Commit>): void => {
  target.writer.integer(commits.length)
  for (const commit of commits) writeCommit(target, commit)
}

const writeMemory = (target: Target, state: Surrogate.State): void => {
  writeCommits(target, state.commits)
  for (let index = 0; index < state.outcomes.length; index += 4) {
    let byte = 0
    for (let part = 0; part < 4; part++) byte |= (state.outcomes[index + part] ?? 0) << (2 * part)
    target.writer.byte(byte)
  }
}

const hasSameMemory = (a: Surrogate.State, b: Surrogate.State): boolean => {
  if (a.commits.length !== b.commits.length) return false
  for (let index = 0; index < a.commits.length; index++) {
    if (a.commits[index] !== b.commits[index] || a.outcomes[index] !== b.outcomes[index]) return false
  }
  return true
}

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

const readElsewhere = ({ branches, epoch, reader }: Source): ReadonlyArray<Health.Elsewhere> => {
  const found: Array<Health.Elsewhere> = []
  for (let left = reader.count(); left > 0; left--) {
    const branch = reader.at(branches, reader.integer())
    found.push({ branch, at: epoch - reader.integer() })
  }
  return found
}

const readSlot = (source: Source, before: Surrogate.State | null): Slot | undefined => {
  const { epoch, reader } = source
  const head = reader.byte()
  if (head === 0) return undefined
  const isFirst = source.layout === firstVersion
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
  if (layout === firstVersion) return { runs: 0, day: 0 }
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
