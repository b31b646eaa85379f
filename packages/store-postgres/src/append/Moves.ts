/** Moves stored executions between the tests of a job. */
import { TestAlias, TestSet } from "@lazaret/domain"
import { Slices } from "@lazaret/store"
import { Effect, Result } from "effect"
import type { ChunkRow } from "../blocks/ChunkRows.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as TestSets from "../codec/TestSets.ts"
import * as Damage from "../database/Damage.ts"
import type { Session } from "../repository/Session.ts"
import type * as Jobs from "./Jobs.ts"
import * as MoveRows from "./MoveRows.ts"
import * as Tests from "./Tests.ts"
import type { TestNumbers } from "./TestNumbers.ts"

/**
 * The moves of a job.
 *
 * **Details**
 *
 * - `holders`: which test stands for each one from now on, by number; `names` of tests by number.
 * - `touched`: the tests that lose or gain executions; `changed`: the tests for which another one stands now, null for itself.
 */
export interface Moves {
  readonly numbers: TestNumbers
  readonly holders: ReadonlyMap<number, number>
  readonly names: ReadonlyMap<number, string>
  readonly touched: ReadonlySet<number>
  readonly changed: ReadonlyMap<number, number | null>
}

/** Moves the executions of the touched tests, with the rows that name them. */
export const run = Effect.fnUntraced(function* (session: Session, job: Jobs.Job, moves: Moves) {
  const place = { session, job, moves, sources: yield* MoveRows.selectSources(session, [...moves.touched]) }
  const uploads = yield* MoveRows.selectUploads(session, blocksOf(moves))
  const runs = Map.groupBy(uploads, (row) => row.run_no)
  for (const some of Slices.byWeight(runs.values(), (list) => list.length, uploadsAtOnce)) {
    yield* moveSome(place, some.flat())
  }
})

/** The number of uploads whose executions are in memory at the same time; those of one run come together. */
const uploadsAtOnce = 256

const blocksOf = ({ touched }: Moves): ReadonlyArray<number> => [
  ...new Set([...touched].map((testNo) => Math.floor(testNo / slots)))
]

interface Place {
  readonly session: Session
  readonly job: Jobs.Job
  readonly moves: Moves
  readonly sources: ReadonlyMap<string, Pick<Tests.Named, "filepath" | "functionName">>
}

/** An execution of a touched test: its place before and after, and by the name in its report. */
interface Member {
  readonly upload: MoveRows.UploadRow
  readonly chunk: ChunkRow
  readonly packed: ResultChunk.PackedExecution
  readonly testNo: number
  readonly ofTestNo: number
  readonly ofOrdinal: number
  readonly target: number
  ordinal: number
}

const moveSome = Effect.fnUntraced(function* (place: Place, uploads: ReadonlyArray<MoveRows.UploadRow>) {
  const { moves, session } = place
  const { members, others } = yield* readSome(place, uploads)
  renumber(moves, members)
  const changed = new Set(members.filter(hasMoved).map(({ upload }) => upload.upload_no))
  if (changed.size === 0) return
  const ofChanged = members.filter(({ upload }) => changed.has(upload.upload_no))
  yield* rewrite(
    place,
    ofChanged,
    others.filter(({ chunk }) => changed.has(chunk.upload_no))
  )
  yield* MoveRows.replaceAliased(
    session,
    { tests: [...moves.touched], uploads: [...changed] },
    ofChanged
      .filter(({ ofTestNo, target }) => ofTestNo !== target)
      .map(({ ofOrdinal, ofTestNo, ordinal, packed: { at }, target, upload: { upload_no: uploadNo } }) => ({
        uploadNo,
        testNo: target,
        ordinal,
        ofTestNo,
        ofOrdinal,
        at
      }))
  )
  yield* MoveRows.renameFailed(session, ofChanged.filter(hasMoved).filter(isFailed).map(failedOf))
  yield* saveOutcomes(session, ofChanged)
})

const hasMoved = ({ ordinal, packed, target, testNo }: Member): boolean =>
  target !== testNo || ordinal !== packed.ordinal

const isFailed = ({ packed: { conclusion, flaky } }: Member): boolean => conclusion === "failed" || flaky

const failedOf = ({ ordinal, packed, target, testNo, upload: { report_id: reportId } }: Member) => ({
  at: packed.at,
  testNo,
  id: `${reportId}.${packed.ordinal}`,
  newTestNo: target,
  newId: `${reportId}.${ordinal}`
})

/** Another execution of a chunk, which stays where it is. */
interface Other {
  readonly chunk: ChunkRow
  readonly packed: ResultChunk.PackedExecution
}

const readSome = Effect.fnUntraced(function* ({ moves, session }: Place, uploads: ReadonlyArray<MoveRows.UploadRow>) {
  const byNumber = new Map(uploads.map((row) => [row.upload_no, row]))
  const aliased = new Map(
    (yield* MoveRows.selectAliased(session, [...moves.touched], [...byNumber.keys()])).map((row) => [keyOf(row), row])
  )
  const members: Array<Member> = []
  const others: Array<Other> = []
  for (const chunk of yield* MoveRows.selectChunks(session, blocksOf(moves), uploads)) {
    const upload = byNumber.get(chunk.upload_no)
    if (upload === undefined) continue
    for (const packed of yield* Effect.fromResult(Damage.check(session, "chunk", chunk, ResultChunk.unpack(chunk)))) {
      const testNo = chunk.block_no * slots + packed.slot
      if (!moves.touched.has(testNo)) {
        others.push({ chunk, packed })
        continue
      }
      const { ordinal } = packed
      const own = aliased.get(keyOf({ test_no: testNo, upload_no: chunk.upload_no, ordinal }))
      const ofTestNo = own?.of_test_no ?? testNo
      const target = moves.holders.get(ofTestNo) ?? ofTestNo
      members.push({ upload, chunk, packed, testNo, ofTestNo, ofOrdinal: own?.of_ordinal ?? ordinal, target, ordinal })
    }
  }
  return { members, others }
})

const keyOf = (row: Pick<MoveRows.AliasedRow, "test_no" | "upload_no" | "ordinal">): string =>
  `${row.test_no} ${row.upload_no} ${row.ordinal}`

/** Gives the executions of one upload and one test ordinals of their own. */
const renumber = ({ names }: Moves, members: ReadonlyArray<Member>): void => {
  for (const group of Map.groupBy(members, ({ target, upload }) => `${upload.upload_no} ${target}`).values()) {
    const stored = group.map(({ ofOrdinal, ofTestNo }) => ({ testName: names.get(ofTestNo) ?? "", ordinal: ofOrdinal }))
    const ordinals = TestAlias.ordinals(names.get(group[0]?.target ?? -1) ?? "", stored)
    group.forEach((member, index) => {
      member.ordinal = ordinals[index] ?? member.ordinal
    })
  }
}

/** Replaces the chunks of uploads in the touched blocks. */
const rewrite = Effect.fnUntraced(function* (
  { job, moves, session, sources }: Place,
  members: ReadonlyArray<Member>,
  others: ReadonlyArray<Other>
) {
  const named = members.map(({ packed, target, testNo }): Tests.Named => {
    const { filepath = null, functionName = null } =
      packed.source === null ? packed : (sources.get(`${testNo} ${packed.source}`) ?? {})
    return { testName: moves.names.get(target) ?? "", filepath, functionName }
  })
  const [places] = yield* Tests.ensure(session, moves.numbers, job, [named])
  const moved = members.map(({ chunk, ordinal, packed, target }, index): Other => {
    const number = places?.sources[index] ?? 0
    const source = number === Tests.unnumbered ? null : number
    const { filepath, functionName } =
      source === null ? (named[index] ?? packed) : { filepath: null, functionName: null }
    const block_no = Math.floor(target / slots)
    return {
      chunk: { ...chunk, block_no },
      packed: { ...packed, slot: target % slots, ordinal, source, filepath, functionName }
    }
  })
  yield* MoveRows.removeChunks(session, [...members.map(({ chunk }) => chunk), ...others.map(({ chunk }) => chunk)])
  const groups = Map.groupBy([...others, ...moved], ({ chunk }) => `${chunk.block_no} ${chunk.upload_no}`)
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    return ResultChunk.pack(group.map(({ packed }) => packed)).map((chunk) => ({ ...first.chunk, ...chunk }))
  })
  yield* MoveRows.insertChunks(session, rows)
})

/** Replaces the touched tests in the sets of runs; tests of dropped executions stay in them. */
const saveOutcomes = Effect.fnUntraced(function* (session: Session, members: ReadonlyArray<Member>) {
  const byRun = Map.groupBy(members, ({ upload }) => upload.run_no)
  const rows = yield* MoveRows.selectOutcomes(session, [...byRun.keys()])
  const changed = rows.map((row) => {
    const ofRun = byRun.get(row.run_no) ?? []
    const [passed, failed] = Result.getOrElse(TestSets.decode(row.outcomes), () => TestSets.empty)
    const next: TestSets.TestSets = [replaced(passed, ofRun, "passed"), replaced(failed, ofRun, "failed")]
    return { run_no: row.run_no, outcomes: TestSets.encode(next) }
  })
  yield* MoveRows.updateOutcomes(session, changed)
})

const replaced = (
  set: TestSet.TestSet,
  members: ReadonlyArray<Member>,
  conclusion: "passed" | "failed"
): TestSet.TestSet => {
  const own = members.filter(({ packed }) => packed.conclusion === conclusion)
  const before = TestSet.of(own.map(({ testNo }) => testNo))
  return TestSet.union(TestSet.without(set, before), TestSet.of(own.map(({ target }) => target)))
}
