/**
 * The shape of a test: all of its health but the instants of executions. Tests of the same shape are packed and folded together.
 *
 * Layout (integers as `ByteWriter` writes them):
 * ```
 * u8        bits 0-1 status (`Codes`)  2 failing  3 troubled  4 single  5 isSingle  6 episode  7 onset
 * u8        bits 0-1 last conclusion (`Codes`)  2-3 passCommits  4 opening  5 passCommit  6 latest
 * u8        rule (`Codes`)
 * marks     mover, latest execution; episode, onset, opening, where there are
 * integers  passCommit, latest, where there are
 * integers  passes, cleanPasses, failures, row, reruns, runs, day; failures and runs in steps of 1/1024
 * integer   index of the remembered commits
 * integer n; n x integer            failedCommits
 * integer n; n x (text, integer)    elsewhere: branch, instant
 * mark: integer upload, integer ordinal, integer commit
 * ```
 */
import { type Slot, weightSteps } from "./BlockSlot.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import * as Codes from "./Codes.ts"
import * as Surrogate from "./Surrogate.ts"

/** Remembered commits, the latest last, with their outcomes. */
export type Memory = Pick<Surrogate.State, "commits" | "outcomes">

/** Whether two tests have the same shape. */
export const isSame = (a: Slot, b: Slot): boolean =>
  a === b ||
  (hasSameNumbers(a.state, b.state) &&
    a.lastConclusion === b.lastConclusion &&
    isSameMark(a.last, b.last) &&
    isSameMark(a.state.trigger, b.state.trigger) &&
    isSameMark(a.state.episode, b.state.episode) &&
    isSameMark(a.state.onset, b.state.onset) &&
    isSameMark(a.state.opening, b.state.opening) &&
    isSameMemory(a.state, b.state) &&
    isSameList(a.state.failedCommits, b.state.failedCommits) &&
    hasSameElsewhere(a.state, b.state))

const hasSameNumbers = (a: Surrogate.State, b: Surrogate.State): boolean =>
  a.passes === b.passes &&
  a.cleanPasses === b.cleanPasses &&
  a.runs === b.runs &&
  a.failures === b.failures &&
  a.reruns === b.reruns &&
  a.day === b.day &&
  a.row === b.row &&
  a.status === b.status &&
  a.rule === b.rule &&
  a.failing === b.failing &&
  a.troubled === b.troubled &&
  a.single === b.single &&
  a.isSingle === b.isSingle &&
  a.latest === b.latest &&
  a.passCommit === b.passCommit &&
  a.passCommits === b.passCommits

const isSameMark = (a: Surrogate.Mark | null, b: Surrogate.Mark | null): boolean =>
  a === b || (a !== null && b !== null && a.id === b.id && a.commit === b.commit)

/** Whether two tests remember the same commits with the same outcomes. */
export const isSameMemory = (a: Memory, b: Memory): boolean =>
  isSameList(a.commits, b.commits) && isSameList(a.outcomes, b.outcomes)

const isSameList = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

const hasSameElsewhere = ({ elsewhere: a }: Surrogate.State, { elsewhere: b }: Surrogate.State): boolean =>
  a.length === b.length && a.every(({ at, branch }, index) => at === b[index]?.at && branch === b[index]?.branch)

/** Writes a shape; `memory` is the index of its remembered commits. */
export const write = (writer: ByteWriter, slot: Slot, memory: number): void => {
  const { state } = slot
  writer.byte(
    Codes.status.of[state.status] |
      (state.failing ? 0x04 : 0) |
      (state.troubled ? 0x08 : 0) |
      (state.single ? 0x10 : 0) |
      (state.isSingle ? 0x20 : 0) |
      (state.episode === null ? 0 : 0x40) |
      (state.onset === null ? 0 : 0x80)
  )
  writer.byte(
    Codes.conclusion.of[slot.lastConclusion] |
      (state.passCommits << 2) |
      (state.opening === null ? 0 : 0x10) |
      (state.passCommit === null ? 0 : 0x20) |
      (state.latest === null ? 0 : 0x40)
  )
  writer.byte(Codes.rule.of[state.rule])
  for (const mark of [state.trigger ?? slot.last, slot.last, state.episode, state.onset, state.opening]) {
    if (mark !== null) writeMark(writer, mark)
  }
  if (state.passCommit !== null) writer.integer(state.passCommit)
  if (state.latest !== null) writer.integer(state.latest)
  writer.integer(state.passes)
  writer.integer(state.cleanPasses)
  writer.integer(state.failures * weightSteps)
  writer.integer(state.row)
  writer.integer(state.reruns)
  writer.integer(state.runs * weightSteps)
  writer.integer(state.day)
  writer.integer(memory)
  writer.integer(state.failedCommits.length)
  for (const commit of state.failedCommits) writer.integer(commit)
  writer.integer(state.elsewhere.length)
  for (const { at, branch } of state.elsewhere) {
    writer.text(branch)
    writer.integer(at)
  }
}

const writeMark = (writer: ByteWriter, { commit, id }: Surrogate.Mark): void => {
  writer.integer(Surrogate.uploadOf(id))
  writer.integer(Surrogate.ordinalOf(id))
  writer.integer(commit)
}

/** Reads a shape; its instants are 0 or null, for `SlotInstants.applied` to replace. */
export const read = (reader: ByteReader, memories: ReadonlyArray<Memory>): Slot => {
  const head = reader.byte()
  const more = reader.byte()
  const rule = reader.at(Codes.rule.words, reader.byte())
  const trigger = readMark(reader)
  const last = readMark(reader)
  const episode = (head & 0x40) === 0 ? null : readMark(reader)
  const onset = (head & 0x80) === 0 ? null : readMark(reader)
  const opening = (more & 0x10) === 0 ? null : readMark(reader)
  const passCommit = (more & 0x20) === 0 ? null : reader.integer()
  const latest = (more & 0x40) === 0 ? null : reader.integer()
  const passes = reader.integer()
  const cleanPasses = reader.integer()
  const failures = reader.integer() / weightSteps
  const row = reader.integer()
  const reruns = reader.integer()
  const runs = reader.integer() / weightSteps
  const day = reader.integer()
  const { commits, outcomes } = reader.at(memories, reader.integer())
  const failedCommits = readList(reader, () => reader.integer())
  const elsewhere = readList(reader, () => ({ branch: reader.text(), at: reader.integer() }))
  return {
    state: {
      status: reader.at(Codes.status.words, head & 3),
      rule,
      trigger,
      commits,
      outcomes,
      latest,
      troubled: (head & 0x08) !== 0,
      single: (head & 0x10) !== 0,
      failing: (head & 0x04) !== 0,
      opening,
      episode,
      episodeAt: null,
      onset,
      failedCommits,
      passes,
      passCommit,
      passCommits: (more >> 2) & 3,
      cleanPasses,
      failureAt: null,
      failedAt: null,
      elsewhere,
      isSingle: (head & 0x20) !== 0,
      row,
      failures,
      runs,
      day,
      reruns
    },
    last,
    lastConclusion: reader.at(Codes.conclusion.words, more & 3),
    firstAt: 0,
    lastSuccessAt: null
  }
}

const readMark = (reader: ByteReader): Surrogate.Mark => {
  const upload = reader.integer()
  return { id: Surrogate.id(upload, reader.integer()), at: 0, commit: reader.integer() }
}

const readList = <A>(reader: ByteReader, item: () => A): ReadonlyArray<A> => {
  const list: Array<A> = []
  for (let left = reader.count(); left > 0; left--) list.push(item())
  return list
}
