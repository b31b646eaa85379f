/** Writes the tests of a block (layout: `BlockState`). */
import type { Instant } from "@lazaret/domain"
import { type BlockState, distance, likely, none, type Slot, weightSteps } from "./BlockSlot.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import * as Codes from "./Codes.ts"
import * as Surrogate from "./Surrogate.ts"

/** The uploads and commits of a block with their indexes, its decomposed marks, and its latest instant. */
export interface Names {
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

/** The lists that the tests of a block refer to. */
export const namesIn = (slots: BlockState): Names => {
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

/** The bytes that the tests of a block are written to, and the lists that they refer to. */
export interface Target {
  readonly writer: ByteWriter
  readonly names: Names
}

/** Writes a test; `before` is the state of the test before it. */
export const writeSlot = (target: Target, slot: Slot, before: Surrogate.State | null): void => {
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
