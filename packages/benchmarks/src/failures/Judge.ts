/** How the benchmarks judge what a store knows about failures: in one place, as the service does. */
import { type FailureFacts, FailureGate, FailurePolicy, FailureVerdict } from "@lazaret/domain"
import type { Triage } from "@lazaret/store"

/** The verdicts on the failures of a subject, each with its facts. */
export const verdicts = ({
  failures
}: Triage): ReadonlyArray<readonly [FailureFacts.FailureFacts, FailureVerdict.FailureVerdict]> =>
  FailureVerdict.judgeAll(failures, FailurePolicy.defaults, FailureGate.defaults).flatMap((verdict, index) => {
    const facts = failures[index]
    return facts === undefined ? [] : [[facts, verdict] as const]
  })
