/** The rules of the facts on causes: which job runs are read, and which messages. */
import { CauseFacts, Failure, Steps, Text } from "@lazaret/domain"

/** The bounds of `CauseFacts` that a statement needs. */
export const { failuresOfRun: mostFailuresOfRun, message: messageLength, runs: mostRuns } = CauseFacts.bounds

/** The first of some job runs, in their order, within the bound of failures; `failedOf` yields how many tests failed in one. */
export const within = <Run>(runs: ReadonlyArray<Run>, failedOf: (run: Run) => number): ReadonlyArray<Run> => {
  let failures = 0
  return runs.slice(0, CauseFacts.bounds.runs).filter((run) => {
    const before = failures
    failures += Math.min(failedOf(run), CauseFacts.bounds.failuresOfRun)
    return before < CauseFacts.bounds.failures
  })
}

/** The signatures whose messages are read: the most frequent ones, ties in code-point order. */
export const wanted = (runs: ReadonlyArray<CauseFacts.FailedRun>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { failed } of runs) {
    for (const { signature } of failed) if (signature !== null) counts.set(signature, (counts.get(signature) ?? 0) + 1)
  }
  return [...counts]
    .sort(([a, many], [b, few]) => few - many || Text.compare(a, b))
    .slice(0, CauseFacts.bounds.messages)
    .map(([signature]) => signature)
}

/** The words of failures with one signature: the same for each of them. */
export const exceptionOf = (exceptionType: string | null, message: string | null): CauseFacts.Exception => ({
  exceptionType: exceptionType === "" ? null : exceptionType,
  message: message === null ? null : Failure.normalise(message.slice(0, CauseFacts.bounds.message))
})

/** Each test once with each signature and frame, in the order of names; in steps. */
export function* distinct(
  failed: ReadonlyArray<CauseFacts.FailedTest>
): Steps.Steps<ReadonlyArray<CauseFacts.FailedTest>> {
  const groups = yield* Steps.groupBy(failed, keyOf)
  return yield* Steps.sorted(
    [...groups.values()].flatMap((same) => same.slice(-1)),
    inOrder
  )
}

const inOrder = (a: CauseFacts.FailedTest, b: CauseFacts.FailedTest): number =>
  Text.compare(a.testName, b.testName) ||
  Text.compare(a.signature ?? "", b.signature ?? "") ||
  Text.compare(a.frame ?? "", b.frame ?? "")

const keyOf = ({ frame, signature, testName }: CauseFacts.FailedTest): string =>
  [testName, signature ?? "", frame ?? ""].join("\0")
