/** The numbers of issues: when one is opened, closed and rewritten, and how many a day. All of it is our choice. */
import * as Policy from "../policy/Policy.ts"

/** The numbers of issues, each with its default and its reason. */
export const fields = {
  mostPerDay: Policy.count(
    10,
    [0, 1000],
    "Most issues that are opened or reopened in 24 hours",
    "Nobody reads more; the worst tests come first, and the others follow on the next days."
  ),
  groupSize: Policy.count(
    5,
    [1, 10_000],
    "Most tests with the same first failing commit that get an issue each",
    "More tests that broke with one commit have one cause: one issue names them all."
  ),
  openHours: Policy.count(
    24,
    [0, 10_000],
    "Hours that a test is unhealthy before an issue is opened",
    "A break that is mended within a day needs no issue."
  ),
  brokenCommits: Policy.count(
    2,
    [1, 16],
    "Commits on which a broken test has failed before an issue is opened",
    "One failed execution may stay the last one over a weekend."
  ),
  provenCommits: Policy.count(
    3,
    [1, 16],
    "Failed commits among the last 16 that prove a flaky test without waiting",
    "A test that flakes on three of sixteen commits stops people already."
  ),
  closeHours: Policy.count(
    24,
    [0, 10_000],
    "Hours after the recovery at which the test must have run before its issue is closed",
    "The verdict recovers late as it is; one more day shows that the test still runs."
  ),
  updateHours: Policy.count(
    24,
    [1, 10_000],
    "Hours between two updates of the impact and the last message in an issue",
    "They change with every run. The status, the quarantine and the owners are updated at once."
  )
}

/** Schema of the policy of issues. */
export const IssuePolicy = Policy.schema(fields)

/** The numbers of issues. */
export type IssuePolicy = typeof IssuePolicy.Type

/** The policy with every default. */
export const defaults: IssuePolicy = Policy.defaultsOf(fields)
