/** The rules of the facts on cost: which job runs are read, and on which tests a pass of the same code is known. */
import { CostFacts, type Instant, Steps, Text } from "@lazaret/domain"

/** The bounds of `CostFacts` that a statement needs. */
export const { runs: mostRuns, testsOfRun: mostTestsOfRun } = CostFacts.bounds

/** The first of some job runs, the latest first, within the bounds; and the instant from which on none is missing. */
export const within = <Run extends { readonly at: Instant.Instant; readonly failed: number }>(
  runs: ReadonlyArray<Run>,
  since: Instant.Instant
): { readonly from: Instant.Instant; readonly runs: ReadonlyArray<Run> } => {
  let tests = 0
  for (const [index, { at, failed }] of runs.entries()) {
    tests += Math.min(failed, CostFacts.bounds.testsOfRun)
    if (index < CostFacts.bounds.runs && (tests <= CostFacts.bounds.tests || index === 0)) continue
    // Runs that finished at the same instant have no order that every store knows.
    return { from: at + 1, runs: runs.slice(0, index).filter((run) => run.at > at) }
  }
  return { from: since, runs }
}

/** A test of a job run as a store reads it, before other runs of the same code are read. */
export type ReadTest = Omit<CostFacts.CostTest, "hasPassed">

/** The tests of a job run, each once, in the order of names, in steps; its rows may be several executions. */
export function* together(tests: ReadonlyArray<ReadTest>): Steps.Steps<ReadonlyArray<ReadTest>> {
  const found = new Map<string, ReadTest>()
  yield* Steps.map(tests, perTest, (test) => {
    const other = found.get(test.testName)
    if (other === undefined) found.set(test.testName, test)
    else
      found.set(test.testName, {
        testName: test.testName,
        isFailed: test.isFailed || other.isFailed,
        reruns: test.reruns + other.reruns,
        file: firstOf(test.file, other.file)
      })
  })
  return yield* Steps.sorted([...found.values()], (a, b) => Text.compare(a.testName, b.testName))
}

const perTest = Steps.ofItems(10_000)

const firstOf = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : Text.compare(a, b) <= 0 ? a : b

/** The job runs on the same code, in groups of which one run has a failure. */
export const onSameCode = <Run extends CostFacts.CodeName & { readonly failed: number }>(
  runs: ReadonlyArray<Run>
): ReadonlyArray<ReadonlyArray<Run>> =>
  [...Map.groupBy(runs, CostFacts.codeKey).values()].filter((group) => group.some(({ failed }) => failed > 0))
