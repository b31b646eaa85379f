/** The numbers by which failures are grouped by cause. All of it is our choice; see `docs/explanation/causes.md`. */
import * as Policy from "../policy/Policy.ts"

/** The numbers of causes, each with its default and its reason. */
export const fields = {
  leastRuns: Policy.count(
    5,
    [1, 1000],
    "Job runs with failures from which causes are shown",
    "In fewer, what failed together once and what has one cause look alike."
  ),
  cut: Policy.share(
    0.36,
    "Average similarity from which tests have one cause",
    "Tests that fail together in a third of their failures. On generated causes 0.5 finds half of the pairs; 0.3 doubles the strangers."
  ),
  expected: Policy.count(
    2,
    [0, 1000],
    "Failing job runs that the expected similarity counts for",
    "One job run in common joins no strangers. With one or two failures messages and names decide, with ten they hardly matter."
  ),
  message: Policy.share(
    0.5,
    "Expected similarity of tests with one message",
    "A message that keeps its tests together says more than a name."
  ),
  name: Policy.share(
    0.1,
    "Expected similarity of tests in one file",
    "Most tests of one file fail for different reasons."
  ),
  messageAndName: Policy.share(
    0.4,
    "Expected similarity that is added for tests with one message in one file",
    "Both together reach 1: such tests have one cause until their job runs say something else."
  ),
  silent: Policy.share(
    0.6,
    "Expected similarity of tests in one file where a message is missing",
    "Without messages the name is all that is known."
  ),
  generic: Policy.share(
    0.2,
    "Share of the other tests with a message that must fail with it in the same job run, so that it counts half",
    "A message that strangers use as well occurs in one test at a time."
  ),
  items: Policy.count(
    1000,
    [2, 5000],
    "Most tests with different failing job runs that are compared with each other",
    "All pairs of 1,000 are compared in less than a second; those with most failing job runs are taken."
  )
}

/** Schema of the policy of causes. */
export const CausePolicy = Policy.schema(fields)

/** The numbers of causes. */
export type CausePolicy = typeof CausePolicy.Type

/** The policy with every default. */
export const defaults: CausePolicy = Policy.defaultsOf(fields)
