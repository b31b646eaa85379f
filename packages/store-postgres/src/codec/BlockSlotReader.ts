/** Reads the tests of a block (layout: `BlockState`). */
import type { Health, Instant } from "@lazaret/domain"
import { distance, firstVersion, likely, none, type Slot, weightSteps } from "./BlockSlot.ts"
import type { ByteReader } from "./ByteReader.ts"
import * as Codes from "./Codes.ts"
import * as Surrogate from "./Surrogate.ts"

export interface Source {
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
export const readSlot = (source: Source, before: Surrogate.State | null): Slot | undefined => {
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
