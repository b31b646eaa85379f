/** Tests that failed in the same job runs are one item: what grouping compares with each other. */
import * as Steps from "./Steps.ts"
import * as Text from "../text/Text.ts"
import { type FailingTest, mostFrequent } from "./FailingTest.ts"

/**
 * Tests with the same failing job runs, and, where these are few, with the same message.
 *
 * **Details**
 *
 * `tests`: in the order of names, one at least. `first` is that with the smallest name; the runs are its runs.
 */
export interface CauseItem {
  readonly first: FailingTest
  readonly tests: ReadonlyArray<FailingTest>
}

/**
 * The items to compare, at most `most`, those with most failing job runs first; the tests of the others stay alone.
 *
 * **Details**
 *
 * With fewer than `enoughRuns` failing job runs, tests are one item when their most frequent signature is the same, too: with one run
 * in common they may be strangers. When that leaves too many items, the job runs alone decide.
 */
export function* of(tests: ReadonlyArray<FailingTest>, most: number): Steps.Steps<ReadonlyArray<CauseItem>> {
  const careful = yield* collapsed(tests, (test) =>
    test.runs.length < enoughRuns
      ? `${runsKey(test)}\0${mostFrequent(test.signatures) ?? test.testName}`
      : runsKey(test)
  )
  yield
  const items = careful.length <= most ? careful : yield* collapsed(tests, runsKey)
  yield
  return (yield* Steps.sorted(items, mostFailing)).slice(0, most)
}

/** Tests with the same three failing job runs have one cause, whatever their messages are. */
const enoughRuns = 3

const runsKey = ({ runs }: FailingTest): string => runs.join(",")

function* collapsed(
  tests: ReadonlyArray<FailingTest>,
  keyOf: (test: FailingTest) => string
): Steps.Steps<ReadonlyArray<CauseItem>> {
  const groups = yield* Steps.groupBy(tests, keyOf)
  return [...groups.values()].flatMap((same) => {
    const [first] = same
    return first === undefined ? [] : [{ first, tests: same }]
  })
}

const mostFailing = (a: CauseItem, b: CauseItem): number =>
  b.first.runs.length - a.first.runs.length ||
  b.tests.length - a.tests.length ||
  Text.compare(a.first.testName, b.first.testName)
