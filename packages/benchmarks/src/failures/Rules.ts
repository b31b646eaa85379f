/** The rules that are compared: one-line rules that people use, and the verdict of the domain. */
import { FailureFacts } from "@lazaret/domain"
import type { JudgedFailure } from "./Online.ts"

/** A rule that says whether a failure is a flake. */
export interface Rule {
  readonly name: string
  readonly isFlaky: (failure: JudgedFailure) => boolean
  readonly probability?: (failure: JudgedFailure) => number
}

const hasPassedBefore = ({ facts }: JudgedFailure): boolean => FailureFacts.baseRow(facts)?.conclusion === "passed"

const failsInFewJobs = ({ facts }: JudgedFailure): boolean => {
  const { failed, passed } = FailureFacts.siblingCounts(facts)
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

/** The verdict: a flake from a probability above one half. */
export const verdictRule: Rule = {
  name: "the verdict",
  probability: ({ probability }) => probability,
  isFlaky: ({ probability }) => probability > 0.5
}
