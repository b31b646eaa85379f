/** The numbers of cost. All of it is our choice; see `docs/explanation/cost.md`. */
import * as Policy from "../policy/Policy.ts"

/** The numbers of cost, each with its default and its reason. */
export const fields = {
  leastRuns: Policy.count(
    20,
    [1, 10_000],
    "Job runs in the weeks that are shown, from which on there are figures",
    "In fewer, one unlucky job run is more than 5 % of all."
  ),
  longestWait: Policy.count(
    4,
    [1, 168],
    "Hours for which a commit waits for its first green job run at most",
    "Who finds a red commit in the evening runs it again the next morning, and did not wait for it at night."
  ),
  machineMinute: Policy.amount(
    0,
    "Price of a minute of a job",
    "In any currency; 0 shows minutes alone. A price of the hosting platform is on its page."
  ),
  personMinute: Policy.amount(
    0,
    "Price of a minute that a person waits",
    "In the same currency; 0 shows minutes alone. Most people do something else meanwhile: a part of the salary is careful."
  )
}

/** Schema of the policy of cost. */
export const CostPolicy = Policy.schema(fields)

/** The numbers of cost. */
export type CostPolicy = typeof CostPolicy.Type

/** The policy with every default. */
export const defaults: CostPolicy = Policy.defaultsOf(fields)
