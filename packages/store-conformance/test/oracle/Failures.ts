/** The oracle on failure groups (interface 2.7). */
import { Failure, TestId } from "@lazaret/domain"
import type { FailureDetail } from "@lazaret/store"
import { compareText, defaultRuns, type Facts, inOrder, type Run } from "./Facts.ts"

/** The groups of a test, the one that failed last first; undefined when the test is unknown. */
export const groupsOf = (facts: Facts, testId: string): ReadonlyArray<FailureDetail> | undefined => {
  const runs = defaultRuns(facts).filter(({ execution }) => TestId.of(execution.testName) === testId)
  if (runs.length === 0) return undefined
  const failures = runs.toSorted(inOrder).map((run) => ({ run, id: groupIdOf(run, testId) }))
  const ids = new Set(failures.flatMap(({ id }) => (id === null ? [] : [id])))
  return Array.from(ids)
    .flatMap((id) =>
      detailOf(
        failures.filter((failure) => failure.id === id).map(({ run }) => run),
        testId
      )
    )
    .toSorted((a, b) => b.failure.lastFailureAt - a.failure.lastFailureAt || compareText(a.failure.id, b.failure.id))
    .slice(0, 1000)
}

/** A failed execution with exception data belongs to exactly one group. */
const groupIdOf = ({ execution }: Run, testId: string): string | null =>
  execution.conclusion === "failed" && execution.exception !== null
    ? Failure.groupOf(testId, execution.exception).id
    : null

const detailOf = (members: ReadonlyArray<Run>, testId: string): ReadonlyArray<FailureDetail> => {
  const [first, last] = [members[0], members.at(-1)]
  if (first === undefined || last === undefined || last.execution.exception === null) return []
  const { exceptionMessage, exceptionType, id } = Failure.groupOf(testId, last.execution.exception)
  const failure = {
    id,
    exceptionType,
    exceptionMessage,
    failureCount: members.length,
    firstFailureAt: first.execution.at,
    lastFailureAt: last.execution.at
  }
  return [{ failure, events: members.toReversed().slice(0, 10).map(eventOf) }]
}

const eventOf = ({ execution, run }: Run): Failure.FailureEvent => ({
  id: execution.id,
  failedAt: execution.at,
  stacktrace: execution.exception?.stacktrace ?? null,
  filepath: execution.filepath,
  language: run.language,
  jobUrl: run.jobUrl
})
