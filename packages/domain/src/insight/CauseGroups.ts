/** Groups the failures of a repository by what they have in common: tests with one cause, and outages. */
import * as Instant from "../time/Instant.ts"
import * as Text from "../text/Text.ts"
import * as AverageLinkage from "./AverageLinkage.ts"
import * as CauseFacts from "./CauseFacts.ts"
import * as CauseItem from "./CauseItem.ts"
import type { CausePolicy } from "./CausePolicy.ts"
import * as CauseSimilarity from "./CauseSimilarity.ts"
import * as FailingTest from "./FailingTest.ts"
import * as Steps from "./Steps.ts"

/**
 * Tests that fail for one cause, in the order of names.
 *
 * **Details**
 *
 * - `isOutage`: excused outages that follow each other with one message; else tests that fail together at other times.
 * - `runs`: the job runs in which one of the tests failed, in order; the numbers of `tests` are places in all job runs in order.
 */
export interface CauseGroup {
  readonly isOutage: boolean
  readonly tests: ReadonlyArray<FailingTest.FailingTest>
  readonly runs: ReadonlyArray<CauseFacts.FailedRun>
}

/**
 * The groups of the failures in some job runs: those of tests in the order of their first names, then outages in order of time.
 *
 * **Details**
 *
 * Each test is in one group that is not an outage, if it failed outside of excused outages; one that shares its cause with no other is alone
 * in it. The order of the runs and of the failures in them plays no part, nor does a run or a failure that is given twice.
 */
export const of = (runs: ReadonlyArray<CauseFacts.FailedRun>, policy: CausePolicy): ReadonlyArray<CauseGroup> =>
  Steps.finish(Steps.andThen(CauseFacts.inOrder(runs), (ordered) => steps(ordered, policy)))

/** The groups of the failures in job runs of `CauseFacts.inOrder`, in steps. */
export function* steps(
  ordered: ReadonlyArray<CauseFacts.FailedRun>,
  policy: CausePolicy
): Steps.Steps<ReadonlyArray<CauseGroup>> {
  const tests = yield* FailingTest.of([...ordered.entries()].filter(([, { isExcused }]) => !isExcused))
  const perGroup = { most: 1000, weightOf: (members: Members) => members.length }
  const groups = yield* Steps.map(yield* testGroups(tests, policy), perGroup, (members) =>
    groupOf(ordered, members, false)
  )
  return [...groups, ...outageGroups(ordered)]
}

const groupOf = (
  runs: ReadonlyArray<CauseFacts.FailedRun>,
  tests: ReadonlyArray<FailingTest.FailingTest>,
  isOutage: boolean
): CauseGroup => ({ isOutage, tests, runs: FailingTest.numbersOf(tests).flatMap((number) => runs[number] ?? []) })

type Members = ReadonlyArray<FailingTest.FailingTest>

function* testGroups(tests: Members, policy: CausePolicy): Steps.Steps<ReadonlyArray<Members>> {
  yield
  const items = yield* CauseItem.of(tests, policy.items)
  yield
  const weights = items.map((item) => item.tests.length)
  const values = yield* CauseSimilarity.of(items, policy)
  const labels = yield* AverageLinkage.steps({ size: items.length, values, weights }, policy.cut)
  yield
  const compared = new Set(items.flatMap((item) => item.tests))
  const alone = tests.filter((test) => !compared.has(test)).map((test): Members => [test])
  yield
  const ofLabel = Map.groupBy(items.entries(), ([index]) => labels[index]).values()
  const perItem = { most: 1000, weightOf: ({ length }: ReadonlyArray<unknown>) => length }
  const grouped = yield* Steps.mapSteps(ofLabel, perItem, (entries) =>
    Steps.sorted(
      entries.flatMap(([, item]) => item.tests),
      byName
    )
  )
  return yield* Steps.sorted([...grouped, ...alone], byFirst)
}

const byFirst = (a: Members, b: Members): number => Text.compare(a[0]?.testName ?? "", b[0]?.testName ?? "")

const byName = (a: FailingTest.FailingTest, b: FailingTest.FailingTest): number => Text.compare(a.testName, b.testName)

/** Excused outages with the same most frequent message are one cause until none follows for a day. */
const outageGap = Instant.day

const outageGroups = (runs: ReadonlyArray<CauseFacts.FailedRun>): ReadonlyArray<CauseGroup> => {
  const groups: Array<Array<FailingTest.Numbered>> = []
  const open = new Map<string, Array<FailingTest.Numbered>>()
  for (const [number, run] of runs.entries()) {
    if (!run.isExcused) continue
    const signature = FailingTest.mostFrequent(run.failed.map((each) => each.signature)) ?? ""
    const group = open.get(signature)
    const lastAt = group?.at(-1)?.[1].at ?? -Infinity
    if (group !== undefined && run.at - lastAt <= outageGap) group.push([number, run])
    else {
      const begun: Array<FailingTest.Numbered> = [[number, run]]
      open.set(signature, begun)
      groups.push(begun)
    }
  }
  return groups.map((group) => groupOf(runs, Steps.finish(FailingTest.of(group)), true))
}
