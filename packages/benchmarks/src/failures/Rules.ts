/** The rules that are compared: one-line rules that people use, and the verdict of the domain. */
import { FailureFacts, FailureFeatures, type FailurePolicy, FailureGate, FailureVerdict } from "@lazaret/domain"
import type { ReplayedFailure } from "./Replay.ts"

/** A rule that says whether a failure is a flake. */
export interface Rule {
  readonly name: string
  readonly isFlaky: (failure: ReplayedFailure) => boolean
  readonly probability?: (failure: ReplayedFailure) => number
}

const hasPassedBefore = ({ facts }: ReplayedFailure): boolean => FailureFacts.baseRow(facts)?.conclusion === "passed"

const failsInFewJobs = ({ facts }: ReplayedFailure): boolean => {
  const { failed, passed } = FailureFeatures.siblingCounts(facts)
  return 2 * (failed + 1) <= failed + passed + 1
}

/** The one-line rules. */
export const oneLine: ReadonlyArray<Rule> = [
  { name: "the test is known to be flaky", isFlaky: ({ isKnownFlake }) => isKnownFlake },
  { name: "its message was seen in a flake of the test", isFlaky: ({ isKnownMessage }) => isKnownMessage },
  { name: "the previous run of the identity passed", isFlaky: hasPassedBefore },
  { name: "at most half of the jobs fail it", isFlaky: failsInFewJobs },
  {
    name: "previous passed and at most half",
    isFlaky: (failure) => hasPassedBefore(failure) && failsInFewJobs(failure)
  }
]

/** The verdict under a policy: a flake from a probability above one half. */
export const verdictRule = (policy: FailurePolicy.FailurePolicy): Rule => {
  const probability = ({ facts }: ReplayedFailure): number =>
    FailureVerdict.judge(facts, policy, FailureGate.defaults).probabilityFlaky
  return { name: "the verdict", probability, isFlaky: (failure) => probability(failure) > 0.5 }
}
