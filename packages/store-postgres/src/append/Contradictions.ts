/**
 * Derives the contradictions on other branches (`Contradiction`) from the stored executions, and keeps the rows of
 * `branch_contradictions` up to date with them.
 *
 * The attempts of one run on a branch are one *group*. Whether a test may contradict itself in a group follows from the
 * sets of tests of its job runs; the executions of these few tests alone are unpacked.
 */
import { Contradiction, Outage, Report, TestSet } from "@lazaret/domain"
import { Effect, Result } from "effect"
import type { ChangedChunk } from "../blocks/BlockPart.ts"
import { slots } from "../codec/BlockCounts.ts"
import * as ResultChunk from "../codec/ResultChunk.ts"
import * as TestSets from "../codec/TestSets.ts"
import * as Damage from "../database/Damage.ts"
import type { Session } from "../repository/Session.ts"
import * as Claim from "./Claim.ts"
import * as Judgement from "./Judgement.ts"
import {
  type Derived,
  type Group,
  groupOf,
  insert,
  type Judged,
  remove,
  removeStrays,
  selectChunks,
  selectConcerned,
  selectFlaky,
  selectGroups,
  selectRuns,
  selectStored,
  selectUploads,
  type StoredRow
} from "./ContradictionRows.ts"

export type { Group, Judged } from "./ContradictionRows.ts"

/** Derives the contradictions of groups again, and of those that judged runs may concern; yields what has changed. */
export const derive = Effect.fnUntraced(function* (
  session: Session,
  groups: ReadonlyArray<Group>,
  judged: ReadonlyArray<Judged>
) {
  const concerned = judged.length === 0 ? [] : (yield* selectConcerned(session, judged)).map(groupOf)
  const all = new Map([...groups, ...concerned].filter(isCounted).map((group) => [keyOf(group), group]))
  const changed: Array<ChangedChunk> = []
  for (const some of slicesOf([...all.values()])) {
    for (const change of yield* deriveSome(session, some)) changed.push(change)
  }
  return changed
})

/** Derives every contradiction of a repository again; yields what has changed. */
export const deriveAll = Effect.fnUntraced(function* (session: Session) {
  yield* removeStrays(session)
  return yield* derive(session, (yield* selectGroups(session)).map(groupOf), [])
})

/** Runs of forks do not count. */
const isCounted = ({ branch }: Group): boolean => !Report.isFork({ branch })

const keyOf = ({ baseBranch, branch, commitNo, jobNo, runId }: Group): string =>
  Claim.hex(Claim.hash([jobNo, commitNo, runId, branch ?? "", baseBranch ?? ""].join("\0")))

const groupsAtOnce = 64

const slicesOf = (groups: ReadonlyArray<Group>): ReadonlyArray<ReadonlyArray<Group>> =>
  Array.from({ length: Math.ceil(groups.length / groupsAtOnce) }, (_, index) =>
    groups.slice(index * groupsAtOnce, (index + 1) * groupsAtOnce)
  )

const deriveSome = Effect.fnUntraced(function* (session: Session, groups: ReadonlyArray<Group>) {
  const runs = Map.groupBy(yield* runsOf(session, groups), ({ key }) => key)
  const stored = Map.groupBy(yield* selectStored(session, groups.map(keyOf)), (row) => Claim.hex(row.run_hash))
  const changed: Array<ChangedChunk> = []
  for (const group of groups) {
    const key = keyOf(group)
    const kept = stored.get(key) ?? []
    const found = yield* find(session, group, { runs: runs.get(key) ?? [], sealed: sealedIn(session, kept) })
    changed.push(...(yield* replace(session, key, group, { before: kept, after: found })))
  }
  return changed
})

/** Rows of which a part was dropped stay as they are. */
const sealedIn = ({ horizon }: Session, rows: ReadonlyArray<StoredRow>): ReadonlyArray<StoredRow> =>
  rows.filter(({ opened_at }) => horizon !== null && opened_at < horizon)

/** A job run of a group, with its tests that passed, failed, and failed and passed inside the job. */
interface Run extends Outage.Run<number> {
  readonly key: string
  readonly runNo: number
  readonly flaky: TestSet.TestSet
}

const runsOf = Effect.fnUntraced(function* (session: Session, groups: ReadonlyArray<Group>) {
  const wanted = new Set(groups.map(keyOf))
  const rows = (yield* selectRuns(session, groups)).filter((row) => wanted.has(keyOf(groupOf(row))))
  const flaky = Map.groupBy(
    yield* selectFlaky(
      session,
      rows.map(({ run_no }) => run_no)
    ),
    ({ run_no }) => run_no
  )
  return rows.map((row): Run => {
    const [passed, failed] = unpacked(row.outcomes)
    const tests = (flaky.get(row.run_no) ?? []).map(({ test_no }) => test_no)
    return {
      key: keyOf(groupOf(row)),
      runNo: row.run_no,
      at: row.finished_at,
      commit: row.commit_no,
      passed,
      failed,
      ownShare: Outage.ownShareOf({ failed: row.failed, ownFailed: row.own_failed }),
      flaky: TestSet.of(tests)
    }
  })
})

/** Damaged sets count as empty until a refold makes them again. */
const unpacked = (outcomes: Uint8Array): TestSets.TestSets =>
  Result.getOrElse(TestSets.decode(outcomes), () => TestSets.empty)

/** The tests that may contradict themselves in some runs: those with both conclusions, and the in-job flaky ones. */
const candidatesIn = (runs: ReadonlyArray<Run>): ReadonlySet<number> => {
  const union = (of: (run: Run) => TestSet.TestSet) =>
    runs.reduce((sum, run) => TestSet.union(sum, of(run)), TestSet.empty)
  const passed = union((run) => run.passed)
  const failed = union((run) => run.failed)
  const both = TestSet.without(failed, TestSet.without(failed, passed))
  return new Set(
    TestSet.numbers(
      TestSet.union(
        both,
        union((run) => run.flaky)
      )
    )
  )
}

const find = Effect.fnUntraced(function* (
  session: Session,
  group: Group,
  { runs, sealed }: { readonly runs: ReadonlyArray<Run>; readonly sealed: ReadonlyArray<StoredRow> }
) {
  const kept = sealed.map((row): Derived => ({
    testNo: row.test_no,
    at: row.at,
    uploadNo: row.upload_no,
    ordinal: row.ordinal,
    openedAt: row.opened_at
  }))
  if (candidatesIn(runs).size === 0) return kept
  const counted = yield* Effect.filter(runs, (run) => Effect.map(isOutage(session, group, run), (isOut) => !isOut))
  const candidates = new Set(candidatesIn(counted))
  for (const { testNo } of kept) candidates.delete(testNo)
  if (candidates.size === 0) return kept
  const executions = yield* executionsOf(
    session,
    counted.map(({ runNo }) => runNo),
    candidates
  )
  return [
    ...kept,
    ...[...executions].flatMap(([testNo, list]): ReadonlyArray<Derived> => {
      const completion = Contradiction.completedBy(list)
      if (completion === null) return []
      const { at, ordinal, uploadNo } = completion.by
      return [{ testNo, at, uploadNo, ordinal, openedAt: completion.openedAt }]
    })
  ]
})

/** Compares a run with those of the default branch that finished before it. */
const isOutage = Effect.fnUntraced(function* (session: Session, { jobNo }: Group, run: Run) {
  const policy = session.policies.outage
  if (TestSet.size(run.failed) < policy.failedTests) return false
  const { state } = yield* Judgement.stateBefore(session, jobNo, run.at, [])
  return Outage.step(state, run, policy).judgement.outage
})

interface FoundExecution extends Contradiction.Candidate {
  readonly uploadNo: number
  readonly ordinal: number
}

/** The kept executions of tests in job runs, by test. */
const executionsOf = Effect.fnUntraced(function* (
  session: Session,
  runs: ReadonlyArray<number>,
  tests: ReadonlySet<number>
) {
  const uploads = yield* selectUploads(session, runs)
  const reports = new Map(uploads.map((row) => [row.upload_no, row.report_id]))
  const blocks = [...new Set(Array.from(tests, (testNo) => Math.floor(testNo / slots)))]
  const found = new Map<number, Array<FoundExecution>>()
  for (const row of yield* selectChunks(session, blocks, uploads)) {
    const all = yield* Effect.fromResult(Damage.check(session, "chunk", row, ResultChunk.unpack(row)))
    for (const { at, conclusion, flaky, ordinal, slot } of all) {
      const testNo = row.block_no * slots + slot
      if (!tests.has(testNo) || at < (session.horizon ?? -Infinity)) continue
      const id = `${reports.get(row.upload_no) ?? ""}.${ordinal}`
      const execution = { id, at, conclusion, flaky, uploadNo: row.upload_no, ordinal }
      const list = found.get(testNo)
      if (list === undefined) found.set(testNo, [execution])
      else list.push(execution)
    }
  }
  return found
})

/** Writes the differences, and yields from when on the blocks of their tests must be folded again. */
const replace = Effect.fnUntraced(function* (
  session: Session,
  key: string,
  group: Group,
  { after, before }: { readonly before: ReadonlyArray<StoredRow>; readonly after: ReadonlyArray<Derived> }
) {
  const wanted = new Map(after.map((each) => [each.testNo, each]))
  const lost = before.filter((row) => !isSame(row, wanted.get(row.test_no)))
  const same = new Set(before.filter((row) => !lost.includes(row)).map(({ test_no }) => test_no))
  const made = after.filter(({ testNo }) => !same.has(testNo))
  if (lost.length > 0) yield* remove(session, key, lost)
  if (made.length > 0) yield* insert(session, key, group, made)
  const changed = [
    ...lost.map(({ at, test_no }) => [test_no, at] as const),
    ...made.map(({ at, testNo }) => [testNo, at] as const)
  ]
  return changed.map(([testNo, at]): ChangedChunk => ({ block_no: Math.floor(testNo / slots), at }))
})

const isSame = (row: StoredRow, derived: Derived | undefined): boolean =>
  derived !== undefined &&
  row.at === derived.at &&
  row.upload_no === derived.uploadNo &&
  row.ordinal === derived.ordinal &&
  row.opened_at === derived.openedAt
