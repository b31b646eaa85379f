/** The rules that are compared on generated failures: what people do by hand, and the verdict. */
import { FailureFacts, type FailureVerdict } from "@lazaret/domain"
import type { Judged } from "./Judged.ts"
import type { Answered } from "./Tally.ts"

/** A rule with an answer to every failure. */
export interface Rule {
  readonly name: string
  readonly answer: (judged: Judged) => Answered
}

type OneLine = (facts: FailureFacts.FailureFacts) => FailureVerdict.Verdict

const rule = (name: string, verdictOf: OneLine): Rule => ({
  name,
  answer: (judged) => ({ ...judged, verdict: verdictOf(judged.facts), probability: null })
})

const hasFlaked = ({ test }: FailureFacts.FailureFacts): boolean => test.flakes.length > 0
const failsOnBase = (facts: FailureFacts.FailureFacts): boolean => FailureFacts.baseRow(facts)?.conclusion === "failed"

const failsInFewJobs = (facts: FailureFacts.FailureFacts): boolean => {
  const { failed, passed } = FailureFacts.siblingCounts(facts)
  return 2 * (failed + 1) <= failed + passed + 1
}

/** The rules of one line. */
export const oneLine: ReadonlyArray<Rule> = [
  rule("always a new failure", () => "new_failure"),
  rule("flaky if it ever flaked, else new", (facts) => (hasFlaked(facts) ? "flaky" : "new_failure")),
  rule("broken if the last run of main failed, else new", (facts) =>
    failsOnBase(facts) ? "broken_on_base" : "new_failure"
  ),
  rule("broken if the last run of main failed, else flaky", (facts) =>
    failsOnBase(facts) ? "broken_on_base" : "flaky"
  ),
  rule("broken if main failed, flaky if it ever flaked, else new", (facts) =>
    failsOnBase(facts) ? "broken_on_base" : hasFlaked(facts) ? "flaky" : "new_failure"
  ),
  rule("flaky if at most half of the jobs fail, else new", (facts) => (failsInFewJobs(facts) ? "flaky" : "new_failure"))
]

/** The verdict of the domain. */
export const verdict: Rule = {
  name: "the verdict",
  answer: (judged) => ({
    ...judged,
    verdict: judged.verdict.verdict,
    probability: judged.verdict.probabilityFlaky
  })
}
