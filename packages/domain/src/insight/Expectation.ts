/**
 * The tests that a job is expected to run: a fold over its runs on the base branch, with a memory of bounded size.
 *
 * Nothing here knows names: tests are numbers of one list per job, or per group of shards.
 */
import * as TestSet from "../health/TestSet.ts"
import type { MissingPolicy } from "./MissingPolicy.ts"

/**
 * The memory of the runs of a job.
 *
 * **Details**
 *
 * - `sets`: the tests of the latest runs that lost none, the oldest first.
 * - `lacks`: what each of the latest two runs lacked without being a loss. `losses`: what the latest losses lacked.
 * - `open`: the tests that are lost at the moment, and the runs without them; null when none are.
 */
export interface Memory {
  readonly sets: ReadonlyArray<TestSet.TestSet>
  readonly lacks: ReadonlyArray<TestSet.TestSet>
  readonly losses: ReadonlyArray<TestSet.TestSet>
  readonly open: Open | null
}

/** Tests that are lost, and the runs without them. */
interface Open {
  readonly missing: TestSet.TestSet
  readonly runs: ReadonlyArray<TestSet.TestSet>
}

/** The memory before the first run. */
export const none: Memory = { sets: [], lacks: [], losses: [], open: null }

/**
 * The finding on a run.
 *
 * **Details**
 *
 * - `expected`: the tests that should have run, null while too few runs are known; `missingRuns`: how many more are needed, 0 then.
 * - `missing`: those of them that did not run. `lost`: those of them that are a loss which was not said before; empty for none.
 * - `vanished`: tests that are missing for the last time: too few for a loss, and gone for as many runs as `gone` says.
 * - `isGone`: the open loss has lasted so long that its tests are not expected any more. `hasReturned`: it ended before.
 */
export interface Finding {
  readonly missingRuns: number
  readonly expected: TestSet.TestSet | null
  readonly missing: TestSet.TestSet
  readonly lost: TestSet.TestSet
  readonly vanished: TestSet.TestSet
  readonly isGone: boolean
  readonly hasReturned: boolean
}

/** The tests expected after the runs of a memory, and how many more runs are needed to expect any. */
export const expected = (
  { sets }: Pick<Memory, "sets">,
  policy: MissingPolicy
): { readonly missingRuns: number; readonly expected: TestSet.TestSet | null } => {
  const missingRuns = Math.max(0, policy.leastRuns - sets.length)
  if (missingRuns > 0) return { missingRuns, expected: null }
  const often = TestSet.inAtLeast(sets, Math.ceil(policy.presence * sets.length))
  return { missingRuns, expected: TestSet.union(often, TestSet.inAtLeast(sets.slice(-policy.row), policy.row)) }
}

/** How many of the expected tests each run of a memory lacked, of those that had run before. */
export const usualOf = ({ sets }: Pick<Memory, "sets">, all: TestSet.TestSet): ReadonlyArray<number> => {
  let seen = TestSet.empty
  return sets.map((set) => {
    seen = TestSet.union(seen, set)
    return TestSet.size(TestSet.without(TestSet.intersection(all, seen), set))
  })
}

/**
 * Whether missing tests are a loss: more than a share of those expected, and clearly more than other runs lack.
 *
 * **Details**
 *
 * A run lacks what two other runs lack as well when each of them lacks at least half as many: runs of one kind, such as those of a
 * reduced suite, are usual from the third one on. Losses are usual when two earlier ones had nearly the same tests.
 */
export const isLoss = (
  { lack, usual }: { readonly lack: TestSet.TestSet; readonly usual: ReadonlyArray<number> },
  { all, losses }: { readonly all: number; readonly losses: ReadonlyArray<TestSet.TestSet> },
  policy: MissingPolicy
): boolean => {
  const count = TestSet.size(lack)
  const second = usual.toSorted((a, b) => b - a)[1] ?? 0
  if (count === 0 || count < policy.loss * all || count <= policy.beyond * second) return false
  return losses.filter((other) => isAlike(lack, other)).length < 2
}

/** The memory after a run, and what is said of it. */
export const step = (memory: Memory, ran: TestSet.TestSet, policy: MissingPolicy): readonly [Memory, Finding] => {
  const known = expected(memory, policy)
  if (known.expected === null) return [remembered(memory, ran, policy), { ...calm, missingRuns: known.missingRuns }]
  const all = known.expected
  const missing = TestSet.without(all, ran)
  const usual = usualOf(memory, all)
  const about = { all: TestSet.size(all), losses: memory.losses }
  const finding = { ...calm, expected: all, missing }
  if (!isLoss({ lack: missing, usual }, about, policy)) return calmly(memory, ran, { finding, policy })
  const before = memory.open ?? { missing: TestSet.empty, runs: [] }
  const fresh = TestSet.without(missing, before.missing)
  const isNew = isLoss({ lack: fresh, usual }, about, policy)
  const open = { missing: TestSet.union(before.missing, missing), runs: [...before.runs, ran] }
  const losses = isNew ? [...memory.losses, fresh].slice(-mostLosses) : memory.losses
  const after = { ...memory, lacks: [], losses, open }
  const found = { ...finding, lost: isNew ? fresh : TestSet.empty }
  return open.runs.length < policy.gone ? [after, found] : [accepted(after, open, policy), { ...found, isGone: true }]
}

const calm: Finding = {
  missingRuns: 0,
  expected: null,
  missing: TestSet.empty,
  lost: TestSet.empty,
  vanished: TestSet.empty,
  isGone: false,
  hasReturned: false
}

const mostLosses = 8

/** Two losses have nearly the same tests. */
const isAlike = (a: TestSet.TestSet, b: TestSet.TestSet): boolean =>
  TestSet.common(a, b) >= 0.8 * Math.max(TestSet.size(a), TestSet.size(b))

const remembered = (memory: Memory, ran: TestSet.TestSet, policy: MissingPolicy): Memory => ({
  ...memory,
  sets: [...memory.sets, ran].slice(-policy.memory)
})

/** The memory after a run without a loss. Tests that a row of runs lacked are gone. */
const calmly = (
  memory: Memory,
  ran: TestSet.TestSet,
  { finding, policy }: { readonly finding: Finding; readonly policy: MissingPolicy }
): readonly [Memory, Finding] => {
  const lacks = [...memory.lacks, finding.missing].slice(-policy.gone)
  const vanished =
    lacks.length < policy.gone ? TestSet.empty : lacks.reduce((common, lack) => TestSet.intersection(common, lack))
  const after = { ...memory, lacks: lacks.slice(1 - policy.gone), open: null }
  const isGone = TestSet.size(vanished) > 0
  const kept = isGone ? withoutTests(after, vanished) : after
  return [
    remembered(kept, ran, policy),
    { ...finding, vanished: isGone ? vanished : TestSet.empty, hasReturned: memory.open !== null }
  ]
}

/** The memory where the tests of the open loss are not expected any more. */
const accepted = (memory: Memory, { missing, runs }: Open, policy: MissingPolicy): Memory =>
  runs.reduce((after, ran) => remembered(after, ran, policy), {
    ...withoutTests(memory, missing),
    open: null as Memory["open"]
  })

const withoutTests = (memory: Memory, gone: TestSet.TestSet): Memory => ({
  ...memory,
  sets: memory.sets.map((set) => TestSet.without(set, gone)),
  lacks: memory.lacks.map((lack) => TestSet.without(lack, gone))
})
