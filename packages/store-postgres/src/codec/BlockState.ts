/**
 * The health of the 64 tests of a block after every execution, packed.
 *
 * Tests of one job share uploads and commits, and most of them the whole list of remembered commits: uploads and commits
 * are named once per block, and a test whose remembered commits are those of the test before it says so in one bit.
 *
 * Layout (integers as `ByteWriter` writes them):
 * ```
 * u8 version
 * integer epoch                        the latest instant; instants are distances back from it ("ago")
 * integer n, n x integer               numbers of uploads, ascending, each as difference to the one before
 * integer n, n x integer               numbers of commits, likewise
 * for each test up to the last known one
 *   u8 head    bit 0 known  1-2 status  3-5 rule  6 failing  7 remembered commits as those of the test before
 *              0 for a test without executions: nothing follows
 *   u8 more    bits 0-1 last conclusion  2-3 passCommits  4 episode  5 onset  6 first at the mover's instant  7 failureAt
 *   u8 times   bits 0-1 episodeAt  2-3 last success  4-5 last failure   each: 0 none, 1 as told below, 2 an ago
 *              6 passCommit  7 failedCommits
 *   mark       mover
 *   mark       latest execution
 *   mark       episode, onset                                    where there are
 *   ago        first, failureAt, episodeAt, success, failure     where there are
 *   integer    passes, cleanPasses
 *   integer    passCommit                                        place in the list of commits, where there is
 *   integer n, n x integer               failedCommits           places, where there are
 *   integer n, n x integer, bytes        remembered commits      places, then their outcomes, four to a byte
 * mark: integer place of the upload, integer ordinal, ago, integer place of the commit
 * ```
 * As told: `episodeAt` is the instant of the episode, last success that of the latest execution, last failure `failureAt`.
 */
import { type Execution, type Health, HealthStatus, type Instant } from "@lazaret/domain"
import { Result } from "effect"
import { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import { LayoutError } from "./LayoutError.ts"
import * as Surrogate from "./Surrogate.ts"

/** The version of the layout. */
export const version = 1

/**
 * One test after its executions on the default branch.
 *
 * **Details**
 *
 * Executions and commits have surrogate names (`Surrogate`). `last` and `lastConclusion` are of the latest execution,
 * `firstAt` is the instant of the first; `lastFailureAt` and `lastSuccessAt` are those of the latest failed and passed
 * ones.
 */
export interface Slot {
  readonly state: Health.State
  readonly last: Health.Mark
  readonly lastConclusion: Execution.Conclusion
  readonly firstAt: Instant.Instant
  readonly lastFailureAt: Instant.Instant | null
  readonly lastSuccessAt: Instant.Instant | null
}

/** The tests of a block by their place in it; those without executions are undefined. */
export type BlockState = ReadonlyArray<Slot | undefined>

/** Packs the tests of a block. */
export const encode = (slots: BlockState): Uint8Array => {
  const names = namesIn(slots)
  writer.byte(version)
  writer.integer(names.epoch)
  writeNumbers(names.uploads)
  writeNumbers(names.commits)
  const used = slots.findLastIndex((slot) => slot !== undefined) + 1
  let before: Health.State | null = null
  for (let index = 0; index < used; index++) {
    const slot = slots[index]
    if (slot === undefined) writer.byte(0)
    else {
      writeSlot(slot, before, names)
      before = slot.state
    }
  }
  return writer.take()
}

/** Unpacks the tests of a block. */
export const decode = (bytes: Uint8Array): Result.Result<Array<Slot | undefined>, LayoutError> => {
  const reader = new ByteReader(bytes)
  const found = reader.byte()
  if (found !== version) return Result.fail(new LayoutError({ codec: "BlockState", version: found }))
  const epoch = reader.integer()
  const uploads = readNumbers(reader)
  const commits = readNumbers(reader).map(Surrogate.commit)
  const firstIds = uploads.map((upload) => Surrogate.execution(upload, 0))
  const source: Source = { reader, epoch, uploads, firstIds, commits }
  const slots: Array<Slot | undefined> = []
  let before: Health.State | null = null
  while (reader.position < bytes.length) {
    const slot = readSlot(source, before)
    if (slot !== undefined) before = slot.state
    slots.push(slot)
  }
  return Result.succeed(slots)
}

// --- internals ------------------------------------------------------------------------------------------------------

const rules: ReadonlyArray<Health.Rule> = [
  "start",
  "failure",
  "in_job_rerun",
  "contradiction",
  "repeated_episode",
  "persistent_failure",
  "passes_in_a_row",
  "clean_passes"
]
const statuses = HealthStatus.HealthStatus.literals.toSorted(HealthStatus.order)
const conclusions: ReadonlyArray<Execution.Conclusion> = ["passed", "failed", "skipped"]

const none = 0
const told = 1
const given = 2

/** The uploads and commits of a block with their places, its marks taken apart, and its latest instant. */
interface Names {
  readonly epoch: Instant.Instant
  readonly uploads: ReadonlyArray<number>
  readonly commits: ReadonlyArray<number>
  readonly placeOfUpload: ReadonlyMap<number, number>
  readonly placeOfCommit: ReadonlyMap<string, number>
  readonly parts: ReadonlyMap<string, MarkParts>
}

interface MarkParts {
  readonly upload: number
  readonly ordinal: number
}

const namesIn = (slots: BlockState): Names => {
  const parts = new Map<string, MarkParts>()
  const commits = new Set<string>()
  const include = (mark: Health.Mark | null): void => {
    if (mark === null) return
    commits.add(mark.commit)
    if (parts.has(mark.id)) return
    parts.set(mark.id, { upload: Surrogate.uploadOf(mark.id), ordinal: Surrogate.ordinalOf(mark.id) })
  }
  let epoch = 0
  let before: Health.State | null = null
  for (const slot of slots) {
    if (slot === undefined) continue
    const { state } = slot
    include(state.mover)
    include(slot.last)
    include(state.episode)
    include(state.onset)
    if (state.passCommit !== null) commits.add(state.passCommit)
    for (const commit of state.failedCommits) commits.add(commit)
    if (before === null || !hasSameMemory(before, state)) for (const commit of state.commits) commits.add(commit)
    before = state
    if (slot.last.at > epoch) epoch = slot.last.at
  }
  const uploads = [...new Set([...parts.values()].map(({ upload }) => upload))].sort(ascending)
  const numbers = [...commits].map(Surrogate.commitOf).sort(ascending)
  return {
    epoch,
    uploads,
    commits: numbers,
    placeOfUpload: new Map(uploads.map((upload, place) => [upload, place])),
    placeOfCommit: new Map(numbers.map((commit, place) => [Surrogate.commit(commit), place])),
    parts
  }
}

const ascending = (a: number, b: number): number => a - b

const writer = new ByteWriter()

const writeNumbers = (numbers: ReadonlyArray<number>): void => {
  writer.integer(numbers.length)
  let before = 0
  for (const number of numbers) {
    writer.integer(number - before)
    before = number
  }
}

const writeSlot = (slot: Slot, before: Health.State | null, names: Names): void => {
  const { state } = slot
  const mover = state.mover ?? slot.last
  const isRepeated = before !== null && hasSameMemory(before, state)
  const episodeAt = distanceKind(state.episodeAt, state.episode?.at)
  const successAt = distanceKind(slot.lastSuccessAt, slot.last.at)
  const failureAt = distanceKind(slot.lastFailureAt, state.failureAt)
  writer.byte(
    1 |
      (HealthStatus.rank(state.status) << 1) |
      (rules.indexOf(state.rule) << 3) |
      (state.failing ? 0x40 : 0) |
      (isRepeated ? 0x80 : 0)
  )
  writer.byte(
    conclusions.indexOf(slot.lastConclusion) |
      (state.passCommits << 2) |
      (state.episode === null ? 0 : 0x10) |
      (state.onset === null ? 0 : 0x20) |
      (slot.firstAt === mover.at ? 0x40 : 0) |
      (state.failureAt === null ? 0 : 0x80)
  )
  writer.byte(
    episodeAt |
      (successAt << 2) |
      (failureAt << 4) |
      (state.passCommit === null ? 0 : 0x40) |
      (state.failedCommits.length === 0 ? 0 : 0x80)
  )
  writeMark(mover, names)
  writeMark(slot.last, names)
  if (state.episode !== null) writeMark(state.episode, names)
  if (state.onset !== null) writeMark(state.onset, names)
  if (slot.firstAt !== mover.at) writer.integer(names.epoch - slot.firstAt)
  if (state.failureAt !== null) writer.integer(names.epoch - state.failureAt)
  if (episodeAt === given) writer.integer(names.epoch - (state.episodeAt ?? 0))
  if (successAt === given) writer.integer(names.epoch - (slot.lastSuccessAt ?? 0))
  if (failureAt === given) writer.integer(names.epoch - (slot.lastFailureAt ?? 0))
  writer.integer(state.passes)
  writer.integer(state.cleanPasses)
  if (state.passCommit !== null) writer.integer(placeOf(state.passCommit, names))
  if (state.failedCommits.length > 0) writePlaces(state.failedCommits, names)
  if (!isRepeated) writeMemory(state, names)
}

const distanceKind = (at: Instant.Instant | null, likely: Instant.Instant | null | undefined): number => {
  if (at === null) return none
  return at === likely ? told : given
}

const writeMark = (mark: Health.Mark, names: Names): void => {
  const { ordinal, upload } = names.parts.get(mark.id) ?? { ordinal: 0, upload: 0 }
  writer.integer(names.placeOfUpload.get(upload) ?? 0)
  writer.integer(ordinal)
  writer.integer(names.epoch - mark.at)
  writer.integer(placeOf(mark.commit, names))
}

/** Every mark and every commit of the block is among the names. */
const placeOf = (commit: string, names: Names): number => names.placeOfCommit.get(commit) ?? 0

const writePlaces = (commits: ReadonlyArray<string>, names: Names): void => {
  writer.integer(commits.length)
  for (const commit of commits) writer.integer(placeOf(commit, names))
}

const writeMemory = (state: Health.State, names: Names): void => {
  writePlaces(state.commits, names)
  for (let index = 0; index < state.outcomes.length; index += 4) {
    let byte = 0
    for (let part = 0; part < 4; part++) byte |= (state.outcomes[index + part] ?? 0) << (2 * part)
    writer.byte(byte)
  }
}

const hasSameMemory = (a: Health.State, b: Health.State): boolean => {
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
  readonly firstIds: ReadonlyArray<string>
  readonly commits: ReadonlyArray<string>
}

const readNumbers = (reader: ByteReader): Array<number> => {
  const numbers: Array<number> = []
  let before = 0
  for (let left = reader.integer(); left > 0; left--) {
    before += reader.integer()
    numbers.push(before)
  }
  return numbers
}

const readSlot = (source: Source, before: Health.State | null): Slot | undefined => {
  const { epoch, reader } = source
  const head = reader.byte()
  if (head === 0) return undefined
  const more = reader.byte()
  const times = reader.byte()
  const mover = readMark(source)
  const last = readMark(source)
  const episode = (more & 0x10) === 0 ? null : readMark(source)
  const onset = (more & 0x20) === 0 ? null : readMark(source)
  const firstAt = (more & 0x40) === 0 ? epoch - reader.integer() : mover.at
  const failureAt = (more & 0x80) === 0 ? null : epoch - reader.integer()
  const episodeAt = readInstant(source, times & 3, episode === null ? null : episode.at)
  const lastSuccessAt = readInstant(source, (times >> 2) & 3, last.at)
  const lastFailureAt = readInstant(source, (times >> 4) & 3, failureAt)
  const passes = reader.integer()
  const cleanPasses = reader.integer()
  const passCommit = (times & 0x40) === 0 ? null : readCommit(source)
  const failedCommits = (times & 0x80) === 0 ? noCommits : readCommits(source)
  const { commits, outcomes } = (head & 0x80) !== 0 && before !== null ? before : readMemory(source)
  const status = statuses[(head >> 1) & 3] ?? "healthy"
  const rule = rules[(head >> 3) & 7] ?? "start"
  const failing = (head & 0x40) !== 0
  const passCommits = (more >> 2) & 3
  return {
    state: {
      status,
      rule,
      mover,
      commits,
      outcomes,
      failing,
      episode,
      episodeAt,
      onset,
      failedCommits,
      passes,
      passCommit,
      passCommits,
      cleanPasses,
      failureAt
    },
    last,
    lastConclusion: conclusions[more & 3] ?? "skipped",
    firstAt,
    lastFailureAt,
    lastSuccessAt
  }
}

const noCommits: ReadonlyArray<string> = []

const readInstant = (source: Source, kind: number, likely: Instant.Instant | null): Instant.Instant | null => {
  if (kind === none) return null
  return kind === told ? likely : source.epoch - source.reader.integer()
}

const readMark = (source: Source): Health.Mark => {
  const { reader } = source
  const place = reader.integer()
  const ordinal = reader.integer()
  const at = source.epoch - reader.integer()
  const firstId = source.firstIds[place] ?? ""
  const id = ordinal === 0 ? firstId : Surrogate.execution(source.uploads[place] ?? 0, ordinal)
  return { id, at, commit: readCommit(source) }
}

const readCommit = ({ commits, reader }: Source): string => commits[reader.integer()] ?? "0"

const readCommits = (source: Source): Array<string> => {
  const found: Array<string> = []
  for (let left = source.reader.integer(); left > 0; left--) found.push(readCommit(source))
  return found
}

const readMemory = (source: Source): Pick<Health.State, "commits" | "outcomes"> => {
  const commits = readCommits(source)
  const outcomes: Array<number> = []
  let byte = 0
  for (let index = 0; index < commits.length; index++) {
    byte = index % 4 === 0 ? source.reader.byte() : byte >> 2
    outcomes.push(byte & 3)
  }
  return { commits, outcomes }
}
