/** The numbers by which tests are missed. All of it is our choice; see `docs/explanation/missing.md`. */
import * as Policy from "../policy/Policy.ts"

/** The numbers, each with its default and its reason. */
export const fields = {
  leastRuns: Policy.count(
    5,
    [2, 100],
    "Runs of a job on the base branch from which tests are expected",
    "After fewer, a test that ran twice by chance would be expected."
  ),
  memory: Policy.count(
    10,
    [2, 15],
    "Latest runs of a job on the base branch that expectations follow from",
    "One run with three times the tests, or with few, makes no expectation by itself."
  ),
  presence: Policy.share(
    0.8,
    "Share of these runs in which an expected test ran",
    "A test that one run of five leaves out is not missed."
  ),
  row: Policy.count(
    3,
    [1, 15],
    "Latest runs in a row after which a new test is expected",
    "New tests are expected soon. Two large runs in a row happen by chance, three hardly ever."
  ),
  loss: Policy.share(
    0.05,
    "Share of the expected tests that must be missing for a loss",
    "Half of the smallest loss that people ask for: the tests of a job change between runs."
  ),
  beyond: Policy.count(
    2,
    [1, 100],
    "How many times more tests must be missing than usually",
    "Tests that only run sometimes are missing in some runs; twice as many are news."
  ),
  gone: Policy.count(
    3,
    [1, 100],
    "Runs after which missing tests are not expected any more",
    "Losses last for a run or two; after three runs the tests are gone, which is said once."
  )
}

/** Schema of the policy. */
export const MissingPolicy = Policy.schema(fields)

/** The numbers by which tests are missed. */
export type MissingPolicy = typeof MissingPolicy.Type

/** The policy with every default. */
export const defaults: MissingPolicy = Policy.defaultsOf(fields)
